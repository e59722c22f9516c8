import { copyFile, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { defined } from '../../validation/defined.ts'
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
import { canSplitOcr, extractChunkPdfs, OcrChunk, planOcrChunks } from './ocr/chunks.ts'
import { imageToPdf, ocrImageFormats } from './ocr/image-to-pdf.ts'
import { ocrLanguage } from './ocr/languages.ts'
import { normalizeOcrText } from './ocr/normalize-text.ts'
import {
  countCharactersByPage,
  hasText,
  languagesToFixPattern,
  type OcrSettings,
  recognizeChunk,
  recognizeText,
} from './ocr/recognize.ts'
import { openPdf, type PdfPageSize } from './open-pdf.ts'
import { passwordOption } from './page-options.ts'
import { toText } from './text.ts'
import {
  openEditable,
  requireUnsigned,
  warnAboutInvalidSignatures,
  warnAboutLockedAttachments,
} from './tools/editable-pdf.ts'
import { signatureOption } from './tools/options.ts'

const language = ocrLanguage.default('eng')
const ImageOcrOptions = z.object({ language })
const PdfOcrOptions = z.object({
  language,
  deskew: flag().default(false).describe('Straightens skewed pages; their images are re-encoded.'),
  password: passwordOption,
})
const SearchablePdfOptions = PdfOcrOptions.extend(signatureOption)

const textTargets = ['txt', 'docx'] as const
const targets = ['pdf', ...textTargets] as const

/** OCR of PDFs and of images. */
export const ocrCapabilities: readonly Capability[] = [
  { operation: 'ocr-pdf', from: ['pdf'], to: ['pdf'], same: true, options: SearchablePdfOptions, cost: 10 },
  { operation: 'ocr-pdf', from: ['pdf'], to: textTargets, options: PdfOcrOptions, cost: 10 },
  { operation: 'ocr-pdf', from: ocrImageFormats, to: targets, options: ImageOcrOptions, cost: 3 },
  { operation: 'convert', from: ocrImageFormats, to: ['txt', 'docx'], options: ImageOcrOptions, cost: 3 },
]

/** A PDF and the settings for reading its pages. */
interface OcrInput {
  readonly path: string
  /** Whether the source needs a password or has restricted permissions. */
  readonly isEncrypted: boolean
  /** Sizes of all pages. */
  readonly sizes: readonly PdfPageSize[]
  /** Number of characters that each page already has as text. */
  readonly characterCounts: readonly number[]
  /** Pages to read, counted from 1. */
  readonly pages: readonly number[]
  readonly settings: OcrSettings
}

/** Inputs that `split` has opened already, in case `runOcr` follows because the work was not split. */
const ocrInputs = new WeakMap<InputFile, OcrInput>()

async function openForOcr(work: EngineWork, tools: Tools): Promise<OcrInput> {
  const [input] = work.inputs
  if (!input) throw new Error('ocr was called without an input.')
  const ocrInput =
    ocrInputs.get(input) ??
    (await (work.from === 'pdf' ? openPdfForOcr(input, work, tools) : openImageForOcr(input, work, tools)))
  ocrInputs.set(input, ocrInput)
  return ocrInput
}

async function openPdfForOcr(input: InputFile, { to, options }: EngineWork, tools: Tools): Promise<OcrInput> {
  const { password, dropSignatures, ...settings } = SearchablePdfOptions.parse(options)
  const openedPdf = await openEditable(input, password, tools)
  const { path, isEncrypted, sizes } = openedPdf
  if (to === 'pdf') warnAboutLockedAttachments(openedPdf, tools)
  const characterCounts = await countCharactersByPage(path, tools)
  const pages = characterCounts.flatMap((count, index) => (hasText(count) ? [] : [index + 1]))
  if (to === 'pdf' && pages.length > 0) {
    await requireUnsigned([{ source: input.path }], { dropSignatures })
    await warnAboutInvalidSignatures([input.path], tools)
  }
  return { path, isEncrypted, sizes, characterCounts, pages, settings }
}

async function openImageForOcr(input: InputFile, { options }: EngineWork, tools: Tools): Promise<OcrInput> {
  const { language } = ImageOcrOptions.parse(options)
  const { path, dpi } = await imageToPdf(input, tools)
  const { sizes } = await openPdf(path, undefined, tools)
  // Tesseract works best with 300 dpi or more. Enlarging images that are close to that resolution only costs time.
  const oversampleOptions = dpi < 250 ? { oversample: 300 } : {}
  const pages = sizes.map((_, index) => index + 1)
  return {
    path,
    isEncrypted: false,
    sizes,
    characterCounts: [],
    pages,
    settings: { language, deskew: false, ...oversampleOptions },
  }
}

/**
 * Reads the text of pages and writes the target. The `details` count all pages (`pages`) and those that were read
 * (`pagesRecognized`).
 * @param chunks results of `runOcrChunk`, when the pages were read by several workers.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, FILE_TOO_LARGE, CONVERSION_FAILED (a signed PDF).
 */
export async function runOcr(
  work: EngineWork,
  tools: Tools,
  chunks?: readonly ChunkResult[],
): Promise<EngineResult> {
  const input = await openForOcr(work, tools)
  const { isEncrypted, sizes, characterCounts, pages, settings } = input
  if (isEncrypted) tools.warn('ENCRYPTION_REMOVED', 'The PDF was encrypted; the result is not.')
  if (pages.length === 0) tools.warn('TEXT_PRESENT', 'Every page has text already, so OCR was skipped.')
  const onPage = (donePages: number) => tools.progress((donePages / pages.length) * 0.9, 'ocr')
  const keptArchives = chunks?.flatMap(({ files }) => files.map((file) => file.path))
  const { path, recognizedPageNumbers, uncertainPages, texts } =
    pages.length === 0
      ? {
          path: input.path,
          recognizedPageNumbers: [],
          uncertainPages: new Set<number>(),
          texts: new Map<number, string>(),
        }
      : await recognizeText(
          { path: input.path, pages, ...settings, onPage, ...defined({ keptArchives }) },
          tools,
        )
  // The text layer is corrected for some scripts. Tesseract's own text is not corrected, so it is not used for them.
  const lines = languagesToFixPattern.test(settings.language) ? new Map<number, string>() : texts
  const searchablePdf = {
    path,
    pages: sizes.length,
    characterCounts,
    recognizedPages: pages,
    uncertainPages,
    lines,
  }
  const file = await writeTarget(work, searchablePdf, tools)
  tools.progress(1)
  const pagesRecognized = chunks
    ? chunks.reduce((sum, chunk) => sum + countRecognizedPages(chunk), 0)
    : recognizedPageNumbers.length
  return { files: [file], details: { pages: sizes.length, pagesRecognized } }
}

const countRecognizedPages = ({ details }: ChunkResult) => Number(details?.['pagesRecognized'])

/** Splits OCR into chunks; returns undefined when one worker should read all pages. */
export async function splitOcr(
  work: EngineWork,
  tools: Tools,
  pool: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  if (!canSplitOcr(pool)) return undefined
  const { path, sizes, pages, settings } = await openForOcr(work, tools)
  const runs = planOcrChunks({ sizes, pages, language: settings.language }, pool)
  return runs && extractChunkPdfs(path, runs, settings, tools)
}

/** Reads one chunk of `splitOcr` and stores the result for `runOcr`. */
export async function runOcrChunk(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('An OCR chunk has no input file.')
  const { numbers, how } = OcrChunk.parse(work.chunk)
  const path = join(work.outDir, 'pages.zip')
  const pages = numbers.map((_, index) => index + 1)
  const onPage = (donePages: number) => tools.progress(donePages / pages.length, 'ocr')
  const recognizedPageNumbers = await recognizeChunk(
    { path: input.path, pages, ...how, onPage },
    { documentPages: numbers, path },
    tools,
  )
  return { files: [{ path, format: 'zip' }], details: { pagesRecognized: recognizedPageNumbers.length } }
}

/** A PDF whose pages all have a text layer. */
interface SearchablePdf {
  readonly path: string
  readonly pages: number
  /** Number of characters that each page had before OCR. */
  readonly characterCounts: readonly number[]
  /** Pages that were read, counted from 1. */
  readonly recognizedPages: readonly number[]
  /** Pages on which OCR is not confident of most words. */
  readonly uncertainPages: ReadonlySet<number>
  /**
   * Text by page number, if Tesseract's lines are known. It is preferred to Poppler's text, because Poppler splits
   * lines with wide gaps into columns.
   */
  readonly lines: ReadonlyMap<number, string>
}

async function writeTarget(
  { to, outDir }: EngineWork,
  { path, pages, characterCounts, recognizedPages, uncertainPages, lines }: SearchablePdf,
  tools: Tools,
): Promise<OutputFile> {
  const allPages = Array.from({ length: pages }, (_, index) => index + 1)
  switch (to) {
    case 'txt': {
      const textFile = await toText(
        { openedPdf: await openPdf(path, undefined, tools), pages: allPages, outDir },
        tools,
      )
      const extractedTexts = (await readFile(textFile.path, 'utf8')).split('\f')
      const pageTexts = extractedTexts.map((page, index) =>
        recognizedPages.includes(index + 1)
          ? normalizeOcrText(lines.get(index + 1)?.replace(/\f$/, '') ?? page)
          : page,
      )
      await writeFile(textFile.path, pageTexts.join('\f'))
      return textFile
    }
    case 'docx': {
      // Imported on demand: the docx library is large.
      const { buildFlowingLayout } = await import('./docx/flowing-layout.ts')
      const { documentInfo } = await openPdf(path, undefined, tools)
      // Disables further OCR, because every page that OCR can recognize has already been read.
      const source = {
        path,
        pages: allPages,
        characterCounts,
        pagesTried: allPages,
        uncertainPages,
        language: undefined,
        maxRecognized: 0,
      }
      const { file } = await buildFlowingLayout(
        { ...source, documentInfo, outDir },
        progressWithin(tools, 0.9, 1),
      )
      return { path: file }
    }
    default: {
      const targetPath = join(outDir, 'output.pdf')
      // Moves a file created by OCR, but copies an input, which must stay where it is.
      await (path.endsWith('recognized.pdf') ? rename(path, targetPath) : copyFile(path, targetPath))
      return { path: targetPath }
    }
  }
}
