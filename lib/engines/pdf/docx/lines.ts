import { type BoundingBox, boundingBoxOf } from './geometry.ts'
import type { Style, Word } from './page-content.ts'

export interface Line {
  /** In the order in which they are read. */
  readonly words: readonly Word[]
  readonly box: BoundingBox
  readonly baseline: number
  /** The look of most of its letters. */
  readonly style: Style
  readonly isRtl: boolean
  /** Its words were moved apart to fill a narrow column: the gaps between them mean nothing. */
  readonly isJustified?: boolean
}

const rtlCharacter = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const letter = /\p{L}/u

/** Words of one column as lines from top to bottom. Small raised or lowered ones stay with their line. */
export function groupIntoLines(words: readonly Word[]): Line[] {
  const rows: Word[][] = []
  for (const word of [...words].sort((a, b) => a.baseline - b.baseline)) {
    const row = rows.slice(-3).find((candidate) => isSameLine(candidate, word))
    if (row) row.push(word)
    else rows.push([word])
  }
  return rows.map(toLine)
}

function isSameLine(row: readonly Word[], word: Word): boolean {
  const main = row.reduce((best, other) => (other.style.size > best.style.size ? other : best))
  const size = Math.max(main.style.size, word.style.size)
  return Math.abs(word.baseline - main.baseline) <= size * 0.45
}

/** Words that were found in the order in which they are read, however they stand. */
export function toLineInOrder(words: readonly Word[]): Line {
  const [first] = words
  if (!first) throw new Error('a line without words')
  const { box } = first
  // Set upright one behind the other; what counts is no longer where they stood.
  const upright = words.map((word, index) => ({
    ...word,
    baseline: 0,
    box: [index, box[1], index, box[3]] as const,
  }))
  return { ...toLine(upright), words: upright, box }
}

export function toLine(row: readonly Word[]): Line {
  const visual = [...row].sort((a, b) => a.box[0] - b.box[0])
  const isRtl = isRightToLeft(visual.map(({ text }) => text).join(''))
  const style = dominantStyle(visual)
  const main = visual.find((word) => word.style === style) ?? visual[0]
  return {
    words: isRtl ? orderRightToLeft(visual) : visual,
    box: boundingBoxOf(visual.map(({ box }) => box)),
    baseline: main?.baseline ?? 0,
    style,
    isRtl,
  }
}

export function isRightToLeft(text: string): boolean {
  let balance = 0
  for (const char of text) {
    if (rtlCharacter.test(char)) balance++
    else if (letter.test(char)) balance--
  }
  return balance > 0
}

/** Latin words and numbers inside keep their own direction. */
function orderRightToLeft(visual: readonly Word[]): Word[] {
  const words: Word[] = []
  let ltrWords: Word[] = []
  for (const word of visual.toReversed()) {
    if (rtlCharacter.test(word.text) || !/[\p{L}\p{N}]/u.test(word.text)) {
      words.push(...ltrWords, word)
      ltrWords = []
    } else ltrWords.unshift(word)
  }
  return [...words, ...ltrWords]
}

/** The style with the most letters. */
export function dominantStyle(words: readonly Pick<Word, 'style' | 'text'>[]): Style {
  const counts = new Map<Style, number>()
  for (const { style, text } of words) counts.set(style, (counts.get(style) ?? 0) + text.length)
  const [best] = [...counts].sort((a, b) => b[1] - a[1])
  if (!best) throw new Error('a line without words')
  return best[0]
}

/** Points between two words as they stand on the line. */
export function gapBetween(a: Word, b: Word): number {
  return a.box[0] <= b.box[0] ? b.box[0] - a.box[2] : a.box[0] - b.box[2]
}

export function hasSpaceBetween(before: Word, word: Word): boolean {
  return word.hasSpaceBefore || gapBetween(before, word) > Math.max(before.style.size, word.style.size) * 0.2
}

/** Words in a row without a wide gap between them: what a cell of a table holds. */
export function splitAtGaps(line: Line, gapEm: number): Word[][] {
  const visual = [...line.words].sort((a, b) => a.box[0] - b.box[0])
  const segments: Word[][] = []
  for (const word of visual) {
    const last = segments.at(-1)
    const before = last?.at(-1)
    if (last && before && word.box[0] - before.box[2] < gapEm * line.style.size) last.push(word)
    else segments.push([word])
  }
  return segments
}

/** Code and the like: letters of one width, whose lines and spaces mean something. */
export function isPreformatted(line: Line): boolean {
  return line.words.every(({ style }) => isMono(style))
}

function isMono({ mono, font }: Style): boolean {
  return mono || /mono|courier|consol|typewriter|cmtt|sftt/i.test(font)
}

/** Spaces that make up a gap between two words of one width. */
export function countSpaces(before: Word, word: Word): number {
  const averageWidth = (word.box[2] - word.box[0]) / Math.max(1, [...word.text].length)
  return Math.max(hasSpaceBetween(before, word) ? 1 : 0, Math.round(gapBetween(before, word) / averageWidth))
}
