import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { type BoundingBox, computeMedian, getBoundingBox, isCenterInside } from './geometry.ts'
import type { PageContent, Style, Word } from './page-content.ts'

/**
 * Reads the words of a page with Poppler. Poppler knows encodings that MuPDF does not, such as glyph names made of
 * numbers, but reports no styles. Its words get the styles that MuPDF found in the same place.
 */
export async function readWithPoppler(
  path: string,
  page: PageContent,
  tools: Tools,
): Promise<PageContent['textSegments']> {
  const htmlPath = join(tools.workDir, 'second.html')
  const pageNumber = String(page.number)
  const rangeArgs = ['-f', pageNumber, '-l', pageNumber]
  await tools.exec('pdftotext', [
    '-q',
    '-enc',
    'UTF-8',
    '-bbox-layout',
    '-cropbox',
    ...rangeArgs,
    path,
    htmlPath,
  ])
  const html = await readFile(htmlPath, 'utf8')
  await rm(htmlPath)
  return applyStyles(parseLines(html), page)
}

type PositionedText = Pick<Word, 'text' | 'box'>

const numberPattern = '"(-?[\\d.]+)"'
const wordPattern = new RegExp(
  `<word xMin=${numberPattern} yMin=${numberPattern} xMax=${numberPattern} yMax=${numberPattern}>([^<]*)</word>`,
  'g',
)

export function parseLines(html: string): PositionedText[][] {
  return html.split('<line ').flatMap((line) => {
    const words = [...line.matchAll(wordPattern)].map(([, left, top, right, bottom, text]) => ({
      text: decodeText(text ?? ''),
      box: [Number(left), Number(top), Number(right), Number(bottom)] as const,
    }))
    const nonEmptyWords = words.filter(({ text }) => text !== '')
    return nonEmptyWords.length > 0 ? [nonEmptyWords] : []
  })
}

/** Entities that pdftotext writes for characters reserved in HTML. */
const characterByEntity: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}

const decodeText = (text: string) =>
  text
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (all, name: string) => characterByEntity[name] ?? all)
    .replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff\ufffd]/gu, '')
    .toWellFormed()

const defaultStyle = {
  font: 'Times New Roman',
  bold: false,
  italic: false,
  mono: false,
  serif: true,
  color: '000000',
}

/** Applies the styles of known words to the words that another method has found in the same places. */
export function applyStyles(lines: readonly (readonly PositionedText[])[], page: PageContent): Word[][] {
  const knownWords = [...page.undecodedWords, ...page.textSegments.flat()]
  return lines.map((line) => {
    const styles = line.map(({ box }) => knownWords.find((word) => isSamePlace(word.box, box))?.style)
    const size = Math.max(4, Math.round(computeMedian(line.map(({ box }) => box[3] - box[1])) * 0.87))
    const lineStyle = styles.find((style) => style !== undefined) ?? { ...defaultStyle, size }
    const baseline = findBaseline(line, knownWords, lineStyle)
    return line.map(({ text, box }, index): Word => {
      return { text, box, baseline, style: styles[index] ?? lineStyle, hasSpaceBefore: index > 0 }
    })
  })
}

const isSamePlace = (wordBox: BoundingBox, box: BoundingBox) =>
  isCenterInside(wordBox, box, 1) || isCenterInside(box, wordBox, 1)

function findBaseline(line: readonly PositionedText[], knownWords: readonly Word[], { size }: Style): number {
  const bounds = getBoundingBox(line.map(({ box }) => box))
  return knownWords.find((word) => isCenterInside(word.box, bounds))?.baseline ?? bounds[3] - size * 0.2
}

/** Whether characters form words rather than the gibberish of a font without glyph names. */
export function isReadable(text: string): boolean {
  const characterCount = text.match(/\S/gu)?.length ?? 0
  const alphanumericCount = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  if (alphanumericCount < characterCount * 0.6) return false
  const latinCount = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  const vowelCount = text.normalize('NFD').match(/[aeiouy]/giu)?.length ?? 0
  // In languages with Latin script, a quarter to half of the characters are vowels.
  return latinCount < 40 || (vowelCount > latinCount * 0.2 && vowelCount < latinCount * 0.65)
}
