import { type BoundingBox, getBoundingBox } from './geometry.ts'
import type { Style, Word } from './page-content.ts'

export interface TextLine {
  /** The words in reading order. */
  readonly words: readonly Word[]
  readonly box: BoundingBox
  readonly baseline: number
  /** Style of most characters of the line. */
  readonly style: Style
  readonly isRtl: boolean
  /** Whether the words of the line were spread to fill a narrow column, so that its gaps have no meaning. */
  readonly isJustified?: boolean
}

const rtlCharacterPattern = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
const alphabeticPattern = /\p{L}/u

/** Groups the words of a column into lines from top to bottom. Superscripts and subscripts stay in their line. */
export function groupIntoLines(words: readonly Word[]): TextLine[] {
  const rows: Row[] = []
  for (const word of [...words].sort((a, b) => a.baseline - b.baseline)) {
    const row = rows.slice(-3).find((candidate) => isSameLine(candidate, word))
    if (!row) rows.push({ words: [word], main: word })
    else {
      row.words.push(word)
      if (word.style.size > row.main.style.size) row.main = word
    }
  }
  return rows.map((row) => toLine(row.words))
}

interface Row {
  readonly words: Word[]
  /** The first of the largest words on the line. */
  main: Word
}

function isSameLine({ main }: Row, word: Word): boolean {
  const size = Math.max(main.style.size, word.style.size)
  return Math.abs(word.baseline - main.baseline) <= size * 0.45
}

/** Creates a line from words that are in reading order, whatever their positions on the page are. */
export function toLineInOrder(words: readonly Word[]): TextLine {
  const [firstWord] = words
  if (!firstWord) throw new Error('a line without words')
  const { box } = firstWord
  // Places the words upright, one after another, because the original positions no longer matter.
  const uprightWords = words.map((word, index) => ({
    ...word,
    baseline: 0,
    box: [index, box[1], index, box[3]] as const,
  }))
  return { ...toLine(uprightWords), words: uprightWords, box }
}

export function toLine(row: readonly Word[]): TextLine {
  const wordsFromLeft = [...row].sort((a, b) => a.box[0] - b.box[0])
  const isRtl = isMostlyRtl(wordsFromLeft.map(({ text }) => text).join(''))
  const style = findDominantStyle(wordsFromLeft)
  const main = wordsFromLeft.find((word) => word.style === style) ?? wordsFromLeft[0]
  return {
    words: isRtl ? orderRightToLeft(wordsFromLeft) : wordsFromLeft,
    box: getBoundingBox(wordsFromLeft.map(({ box }) => box)),
    baseline: main?.baseline ?? 0,
    style,
    isRtl,
  }
}

export function isMostlyRtl(text: string): boolean {
  let rtlBalance = 0
  for (const char of text) {
    if (rtlCharacterPattern.test(char)) rtlBalance++
    else if (alphabeticPattern.test(char)) rtlBalance--
  }
  return rtlBalance > 0
}

/** Orders the words of a right-to-left line; Latin words and numbers keep their own direction. */
function orderRightToLeft(wordsFromLeft: readonly Word[]): Word[] {
  const words: Word[] = []
  let ltrWords: Word[] = []
  for (const word of wordsFromLeft.toReversed()) {
    if (rtlCharacterPattern.test(word.text) || !/[\p{L}\p{N}]/u.test(word.text)) {
      words.push(...ltrWords.reverse(), word)
      ltrWords = []
    } else ltrWords.push(word)
  }
  return [...words, ...ltrWords.reverse()]
}

/** Returns the style with the most characters. */
export function findDominantStyle(words: readonly Pick<Word, 'style' | 'text'>[]): Style {
  const counts = new Map<Style, number>()
  for (const { style, text } of words) counts.set(style, (counts.get(style) ?? 0) + text.length)
  const [bestStyle] = [...counts].sort((a, b) => b[1] - a[1])
  if (!bestStyle) throw new Error('a line without words')
  return bestStyle[0]
}

/** Returns the points between two words on the line. */
export function measureGap(a: Word, b: Word): number {
  return a.box[0] <= b.box[0] ? b.box[0] - a.box[2] : a.box[0] - b.box[2]
}

export function hasSpaceBetween(previousWord: Word, word: Word): boolean {
  return (
    word.hasSpaceBefore ||
    measureGap(previousWord, word) > Math.max(previousWord.style.size, word.style.size) * 0.2
  )
}

/** Splits a line into segments without a wide gap, such as table cells. */
export function splitAtGaps(line: TextLine, gapEm: number): Word[][] {
  const wordsFromLeft = [...line.words].sort((a, b) => a.box[0] - b.box[0])
  const segments: Word[][] = []
  for (const word of wordsFromLeft) {
    const lastSegment = segments.at(-1)
    const previousWord = lastSegment?.at(-1)
    if (lastSegment && previousWord && word.box[0] - previousWord.box[2] < gapEm * line.style.size)
      lastSegment.push(word)
    else segments.push([word])
  }
  return segments
}

/** Whether a line is code or similar: monospaced text whose line breaks and spaces have a meaning. */
export function isPreformatted(line: TextLine): boolean {
  return line.words.every(({ style }) => isMono(style))
}

function isMono({ mono, font }: Style): boolean {
  return mono || /mono|courier|consol|typewriter|cmtt|sftt/i.test(font)
}

/** Returns the number of spaces that fill the gap between two monospaced words. */
export function countSpaces(previousWord: Word, word: Word): number {
  const averageWidth = (word.box[2] - word.box[0]) / Math.max(1, [...word.text].length)
  return Math.max(
    hasSpaceBetween(previousWord, word) ? 1 : 0,
    Math.round(measureGap(previousWord, word) / averageWidth),
  )
}
