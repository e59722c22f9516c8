import { around, type Box } from './geometry.ts'
import type { Style, Word } from './page-content.ts'

export interface Line {
  /** In the order in which they are read. */
  readonly words: readonly Word[]
  readonly box: Box
  readonly base: number
  /** The look of most of its letters. */
  readonly style: Style
  readonly rtl: boolean
  /** Its words were moved apart to fill a narrow column: the gaps between them mean nothing. */
  readonly spread?: boolean
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const letters = /\p{L}/u

/** Words of one column as lines from top to bottom. Small raised or lowered ones stay with their line. */
export function linesOf(words: readonly Word[]): Line[] {
  const rows: Word[][] = []
  for (const word of [...words].sort((a, b) => a.base - b.base)) {
    const row = rows.slice(-3).find((candidate) => sameRow(candidate, word))
    if (row) row.push(word)
    else rows.push([word])
  }
  return rows.map(lineOf)
}

function sameRow(row: readonly Word[], word: Word): boolean {
  const main = row.reduce((best, other) => (other.style.size > best.style.size ? other : best))
  const size = Math.max(main.style.size, word.style.size)
  return Math.abs(word.base - main.base) <= size * 0.45
}

/** Words that were found in the order in which they are read, however they stand. */
export function lineInOrder(words: readonly Word[]): Line {
  const [first] = words
  if (!first) throw new Error('a line without words')
  const { box } = first
  // Set upright one behind the other; what counts is no longer where they stood.
  const upright = words.map((word, index) => ({
    ...word,
    base: 0,
    box: [index, box[1], index, box[3]] as const,
  }))
  return { ...lineOf(upright), words: upright, box }
}

export function lineOf(row: readonly Word[]): Line {
  const visual = [...row].sort((a, b) => a.box[0] - b.box[0])
  const rtl = isRightToLeft(visual.map(({ text }) => text).join(''))
  const style = mainStyle(visual)
  const main = visual.find((word) => word.style === style) ?? visual[0]
  return {
    words: rtl ? readRightToLeft(visual) : visual,
    box: around(visual.map(({ box }) => box)),
    base: main?.base ?? 0,
    style,
    rtl,
  }
}

export function isRightToLeft(text: string): boolean {
  let balance = 0
  for (const char of text) {
    if (rightToLeft.test(char)) balance++
    else if (letters.test(char)) balance--
  }
  return balance > 0
}

/** Latin words and numbers inside keep their own direction. */
function readRightToLeft(visual: readonly Word[]): Word[] {
  const words: Word[] = []
  let foreign: Word[] = []
  for (const word of visual.toReversed()) {
    if (rightToLeft.test(word.text) || !/[\p{L}\p{N}]/u.test(word.text)) {
      words.push(...foreign, word)
      foreign = []
    } else foreign.unshift(word)
  }
  return [...words, ...foreign]
}

/** The style with the most letters. */
export function mainStyle(words: readonly Pick<Word, 'style' | 'text'>[]): Style {
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

export function isSpaced(before: Word, word: Word): boolean {
  return word.spaced || gapBetween(before, word) > Math.max(before.style.size, word.style.size) * 0.2
}

/** Words in a row without a wide gap between them: what a cell of a table holds. */
export function segmentsOf(line: Line, gapEm: number): Word[][] {
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
export function spacesBetween(before: Word, word: Word): number {
  const advance = (word.box[2] - word.box[0]) / Math.max(1, [...word.text].length)
  return Math.max(isSpaced(before, word) ? 1 : 0, Math.round(gapBetween(before, word) / advance))
}
