/**
 * The text that Tesseract puts behind a picture: a content stream of words, each with its place, a font size, a stretch
 * and its letters in UTF-16 (`GetPDFTextObjects` in its pdfrenderer.cpp). A letter is half as wide as its font size,
 * times the stretch. In lines that run to the left all letters are mirrored, the first at the right end; but
 * on pages that lie on their side, nothing is.
 */

import { unspaced } from './normalize-text.ts'

const number = String.raw`-?\d+(?:\.\d+)?`
const numbers = (count: number) => Array.from({ length: count }, () => number).join(' ')
const operation = new RegExp(
  String.raw`(?<tm>${numbers(6)}) Tm|(?<td>${numbers(2)}) Td|\/\S+ (?<size>\d+) Tf|(?<stretch>${number}) Tz \[ <(?<hex>(?:[0-9A-F]{4})+)> \] TJ`,
  'g',
)
/** What else such a stream holds. */
const frame = new RegExp(String.raw`q ${number} 0 0 ${number} 0 0 cm Q|BT|ET|3 Tr|\s+`, 'g')
/** Width of a letter in thousandths of the font size, which is how `TJ` counts (ISO 32000-1, 9.4.3). */
const letterWidth = 500

type Matrix = readonly [a: number, b: number, c: number, d: number, x: number, y: number]
type Span = readonly [start: number, end: number]

interface Word {
  /** Where the first letter stands, in points, and which way the letters run. */
  readonly matrix: Matrix
  /** Points. */
  readonly fontSize: number
  /** Per cent. */
  readonly stretch: number
  readonly text: string
  /** Where the stream shows it. */
  readonly at: Span
}

/**
 * Readers that go by the place of each letter find `2091` where a right-to-left line says `1902`, and all readers find
 * a space after each Chinese or Japanese word. Here each letter stands where it is seen, and words of scripts
 * without spaces reach as far as the next one.
 * @param layer a content stream, decoded.
 * @returns undefined where nothing has to change, or where the stream is not as Tesseract writes it.
 */
export function straightened(layer: string): string | undefined {
  const words = wordsOf(layer)
  const parts: string[] = []
  let done = 0
  for (const [index, word] of words.entries()) {
    const better = turned(word) ?? closed(word, words[index + 1])
    if (better === undefined) continue
    parts.push(layer.slice(done, word.at[0]), better)
    done = word.at[1]
  }
  return done === 0 ? undefined : parts.join('') + layer.slice(done)
}

function wordsOf(layer: string): Word[] {
  // Whatever else may be in it could change where letters stand.
  if (layer.replaceAll(operation, '').replaceAll(frame, '') !== '') return []
  const words: Word[] = []
  let matrix: Matrix = [1, 0, 0, 1, 0, 0]
  let fontSize = 0
  for (const match of layer.matchAll(operation)) {
    const { tm, td, size, stretch, hex } = match.groups ?? {}
    if (tm !== undefined) matrix = matrixOf(tm)
    else if (td !== undefined) matrix = moved(matrix, td)
    else if (size !== undefined) fontSize = Number(size)
    else if (hex !== undefined) {
      const at: Span = [match.index, match.index + match[0].length]
      words.push({ matrix, fontSize, stretch: Number(stretch), text: lettersOf(hex), at })
    }
  }
  return words
}

function matrixOf(numbers: string): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = numbers.split(' ').map(Number)
  return [a, b, c, d, x, y]
}

function moved([a, b, c, d, x, y]: Matrix, by: string): Matrix {
  const [right = 0, up = 0] = by.split(' ').map(Number)
  return [a, b, c, d, x + right * a + up * c, y + right * b + up * d]
}

const lettersOf = (hex: string) =>
  (hex.match(/.{4}/g) ?? []).map((code) => String.fromCharCode(Number.parseInt(code, 16))).join('')

/** By code unit, as each has a width of its own. */
const hexOf = (text: string) =>
  text
    .split('')
    .map((unit) => unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0'))
    .join('')

const toTheLeft = String.raw`[[\p{Script_Extensions=Arabic}\p{Script_Extensions=Hebrew}]--\p{N}]`
/** Marks belong to the letters beside them. */
const runsToTheLeft = new RegExp(String.raw`([\p{P}\p{S}]*${toTheLeft}(?:[\p{P}\p{S}]|${toTheLeft})*)`, 'v')
const toTheRight = String.raw`[\p{N}[\p{L}--[\p{Script=Arabic}\p{Script=Hebrew}]]]`
/** One letter has no direction; `12/05/1987` and `a@b.com` are one run. */
const runsToTheRight = new RegExp(String.raw`(${toTheRight}(?:[.,:\/\-–@_٫٬]{0,3}${toTheRight})+)`, 'v')

/**
 * Letters that are mirrored stay so, each moved to where it belongs: MuPDF begins a new line where the direction of the
 * matrix changes.
 */
function turned({ matrix: [a, b, c, d], stretch, text }: Word): string | undefined {
  const mirrored = a * d - b * c < 0
  const runs = mirrored ? runsToTheRight : runsToTheLeft
  if (!runs.test(text)) return undefined
  // What the expression catches is every second piece.
  const pieces = text
    .split(runs)
    .map((piece, index) => (index % 2 === 1 ? turnedRound(piece) : `<${hexOf(piece)}>`))
  return shown(stretch, pieces.filter((piece) => piece !== '<>').join(' '))
}

const shown = (stretch: number, pieces: string) => `${Number(stretch.toFixed(3))} Tz [ ${pieces} ] TJ`

/** Goes to the far end first, back over two letters after each one, and to the far end again. */
function turnedRound(run: string): string {
  const across = -(run.length - 1) * letterWidth
  const letters = run.split('').map((unit) => `<${hexOf(unit)}>`)
  return `${across} ${letters.join(` ${2 * letterWidth} `)} ${across}`
}

const endsUnspaced = new RegExp(`${unspaced} $`, 'u')
const beginsUnspaced = new RegExp(`^${unspaced}`, 'u')
/** In font sizes. Tesseract's words are off by up to a letter; what is wider stands between columns. */
const widestGap = 2

/** Without the stretch the gap would be a space to most readers. */
function closed({ matrix, fontSize, stretch, text }: Word, next?: Word): string | undefined {
  if (!next || !endsUnspaced.test(text) || !beginsUnspaced.test(next.text)) return undefined
  const [a, b, , , x, y] = matrix
  const [right, up] = [next.matrix[4] - x, next.matrix[5] - y]
  const along = right * a + up * b
  const across = Math.abs(up * a - right * b)
  const widthOf = (letters: number) => (letters * fontSize * letterWidth) / 1000
  const gap = along - widthOf(text.length) * (stretch / 100)
  if (along <= 0 || across > fontSize / 2 || gap > widestGap * fontSize) return undefined
  const letters = text.slice(0, -1)
  return shown((100 * along) / widthOf(letters.length), `<${hexOf(letters)}>`)
}
