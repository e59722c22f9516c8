import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { around, type Box, centerIn, median } from './geometry.ts'
import type { Page, Style, Word } from './page-content.ts'

/**
 * The words of a page as Poppler reads them. It knows encodings that MuPDF does not, as names of glyphs that are made
 * of numbers; but it tells nothing of the looks of words, which are those that MuPDF saw in their place.
 */
export async function readAgain(path: string, page: Page, tools: Tools): Promise<Page['pieces']> {
  const file = join(tools.workDir, 'second.html')
  const number = String(page.number)
  const range = ['-f', number, '-l', number]
  await tools.exec('pdftotext', ['-q', '-enc', 'UTF-8', '-bbox-layout', '-cropbox', ...range, path, file])
  const html = await readFile(file, 'utf8')
  await rm(file)
  return withLooks(linesIn(html), page)
}

type Seen = Pick<Word, 'text' | 'box'>

const number = '"(-?[\\d.]+)"'
const wordPattern = new RegExp(
  `<word xMin=${number} yMin=${number} xMax=${number} yMax=${number}>([^<]*)</word>`,
  'g',
)

export function linesIn(html: string): Seen[][] {
  return html.split('<line ').flatMap((line) => {
    const words = [...line.matchAll(wordPattern)].map(([, left, top, right, bottom, text]) => ({
      text: plain(text ?? ''),
      box: [Number(left), Number(top), Number(right), Number(bottom)] as const,
    }))
    const said = words.filter(({ text }) => text !== '')
    return said.length > 0 ? [said] : []
  })
}

/** What pdftotext writes in place of the letters that HTML wants written so. */
const escapes: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string) =>
  text
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (all, name: string) => escapes[name] ?? all)
    .replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff\ufffd]/gu, '')
    .toWellFormed()

const unknownLook = {
  font: 'Times New Roman',
  bold: false,
  italic: false,
  mono: false,
  serif: true,
  color: '000000',
}

/** Sets words that were found in another way in the looks of those that stand in their place. */
export function withLooks(lines: readonly (readonly Seen[])[], page: Page): Word[][] {
  const known = [...page.unread, ...page.pieces.flat()]
  return lines.map((line) => {
    const looks = line.map(({ box }) => known.find((word) => covers(word.box, box))?.style)
    const size = Math.max(4, Math.round(median(line.map(({ box }) => box[3] - box[1])) * 0.87))
    const common = looks.find((look) => look !== undefined) ?? { ...unknownLook, size }
    const base = baseOf(line, known, common)
    return line.map(({ text, box }, index): Word => {
      return { text, box, base, style: looks[index] ?? common, spaced: index > 0 }
    })
  })
}

const covers = (known: Box, box: Box) => centerIn(known, box, 1) || centerIn(box, known, 1)

function baseOf(line: readonly Seen[], known: readonly Word[], { size }: Style): number {
  const whole = around(line.map(({ box }) => box))
  return known.find((word) => centerIn(word.box, whole))?.base ?? whole[3] - size * 0.2
}

/** Whether letters make words, and not what a font without names for its glyphs gives. */
export function isReadable(text: string): boolean {
  const marks = text.match(/\S/gu)?.length ?? 0
  const letters = text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  if (letters < marks * 0.6) return false
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  const vowels = text.normalize('NFD').match(/[aeiouy]/giu)?.length ?? 0
  // Languages written in Latin letters have between a fourth and a half of vowels.
  return latin < 40 || (vowels > latin * 0.2 && vowels < latin * 0.65)
}
