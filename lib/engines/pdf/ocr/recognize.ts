import { readdir, readFile, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { pythonProgram } from '../../sandbox/python.ts'
import { formatPageRange } from '../page-range.ts'
import { toPdfError } from '../qpdf.ts'
import { fixTextLayers } from './fix-text-layers.ts'
import { tesseractLanguages } from './languages.ts'
import { warnPagesWithoutText } from './pages-without-text.ts'

/** How pages are read; JSON, which a record keeps for whoever reads some of them. */
export interface OcrSettings {
  /** As `ocrLanguage` gives it: `eng+chi-sim`. */
  readonly language: string
  /** Turns crooked pages straight, which encodes their pictures anew. */
  readonly deskew: boolean
  /** Pixels per inch that small pictures are enlarged to before they are read. */
  readonly oversample?: number
}

/** What is to be read. */
export interface OcrRequest extends OcrSettings {
  /** Needs no password and restricts nothing. */
  readonly path: string
  /** Counted from 1; those that have text already are left as they are, unless it is of no use. */
  readonly pages: readonly number[]
  /** Pages that have text are read by their looks and become pictures, too. */
  readonly isForced?: boolean
  /** Seconds after which a page is left without text, which a warning tells. */
  readonly pageTimeoutS?: number
  /** Told how many pages are done, as far as that can be seen. */
  onPage(done: number): void
}

/** Twenty times what a page full of text takes. */
const defaultPageTimeoutS = 120

/** Letters from which on a page counts as one with text: scanners stamp their name on pictures. */
const minCharacters = 12

/** How many letters and digits each page has, in the order of the pages. @throws AppError CORRUPT_FILE. */
export async function countCharactersByPage(path: string, tools: Tools): Promise<number[]> {
  const text = join(tools.workDir, 'letters.txt')
  try {
    await tools.exec('pdftotext', ['-q', '-enc', 'UTF-8', '-eol', 'unix', path, text])
  } catch (error) {
    throw toPdfError(error)
  }
  const pages = (await readFile(text, 'utf8')).split('\f').slice(0, -1)
  await rm(text)
  return pages.map((page) => page.match(/[\p{L}\p{N}]/gu)?.length ?? 0)
}

export const hasText = (characters: number) => characters >= minCharacters

/** Whose lines run to the left, and whose words have no spaces: see `layer.ts`. */
const languagesToFix = /ara|jpn|chi/

/**
 * Puts the text of pictures behind them.
 * @param request `kept` are archives of `keepRecognized`, of which all is taken: no page is read again.
 * @returns the path of the new PDF, and the pages that were read, not those that were given up.
 * @throws AppError CORRUPT_FILE, CONVERSION_FAILED (a signed PDF), FILE_TOO_LARGE.
 */
export async function recognize(
  request: OcrRequest & { readonly keptArchives?: readonly string[] },
  tools: Tools,
): Promise<{ path: string; read: readonly number[] }> {
  const { pages, language, isForced = false, keptArchives: kept } = request
  const out = join(tools.workDir, isForced ? 'looked-at.pdf' : 'recognized.pdf')
  const chunkArgs = kept && pluginArgs(kept.flatMap((archive) => ['--kept-pages', archive]))
  const read = await runOcrmypdf(request, { args: chunkArgs ?? [], type: 'pdf', out }, tools)
  if (languagesToFix.test(language)) await fixTextLayers(out, pages, tools)
  return { path: out, read }
}

/**
 * Reads the pages of a PDF that has some of those of another one, and keeps what it made of them in an archive.
 * @param numbers of its pages in the other one.
 * @returns those of its pages that were read.
 * @throws as `recognize`.
 */
export async function recognizeChunk(
  request: OcrRequest,
  { documentPages, path }: { readonly documentPages: readonly number[]; readonly path: string },
  tools: Tools,
): Promise<readonly number[]> {
  const args = pluginArgs(['--keep-pages', path, '--numbers', documentPages.join(',')])
  return runOcrmypdf(request, { args, type: 'none', out: '-', documentPages }, tools)
}

const plugin = pythonProgram('pdf/shared_pages.py')

const pluginArgs = (args: readonly string[]) => ['--plugin', plugin.path, ...args]

interface OcrmypdfRun {
  readonly args: readonly string[]
  readonly type: 'pdf' | 'none'
  readonly out: string
  /** Of its pages in the document, where it has only some of them. */
  readonly documentPages?: readonly number[]
}

async function runOcrmypdf(
  request: OcrRequest,
  { args, type, out, documentPages: numbers }: OcrmypdfRun,
  tools: Tools,
): Promise<readonly number[]> {
  const { path, pages, language, deskew, oversample, isForced, pageTimeoutS: pageTakesS = defaultPageTimeoutS } = request
  const allArgs = [
    ...(isForced ? ['--force-ocr'] : ['--skip-text', '--rotate-pages']),
    ...['--output-type', type, '--optimize', '1'],
    ...(deskew ? ['--deskew'] : []),
    ...(oversample === undefined ? [] : ['--oversample', String(oversample)]),
    // Larger pictures are plans and maps, which take minutes and hold little text.
    ...['--skip-big', '150', '--max-image-mpixels', '400'],
    ...['--jobs', String(availableParallelism()), '--tesseract-timeout', String(pageTakesS)],
    ...['--language', tesseractLanguages(language), '--pages', formatPageRange(pages)],
    ...args,
  ]
  const stopWatching = watchPages(request, tools)
  try {
    // It reads a page on each core; threads of Tesseract besides would only wait for each other.
    const env = { OMP_THREAD_LIMIT: '1' }
    const { stderr } = await tools.exec('ocrmypdf', [...allArgs, path, out], {
      env,
      readOnly: args.length > 0 ? plugin.readOnly : [],
    })
    const withoutText = warnPagesWithoutText(stderr, { seconds: pageTakesS, numbers }, tools)
    return pages.filter((page) => !withoutText.includes(page))
  } catch (error) {
    throw toOcrError(error)
  } finally {
    stopWatching()
  }
}

/** It tells no progress where there is no terminal; but each page that is done leaves a file. */
function watchPages({ onPage, pages }: OcrRequest, tools: Tools): () => void {
  let lastReported = 0
  let isStopped = false
  const count = async () => {
    const names = await readdir(tools.workDir)
    const folder = names.find((name) => name.startsWith('ocrmypdf.io.'))
    if (folder === undefined) return
    const fileNames = await readdir(join(tools.workDir, folder))
    const done = Math.min(pages.length, fileNames.filter((name) => /_ocr_(tess|hocr)\.pdf$/.test(name)).length)
    if (isStopped || done <= lastReported) return
    lastReported = done
    onPage(done)
  }
  // The folder may be gone at any moment: then the end is near, and there is nothing to tell.
  const timer = setInterval(() => void count().catch(() => undefined), 500)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}

function toOcrError(error: unknown): unknown {
  if (!(error instanceof ProcessFailure)) return error
  if (/signature/i.test(error.stderr)) {
    const sentence = 'The PDF is signed: recognizing its text would break the signature.'
    return new AppError('CONVERSION_FAILED', sentence, { reason: 'signed' }, { cause: error })
  }
  const sentence =
    'The text of the pages could not be read: the PDF is damaged. Try toolOperation=repair-pdf first.'
  return new AppError('CORRUPT_FILE', sentence, { hint: 'toolOperation=repair-pdf' }, { cause: error })
}
