import { copyFile, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type {
  Capability,
  Chunk,
  ChunkResult,
  EngineResult,
  EngineWork,
  InputFile,
  OutputFile,
  Tools,
  WorkerPool,
} from '../engine.ts'
import { flag } from '../options.ts'
import { progressWithin } from '../sandbox/progress.ts'
import { cutForOcr, mayShareOcr, OcrShare, sharesOfOcr } from './ocr/chunks.ts'
import { pictureAsPdf, readablePictures } from './ocr/image-to-pdf.ts'
import { ocrLanguage } from './ocr/languages.ts'
import { asWritten } from './ocr/normalize-text.ts'
import { hasText, keepRecognized, lettersByPage, type OcrManner, recognize } from './ocr/recognize.ts'
import { openPdf, type PageSize } from './open-pdf.ts'
import { password } from './page-options.ts'
import { toText } from './text.ts'
import { openEditable } from './tools/editable-pdf.ts'

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

/** A PDF, and how the text of its pages is to be read. */
interface Scans {
  readonly path: string
  /** The source needs a password, or restricts what may be done with it. */
  readonly encrypted: boolean
  /** Of all its pages. */
  readonly sizes: readonly PageSize[]
  /** By page: letters that it has already. */
  readonly letters: readonly number[]
  /** Those to be read, counted from 1. */
  readonly pages: readonly number[]
  readonly how: OcrManner
}

/** What `split` has looked into, for `runOcr` when it was not split. */
const scansBefore = new WeakMap<InputFile, Scans>()

async function scansOf(work: EngineWork, tools: Tools): Promise<Scans> {
  const [input] = work.inputs
  if (!input) throw new Error('ocr was called without an input.')
  const scans =
    scansBefore.get(input) ??
    (await (work.from === 'pdf' ? scansOfPdf(input, work, tools) : scansOfPicture(input, work, tools)))
  scansBefore.set(input, scans)
  return scans
}

async function scansOfPdf(input: InputFile, { options }: EngineWork, tools: Tools): Promise<Scans> {
  const { password, ...how } = PdfOptions.parse(options)
  const { path, encrypted, sizes } = await openEditable(input, password, tools)
  const letters = await lettersByPage(path, tools)
  const pages = letters.flatMap((count, index) => (hasText(count) ? [] : [index + 1]))
  return { path, encrypted, sizes, letters, pages, how }
}

async function scansOfPicture(input: InputFile, { options }: EngineWork, tools: Tools): Promise<Scans> {
  const { language } = PictureOptions.parse(options)
  const { path, dpi } = await pictureAsPdf(input, tools)
  const { sizes } = await openPdf(path, undefined, tools)
  // Tesseract reads best from 300 dpi on (its "ImproveQuality"); enlarging what is almost that only takes time.
  const enlarged = dpi < 250 ? { oversample: 300 } : {}
  const pages = sizes.map((_, index) => index + 1)
  return { path, encrypted: false, sizes, letters: [], pages, how: { language, deskew: false, ...enlarged } }
}

/**
 * `details` counts the `pages`, and those of them that were read (`pagesRecognized`).
 * @param shares made by `runOcrShare`: all pages that need it were read already.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, FILE_TOO_LARGE, CONVERSION_FAILED (a signed PDF).
 */
export async function runOcr(
  work: EngineWork,
  tools: Tools,
  shares?: readonly ChunkResult[],
): Promise<EngineResult> {
  const scans = await scansOf(work, tools)
  const { encrypted, sizes, letters, pages, how } = scans
  if (encrypted) tools.warn('ENCRYPTION_REMOVED', 'The PDF was protected; the result is not.')
  if (pages.length === 0)
    tools.warn('TEXT_PRESENT', 'Every page has text already, so nothing was recognized.')
  const onPage = (done: number) => tools.progress((done / pages.length) * 0.9, 'ocr')
  const kept = shares?.flatMap(({ files }) => files.map((file) => file.path))
  const { path, read } =
    pages.length === 0
      ? { path: scans.path, read: [] }
      : await recognize({ path: scans.path, pages, ...how, onPage, ...(kept && { kept }) }, tools)
  const searchable = { path, pages: sizes.length, letters, recognized: pages }
  const file = await targetOf(work, searchable, tools)
  tools.progress(1)
  const pagesRecognized = shares ? shares.reduce((sum, share) => sum + readIn(share), 0) : read.length
  return { files: [file], details: { pages: sizes.length, pagesRecognized } }
}

const readIn = ({ details }: ChunkResult) => Number(details?.['pagesRecognized'])

/** Undefined where one worker reads all pages. */
export async function splitOcr(
  work: EngineWork,
  tools: Tools,
  crew: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  if (!mayShareOcr(crew)) return undefined
  const { path, sizes, pages, how } = await scansOf(work, tools)
  const runs = sharesOfOcr({ sizes, pages, language: how.language }, crew)
  return runs && cutForOcr(path, runs, how, tools)
}

/** Of `splitOcr`: reads some of the pages, and keeps them for `runOcr`. */
export async function runOcrShare(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('A share of pages came without its file.')
  const { numbers, how } = OcrShare.parse(work.chunk)
  const path = join(work.outDir, 'pages.zip')
  const pages = numbers.map((_, index) => index + 1)
  const onPage = (done: number) => tools.progress(done / pages.length, 'ocr')
  const read = await keepRecognized({ path: input.path, pages, ...how, onPage }, { numbers, path }, tools)
  return { files: [{ path, format: 'zip' }], details: { pagesRecognized: read.length } }
}

/** A PDF whose pages all have text. */
interface Searchable {
  readonly path: string
  readonly pages: number
  /** By page: letters that it had before. */
  readonly letters: readonly number[]
  /** Counted from 1. */
  readonly recognized: readonly number[]
}

async function targetOf(
  { to, outDir }: EngineWork,
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
      const { flowDocx } = await import('./docx/flowing-layout.ts')
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
