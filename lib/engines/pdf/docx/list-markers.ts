import type { ListMarker } from './blocks.ts'
import type { Word } from './page-content.ts'

const bulletPattern = /^[•◦▪▫‣⁃●○■□❖➢✓✔·∙–—+*-]$/u
const numberPattern = /^[(]?(\d{1,3}|[a-zA-Z]|[ivxlcIVXLC]{2,6})[.)]$/

/** Returns the list marker that a line starts with: `•`, `3.`, `(b)`. */
export function findListMarker(words: readonly Word[]): ListMarker | undefined {
  const [firstWord, secondWord] = words
  if (!firstWord || !secondWord) return undefined
  const kind = bulletPattern.test(firstWord.text)
    ? 'bullet'
    : numberPattern.test(firstWord.text)
      ? 'number'
      : undefined
  if (!kind) return undefined
  const isRtl = secondWord.box[0] < firstWord.box[0]
  const gap = isRtl ? firstWord.box[0] - secondWord.box[2] : secondWord.box[0] - firstWord.box[2]
  // A dash or single character inside a sentence is followed by a normal space or none.
  if (kind === 'bullet' && gap < firstWord.style.size * 0.15) return undefined
  const [x, textX] = isRtl ? [-firstWord.box[2], -secondWord.box[2]] : [firstWord.box[0], secondWord.box[0]]
  return { kind, text: firstWord.text, x, textX }
}

/**
 * Whether a marker may be a roman numeral: `i.` may start such a list, but a list that starts with `c.` is
 * alphabetical.
 */
export const isRoman = (marker: string) => /^[(]?[ivxIVX]+[.)]$/.test(marker)

/** Returns 3 for `3.`, 2 for `(b)`, 4 for `iv.` if the list starts with a roman numeral. */
export function parseOrdinal(marker: string, isRomanList: boolean): number | undefined {
  const plainMarker = marker.replaceAll(/[().]/g, '')
  if (/^\d+$/.test(plainMarker)) return Number(plainMarker)
  if (isRomanList && /^[ivxlc]+$/i.test(plainMarker)) return parseRomanNumber(plainMarker.toLowerCase())
  return plainMarker.length === 1 ? plainMarker.toLowerCase().charCodeAt(0) - 96 : undefined
}

const romanDigits: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 }

function parseRomanNumber(text: string): number {
  const digits = [...text].map((digit) => romanDigits[digit] ?? 0)
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0)
}
