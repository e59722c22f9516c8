/**
 * Fixes the text layer that Tesseract puts behind an image: a content stream of words, each with its position, a font
 * size, a horizontal scale and its characters in UTF-16 (`GetPDFTextObjects` in its pdfrenderer.cpp). A glyph is half
 * as wide as its font size, times the scale. In right-to-left lines all glyphs are mirrored, starting at the right end;
 * on rotated pages nothing is mirrored.
 */

import { unspacedCharacterPattern } from './normalize-text.ts'

/** Matches only from the first digit; otherwise, a long number would be scanned again from each of its digits. */
const numberPattern = String.raw`(?<![\d.])-?\d{1,12}(?:\.\d{1,12})?`
const repeatNumberPattern = (count: number) => Array.from({ length: count }, () => numberPattern).join(' ')
const textOperatorsPattern = new RegExp(
  String.raw`(?<tm>${repeatNumberPattern(6)}) Tm|(?<td>${repeatNumberPattern(2)}) Td|\/[^\s\/]{1,127} (?<size>\d{1,12}) Tf|(?<stretch>${numberPattern}) Tz \[ <(?<hex>(?:[0-9A-F]{4})+)> \] TJ`,
  'g',
)
/** Matches the other operators in a text layer of Tesseract. */
const otherOperatorsPattern = new RegExp(
  String.raw`q ${numberPattern} 0 0 ${numberPattern} 0 0 cm Q|BT|ET|3 Tr|\s+`,
  'g',
)
/** Width of a glyph in thousandths of the font size, the unit of `TJ` (ISO 32000-1, 9.4.3). */
const glyphWidth = 500

type Matrix = readonly [a: number, b: number, c: number, d: number, x: number, y: number]
type Span = readonly [start: number, end: number]

interface LayerWord {
  /** Position of the first glyph in points, and the direction of the text. */
  readonly matrix: Matrix
  /** Font size in points. */
  readonly fontSize: number
  /** Horizontal scale in percent. */
  readonly stretch: number
  readonly text: string
  /** Position of the text operator in the stream. */
  readonly span: Span
}

/**
 * Levels the lines of a skewed page, moves each glyph to where it is seen, and stretches words of scripts without
 * spaces to the next word. Otherwise, readers would scatter the words of skewed lines (Poppler from one degree on),
 * those that use the position of each glyph would find `2091` where a right-to-left line shows `1902`, and all readers
 * would find a space after each Chinese or Japanese word.
 * @param layer a decoded content stream.
 * @returns undefined when nothing changes or the stream does not look like Tesseract output.
 */
export function fixTextLayer(layer: string): string | undefined {
  const levelLayer = levelLines(layer)
  return fixWords(levelLayer) ?? (levelLayer === layer ? undefined : levelLayer)
}

/** Range of skew in radians that is corrected: scanners pull paper in slightly askew. */
const [minSkew, maxSkew] = [Math.PI / 720, Math.PI / 18]

/** Returns how far the direction of a word is from the nearest axis, in radians. */
function measureSkew({ matrix: [a, b] }: LayerWord): number {
  const angle = Math.atan2(b, a)
  return angle - Math.round(angle / (Math.PI / 2)) * (Math.PI / 2)
}

/** Turns skewed lines about their middle until they are level, so that no word moves more than necessary. */
function levelLines(layer: string): string {
  const words = parseWords(layer)
  const isSkewed = (word: LayerWord) => {
    const skew = Math.abs(measureSkew(word))
    return skew > minSkew && skew < maxSkew
  }
  if (!words.some(isSkewed)) return layer
  const matrices = splitIntoLines(words).flatMap((line) =>
    line.some(isSkewed) ? levelLine(line) : line.map(({ matrix }) => matrix),
  )
  let index = 0
  return layer.replaceAll(textOperatorsPattern, (operator, ...args) => {
    const { tm, td, hex } = args.at(-1)
    if (tm !== undefined || td !== undefined) return ''
    if (hex === undefined) return operator
    const numbers = (matrices[index++] ?? []).map((number) => Number(number.toFixed(4)))
    return `${numbers.join(' ')} Tm ${operator}`
  })
}

function splitIntoLines(words: readonly LayerWord[]): LayerWord[][] {
  const lines: LayerWord[][] = []
  for (const [index, word] of words.entries()) {
    const previousWord = words[index - 1]
    if (previousWord && isNextInLine(previousWord, word)) lines.at(-1)?.push(word)
    else lines.push([word])
  }
  return lines
}

function isNextInLine(word: LayerWord, nextWord: LayerWord): boolean {
  const { gap, distanceAcross } = measureGap(word, nextWord)
  return distanceAcross <= word.fontSize / 2 && Math.abs(gap) <= maxGap * word.fontSize
}

function levelLine(line: readonly LayerWord[]): Matrix[] {
  const skews = line.map(measureSkew).sort((left, right) => left - right)
  const skew = skews[Math.floor(skews.length / 2)] ?? 0
  const [cos, sin] = [Math.cos(skew), Math.sin(skew)]
  const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const middleX = average(line.map(({ matrix }) => matrix[4]))
  const middleY = average(line.map(({ matrix }) => matrix[5]))
  const rotate = (x: number, y: number) => [x * cos + y * sin, y * cos - x * sin] as const
  return line.map(({ matrix: [a, b, c, d, x, y] }) => {
    const [right, up] = rotate(x - middleX, y - middleY)
    return [...rotate(a, b), ...rotate(c, d), middleX + right, middleY + up]
  })
}

function fixWords(layer: string): string | undefined {
  const words = parseWords(layer)
  const parts: string[] = []
  let copiedLength = 0
  for (const [index, word] of words.entries()) {
    const replacement = reverseRuns(word) ?? closeGap(word, words[index + 1])
    if (replacement === undefined) continue
    parts.push(layer.slice(copiedLength, word.span[0]), replacement)
    copiedLength = word.span[1]
  }
  return copiedLength === 0 ? undefined : parts.join('') + layer.slice(copiedLength)
}

function parseWords(layer: string): LayerWord[] {
  // Any other operator could change where glyphs appear.
  if (layer.replaceAll(textOperatorsPattern, '').replaceAll(otherOperatorsPattern, '') !== '') return []
  const words: LayerWord[] = []
  let matrix: Matrix = [1, 0, 0, 1, 0, 0]
  let fontSize = 0
  for (const match of layer.matchAll(textOperatorsPattern)) {
    const { tm, td, size, stretch, hex } = match.groups ?? {}
    if (tm !== undefined) matrix = parseMatrix(tm)
    else if (td !== undefined) matrix = translateMatrix(matrix, td)
    else if (size !== undefined) fontSize = Number(size)
    else if (hex !== undefined) {
      const span: Span = [match.index, match.index + match[0].length]
      words.push({ matrix, fontSize, stretch: Number(stretch), text: decodeHex(hex), span })
    }
  }
  return words
}

function parseMatrix(numbers: string): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = numbers.split(' ').map(Number)
  return [a, b, c, d, x, y]
}

function translateMatrix([a, b, c, d, x, y]: Matrix, offset: string): Matrix {
  const [right = 0, up = 0] = offset.split(' ').map(Number)
  return [a, b, c, d, x + right * a + up * c, y + right * b + up * d]
}

const decodeHex = (hex: string) =>
  (hex.match(/.{4}/g) ?? []).map((code) => String.fromCharCode(Number.parseInt(code, 16))).join('')

/** Encodes UTF-16 code units, because each has its own width. */
const encodeHex = (text: string) =>
  text
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0'))
    .join('')

const rtlCharacterPattern = String.raw`[[\p{Script_Extensions=Arabic}\p{Script_Extensions=Hebrew}]--\p{N}]`
/** Matches a run of right-to-left characters, including the punctuation next to them. */
const rtlRunPattern = new RegExp(
  String.raw`([\p{P}\p{S}]*${rtlCharacterPattern}(?:[\p{P}\p{S}]|${rtlCharacterPattern})*)`,
  'v',
)
const ltrCharacterPattern = String.raw`[\p{N}[\p{L}--[\p{Script=Arabic}\p{Script=Hebrew}]]]`
/** Matches runs such as `12/05/1987` and `a@b.com`; a single character has no direction. */
const ltrRunPattern = new RegExp(
  String.raw`(${ltrCharacterPattern}(?:[.,:\/\-–@_٫٬]{0,3}${ltrCharacterPattern})+)`,
  'v',
)

/**
 * Moves each mirrored glyph to its place, but leaves it mirrored: MuPDF starts a new line if the direction of the
 * matrix changes.
 */
function reverseRuns({ matrix: [a, b, c, d], stretch, text }: LayerWord): string | undefined {
  const isMirrored = a * d - b * c < 0
  const runPattern = isMirrored ? ltrRunPattern : rtlRunPattern
  if (!runPattern.test(text)) return undefined
  // The split returns the captured runs at odd indexes.
  const pieces = text
    .split(runPattern)
    .map((piece, index) => (index % 2 === 1 ? showReversed(piece) : `<${encodeHex(piece)}>`))
  return showText(stretch, pieces.filter((piece) => piece !== '<>').join(' '))
}

const showText = (stretch: number, operands: string) => `${Number(stretch.toFixed(3))} Tz [ ${operands} ] TJ`

/** Moves to the far end of the run, then back by two glyphs after each glyph, and finally to the far end again. */
function showReversed(run: string): string {
  const offsetAcross = -(run.length - 1) * glyphWidth
  const glyphs = run.split('').map((unit) => `<${encodeHex(unit)}>`)
  return `${offsetAcross} ${glyphs.join(` ${2 * glyphWidth} `)} ${offsetAcross}`
}

const unspacedEndPattern = new RegExp(`${unspacedCharacterPattern} $`, 'u')
const unspacedStartPattern = new RegExp(`^${unspacedCharacterPattern}`, 'u')
/**
 * Maximum gap in multiples of the font size. Tesseract's word positions are off by up to one glyph; wider gaps separate
 * columns.
 */
const maxGap = 2

/** Stretches the word up to the next one, because most readers would take the gap for a space. */
function closeGap({ matrix, fontSize, stretch, text }: LayerWord, nextWord?: LayerWord): string | undefined {
  if (!nextWord || !unspacedEndPattern.test(text) || !unspacedStartPattern.test(nextWord.text))
    return undefined
  const { gap, distanceAlong, distanceAcross } = measureGap({ matrix, fontSize, stretch, text }, nextWord)
  if (distanceAlong <= 0 || distanceAcross > fontSize / 2 || gap > maxGap * fontSize) return undefined
  const characters = text.slice(0, -1)
  const textWidth = getTextWidth(characters, fontSize)
  return showText((100 * distanceAlong) / textWidth, `<${encodeHex(characters)}>`)
}

const getTextWidth = (text: string, fontSize: number) => (text.length * fontSize * glyphWidth) / 1000

/** Measures the way from a word to the start of the next one, along and across its direction. */
function measureGap(
  { matrix: [a, b, , , x, y], fontSize, stretch, text }: Omit<LayerWord, 'span'>,
  nextWord: LayerWord,
) {
  const [right, up] = [nextWord.matrix[4] - x, nextWord.matrix[5] - y]
  const distanceAlong = right * a + up * b
  const distanceAcross = Math.abs(up * a - right * b)
  return {
    distanceAlong,
    distanceAcross,
    gap: distanceAlong - getTextWidth(text, fontSize) * (stretch / 100),
  }
}
