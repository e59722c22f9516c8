import { AppError } from '../../../errors.ts'
import { decryptFirst } from '../../../formats/locked-pdf.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../../engine.ts'
import { progressWithin } from '../../sandbox/progress.ts'
import { coarser } from '../ocr/downscale.ts'
import { hasText, lettersByPage, recognize } from '../ocr/recognize.ts'
import type { PdfAbout } from '../open-pdf.ts'
import { pagesOf } from '../page-range.ts'
import { openEditable } from '../tools/editable-pdf.ts'
import { flattened } from '../tools/flatten.ts'
import type { Writing } from './docx-request.ts'
import { DocxOptions } from './options.ts'
import type { Pages } from './parse-pages.ts'

/** The interface: "OCR runs first, for up to 50 pages". */
const maxScannedPages = 50
/** Of the pages, from which on the text layer is effectively empty. */
const emptyShare = 0.8

export const docxCapability: Capability = {
  operation: 'convert',
  from: ['pdf'],
  to: ['docx'],
  options: DocxOptions,
  cost: 1,
}

/** @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT. */
export async function pdfToDocx(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const options = DocxOptions.parse(work.options)
  const { about, read, ...source } = await readablePdf(work, options, tools)
  if (options.embedFonts) {
    tools.warn(
      'FONTS_NOT_EMBEDDED',
      'The fonts of the PDF are named in the document, but not embedded in it.',
    )
  }
  const writing: Writing = {
    ...{ ...source, about, outDir: work.outDir },
    exact: options.layout === 'exact' || (options.layout === undefined && options.preserveLayout === true),
  }
  // Loaded when it is wanted: the writer is large, and the planner and the API never need it.
  const { rebuild } = await import('./build-docx.ts')
  const written = await rebuild(writing, progressWithin(tools, read ? 0.8 : 0, 1))
  tools.progress(1)
  const recognized = new Set([...(read ?? []), ...written.recognized])
  return {
    files: [{ path: written.file }],
    details: { pages: source.pages.length, pagesRecognized: recognized.size },
  }
}

/** A PDF whose pages are text, as far as they are all pictures of it. */
interface ReadablePdf extends Pages {
  /** Those whose pictures were read, of those that were tried; undefined where none was. */
  readonly read?: readonly number[]
  readonly about: PdfAbout
}

type Reading = Pick<DocxOptions, 'pages' | 'language' | 'mode'> & Partial<DocxOptions>

/** @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT. */
export async function readablePdf(work: EngineWork, options: Reading, tools: Tools): Promise<ReadablePdf> {
  const [input] = work.inputs
  if (!input) throw new Error('pdf was called without an input.')
  const opened = await openEditable(input, undefined, tools).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'PDF_ENCRYPTED' ? decryptFirst(error) : error
  })
  const pages = pagesOf(options.pages ?? options.pageRange, opened.sizes.length)
  // What was filled into a form is part of its text.
  const filled = opened.hasForm ? await flattened(opened, tools) : opened.path
  const readable = await withText(filled, pages, options, tools)
  const language = options.mode === 'fast' ? undefined : languageOf(options)
  return { ...readable, pages, language, maxRecognized: maxScannedPages, about: opened.about }
}

const languageOf = ({ language, ocrLanguage }: Reading) => language ?? ocrLanguage ?? 'eng'

/** Reads the text of a document of scans before anything else; single ones among pages of text are found later. */
async function withText(
  path: string,
  pages: readonly number[],
  options: Reading,
  tools: Tools,
): Promise<Pick<ReadablePdf, 'path' | 'letters' | 'tried' | 'read'>> {
  const { mode } = options
  const letters = await lettersByPage(path, tools)
  const wanted = [...new Set(pages)]
  const scans = wanted.filter((page) => !hasText(letters[page - 1] ?? 0))
  if (scans.length === 0 || scans.length < wanted.length * emptyShare) return { path, letters, tried: [] }
  if (mode === 'fast' || scans.length > maxScannedPages) {
    const why = mode === 'fast' ? 'mode is fast' : `text is read on up to ${maxScannedPages} pages`
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      `${scans.length} pages hold pictures of text, which was not read because ${why}. Use toolOperation=ocr-pdf first.`,
    )
    return { path, letters, tried: scans }
  }
  const onPage = (done: number) => tools.progress((done / scans.length) * 0.8, 'ocr')
  const searchable = { pages: scans, language: languageOf(options), deskew: true, onPage }
  try {
    const { path: readable, read } = await recognize(
      { ...searchable, path: await coarser(path, tools) },
      tools,
    )
    return { path: readable, letters, tried: scans, read }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'TIMEOUT') throw error
    tools.warn('TEXT_MAY_BE_MISSING', 'The text of the pages could not be read, so they are pictures.')
    return { path, letters, tried: scans }
  }
}
