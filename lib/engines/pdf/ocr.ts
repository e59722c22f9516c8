import { copyFile, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Capability, OutputFile, Result, Tools, Work } from '../engine.ts'
import { flag } from '../options.ts'
import { progressWithin } from '../sandbox/progress.ts'
import { ocrLanguage } from './ocr/languages.ts'
import { pictureAsPdf, readablePictures } from './ocr/picture.ts'
import { hasText, lettersByPage, recognize } from './ocr/recognize.ts'
import { asWritten } from './ocr/text.ts'
import { openPdf } from './open.ts'
import { password } from './page-pictures.ts'
import { toText } from './text.ts'
import { openEditable } from './tools/document.ts'

const language = ocrLanguage.default('eng')
const PictureOptions = z.object({ language })
const PdfOptions = z.object({
  language,
  deskew: flag().default(false).describe('Turns crooked pages straight; their pictures are encoded anew.'),
  password,
})

const targets = ['pdf', 'txt', 'docx'] as const

/** Text in pictures: of a PDF, and of the pictures themselves. */
export const ocr: readonly Capability[] = [
  { operation: 'ocr-pdf', from: ['pdf'], to: targets, same: true, options: PdfOptions, cost: 10 },
  { operation: 'ocr-pdf', from: readablePictures, to: targets, options: PictureOptions, cost: 3 },
  { operation: 'convert', from: readablePictures, to: ['txt', 'docx'], options: PictureOptions, cost: 3 },
]

/** A PDF whose pages all have text. */
interface Searchable {
  readonly path: string
  readonly pages: number
  /** By page: letters that it had before. */
  readonly letters: readonly number[]
  /** Counted from 1. */
  readonly recognized: readonly number[]
}

/**
 * `details` counts the `pages`, and those of them that were read (`pagesRecognized`).
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, FILE_TOO_LARGE, CONVERSION_FAILED (a signed PDF).
 */
export async function runOcr(work: Work, tools: Tools): Promise<Result> {
  const [input] = work.inputs
  if (!input) throw new Error('ocr was called without an input.')
  const searchable = work.from === 'pdf' ? await searchablePdf(work, tools) : await picturePdf(work, tools)
  const file = await targetOf(work, searchable, tools)
  tools.progress(1)
  const { pages, recognized } = searchable
  return { files: [file], details: { pages, pagesRecognized: recognized.length } }
}

async function searchablePdf({ inputs: [input], options }: Work, tools: Tools): Promise<Searchable> {
  if (!input) throw new Error('ocr was called without an input.')
  const { language, deskew, password } = PdfOptions.parse(options)
  const { path, encrypted } = await openEditable(input, password, tools)
  const letters = await lettersByPage(path, tools)
  const pages = letters.flatMap((count, index) => (hasText(count) ? [] : [index + 1]))
  if (encrypted) tools.warn('ENCRYPTION_REMOVED', 'The PDF was protected; the result is not.')
  if (pages.length === 0) {
    tools.warn('TEXT_PRESENT', 'Every page has text already, so nothing was recognized.')
    return { path, pages: letters.length, letters, recognized: [] }
  }
  const onPage = (done: number) => tools.progress((done / pages.length) * 0.9, 'ocr')
  const made = await recognize({ path, pages, language, deskew, onPage }, tools)
  return { path: made, pages: letters.length, letters, recognized: pages }
}

async function picturePdf({ inputs: [input], options }: Work, tools: Tools): Promise<Searchable> {
  if (!input) throw new Error('ocr was called without an input.')
  const { language } = PictureOptions.parse(options)
  const picture = await pictureAsPdf(input, tools)
  const pages = Array.from({ length: picture.pages }, (_, index) => index + 1)
  const onPage = (done: number) => tools.progress((done / pages.length) * 0.9, 'ocr')
  // Tesseract reads best from 300 dpi on (its "ImproveQuality"); enlarging what is almost that only takes time.
  const enlarged = picture.dpi < 250 ? { oversample: 300 } : {}
  const { path } = picture
  const made = await recognize({ path, pages, language, deskew: false, ...enlarged, onPage }, tools)
  return { path: made, pages: pages.length, letters: [], recognized: pages }
}

async function targetOf(
  { to, outDir }: Work,
  { path, pages, letters, recognized }: Searchable,
  tools: Tools,
): Promise<OutputFile> {
  const all = Array.from({ length: pages }, (_, index) => index + 1)
  switch (to) {
    case 'txt': {
      const text = await toText({ opened: await openPdf(path, undefined, tools), pages: all, outDir }, tools)
      const read = (await readFile(text.path, 'utf8')).split('\f')
      const written = read.map((page, index) => (recognized.includes(index + 1) ? asWritten(page) : page))
      await writeFile(text.path, written.join('\f'))
      return text
    }
    case 'docx': {
      // Loaded when it is wanted: the writer is large.
      const { flowDocx } = await import('./docx/flow.ts')
      const { about } = await openPdf(path, undefined, tools)
      // All that can be recognized has been.
      const source = { path, pages: all, letters, tried: all, language: undefined, maxRecognized: 0 }
      const { file } = await flowDocx({ ...source, about, outDir }, progressWithin(tools, 0.9, 1))
      return { path: file }
    }
    default: {
      const target = join(outDir, 'output.pdf')
      // What came in stays where it is; what was made can be moved.
      await (path.endsWith('recognized.pdf') ? rename(path, target) : copyFile(path, target))
      return { path: target }
    }
  }
}
