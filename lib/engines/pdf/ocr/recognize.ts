import { readdir, readFile, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { locatePythonProgram } from '../../sandbox/python.ts'
import { formatPageRange } from '../page-range.ts'
import { toPdfError } from '../qpdf.ts'
import { fixTextLayers } from './fix-text-layers.ts'
import { toTesseractLanguages } from './languages.ts'
import { warnAboutPagesWithoutText } from './pages-without-text.ts'
import {
  createKeepOutputArgs,
  findOcrFolder,
  findUncertainPages,
  takeRecognizedPages,
  warnAboutUncertainWords,
} from './tesseract-output.ts'

/** How to read pages; stored as JSON in the record of a chunk. */
export interface OcrSettings {
  /** Language in the notation of `ocrLanguage`: `eng+chi-sim`. */
  readonly language: string
  /** Whether to straighten skewed pages, which re-encodes their images. */
  readonly deskew: boolean
  /** Resolution in pixels per inch to which small images are enlarged before reading. */
  readonly oversample?: number
}

/** Pages to read and how to read them. */
interface OcrRequest extends OcrSettings {
  /** Path of a PDF without a password or restrictions. */
  readonly path: string
  /** Numbers of the pages, counted from 1. Pages that already have text are left unchanged unless `isForced` is set. */
  readonly pages: readonly number[]
  /** Whether to read pages from their image even if they have text, and to turn them into images. */
  readonly isForced?: boolean
  /** Seconds after which a page is left without text and reported in a warning. */
  readonly pageTimeoutS?: number
  /** Called with the number of finished pages, if it is known. */
  onPage(donePages: number): void
}

interface Reading {
  /** The pages that were read, without those that timed out. */
  readonly recognizedPageNumbers: readonly number[]
  /** Pages on which Tesseract is not confident of most words. */
  readonly uncertainPages: ReadonlySet<number>
  /** The text of each page, line by line. */
  readonly texts: ReadonlyMap<number, string>
}

/** Default of `pageTimeoutS`: twenty times as long as a page full of text takes. */
const defaultPageTimeoutS = 120

/** A page with fewer characters does not count as text: scanners stamp their name on images. */
const minCharacters = 12

/** Counts the alphanumeric characters of each page. @throws AppError CORRUPT_FILE. */
export async function countCharactersByPage(path: string, tools: Tools): Promise<number[]> {
  const textPath = join(tools.workDir, 'characters.txt')
  try {
    await tools.exec('pdftotext', ['-q', '-enc', 'UTF-8', '-eol', 'unix', path, textPath])
  } catch (error) {
    throw toPdfError(error)
  }
  const pages = (await readFile(textPath, 'utf8')).split('\f').slice(0, -1)
  await rm(textPath)
  return pages.map((page) => page.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
}

export const hasText = (characters: number) => characters >= minCharacters

/**
 * Languages whose words must be fixed in every text layer (see `text-layer.ts`): those that are written from right to
 * left or without spaces between words.
 */
export const languagesToFixPattern = /ara|jpn|chi/

/**
 * Adds a text layer behind the images of pages.
 * @param request `keptArchives` are archives of `recognizeChunk` that contain all results, so no page is read again.
 * @returns the path of the new PDF, and what was read.
 * @throws AppError CORRUPT_FILE, CONVERSION_FAILED (a signed PDF), FILE_TOO_LARGE.
 */
export async function recognizeText(
  request: OcrRequest & { readonly keptArchives?: readonly string[] },
  tools: Tools,
): Promise<Reading & { readonly path: string }> {
  const { pages, language, isForced = false, keptArchives } = request
  const outputPath = join(tools.workDir, isForced ? 'looked-at.pdf' : 'recognized.pdf')
  const chunkArgs =
    keptArchives && createPluginArgs(keptArchives.flatMap((archive) => ['--kept-pages', archive]))
  const isKept = chunkArgs !== undefined
  const reading = await runOcrmypdf(
    request,
    { args: chunkArgs ?? [], type: 'pdf', outputPath, isKept },
    tools,
  )
  await fixTextLayers(outputPath, pages, tools).catch((error: unknown) => {
    // Most text can be found without the fix.
    if (languagesToFixPattern.test(language) || !isTooLarge(error)) throw error
  })
  return { path: outputPath, ...reading }
}

/**
 * Reads the pages of a chunk's PDF and stores the results in an archive.
 * @param documentPages for each page of that PDF, its number in the whole document.
 * @returns the pages of that PDF that were read.
 * @throws the same errors as `recognizeText`.
 */
export async function recognizeChunk(
  request: OcrRequest,
  { documentPages, path }: { readonly documentPages: readonly number[]; readonly path: string },
  tools: Tools,
): Promise<readonly number[]> {
  const args = createPluginArgs(['--keep-pages', path, '--numbers', documentPages.join(',')])
  const { recognizedPageNumbers } = await runOcrmypdf(
    request,
    { args, type: 'none', outputPath: '-', documentPages },
    tools,
  )
  return recognizedPageNumbers
}

const isTooLarge = (error: unknown) => error instanceof AppError && error.code === 'FILE_TOO_LARGE'

const plugin = locatePythonProgram('pdf/shared_pages.py')

const createPluginArgs = (args: readonly string[]) => ['--plugin', plugin.path, ...args]

interface OcrmypdfRun {
  readonly args: readonly string[]
  readonly type: 'pdf' | 'none'
  readonly outputPath: string
  /** Set for a chunk: for each page of its PDF, the number in the whole document. */
  readonly documentPages?: readonly number[]
  /** Whether the text of all pages was kept from an earlier run. */
  readonly isKept?: boolean
}

/**
 * Minimum confidence of Tesseract in the orientation of a page. Only pages full of text reach OCRmyPDF's default of 14;
 * notes of two lines have 1 to 3, and their orientation is right.
 */
const minOrientationConfidence = 1

async function runOcrmypdf(
  request: OcrRequest,
  { args, type, outputPath, documentPages, isKept = false }: OcrmypdfRun,
  tools: Tools,
): Promise<Reading> {
  const { path, pages, language, deskew, oversample, isForced, pageTimeoutS = defaultPageTimeoutS } = request
  const allArgs = [
    isForced ? '--force-ocr' : '--skip-text',
    ...['--rotate-pages', '--rotate-pages-threshold', String(minOrientationConfidence)],
    ...['--output-type', type, '--optimize', '1'],
    ...(deskew ? ['--deskew'] : []),
    ...(oversample === undefined ? [] : ['--oversample', String(oversample)]),
    // Skips larger images: plans and maps, which take minutes and contain little text.
    ...['--skip-big', '150', '--max-image-mpixels', '400'],
    ...['--jobs', String(availableParallelism()), '--tesseract-timeout', String(pageTimeoutS)],
    ...['--language', toTesseractLanguages(language), '--pages', formatPageRange(pages)],
    ...(await createKeepOutputArgs(tools)),
    ...args,
  ]
  const stopWatching = watchPages(request, tools)
  try {
    // OCRmyPDF reads one page per core; additional Tesseract threads would only wait for each other.
    const env = { OMP_THREAD_LIMIT: '1' }
    const { stderr } = await tools.exec('ocrmypdf', [...allArgs, path, outputPath], {
      env,
      readOnly: args.length > 0 ? plugin.readOnly : [],
    })
    const pagesWithoutText = warnAboutPagesWithoutText(
      stderr,
      { seconds: pageTimeoutS, documentPages },
      tools,
    )
    const recognizedPages = await takeRecognizedPages(tools)
    warnAboutUncertainWords(recognizedPages, documentPages, tools)
    const texts = recognizedPages.flatMap(({ page, text }) =>
      text === undefined ? [] : [[page, text] as const],
    )
    // OCRmyPDF skips pages with little text, such as a page number.
    const readPages = new Set(isKept ? pages : recognizedPages.map(({ page }) => page))
    const recognizedPageNumbers = pages.filter(
      (page) => readPages.has(page) && !pagesWithoutText.includes(page),
    )
    return {
      recognizedPageNumbers,
      uncertainPages: findUncertainPages(recognizedPages),
      texts: new Map(texts),
    }
  } catch (error) {
    throw toOcrError(error)
  } finally {
    stopWatching()
    await takeRecognizedPages(tools)
  }
}

/** Counts the files that finished pages leave, because OCRmyPDF reports no progress without a terminal. */
function watchPages({ onPage, pages }: OcrRequest, tools: Tools): () => void {
  let lastReported = 0
  let isStopped = false
  const count = async () => {
    const folder = await findOcrFolder(tools)
    if (folder === undefined) return
    const fileNames = await readdir(folder)
    const donePages = Math.min(
      pages.length,
      fileNames.filter((name) => /_ocr_(tess|hocr)\.pdf$/.test(name)).length,
    )
    if (isStopped || donePages <= lastReported) return
    lastReported = donePages
    onPage(donePages)
  }
  // The folder may disappear at any time: then OCR is nearly finished and there is nothing to report.
  const timer = setInterval(() => void count().catch(() => undefined), 500)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

function toOcrError(error: unknown): unknown {
  if (!(error instanceof ProcessFailure)) return error
  if (/signature/i.test(error.stderr)) {
    const message = 'The PDF is signed: adding a text layer would invalidate the signature.'
    return new AppError('CONVERSION_FAILED', message, { reason: 'signed' }, { cause: error })
  }
  const message =
    'The text of the pages could not be read: the PDF is damaged. Try toolOperation=repair-pdf first.'
  return new AppError('CORRUPT_FILE', message, { hint: 'toolOperation=repair-pdf' }, { cause: error })
}
