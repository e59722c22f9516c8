import { AppError } from '../../../errors.ts'
import { decryptFirst } from '../../../formats/locked-pdf.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../../engine.ts'
import { progressWithin } from '../../sandbox/progress.ts'
import { downscaleFineImages } from '../ocr/downscale.ts'
import { countCharactersByPage, hasText, recognize } from '../ocr/recognize.ts'
import type { DocumentInfo } from '../open-pdf.ts'
import { resolvePages } from '../page-range.ts'
import { openEditable } from '../tools/editable-pdf.ts'
import { flattenAnnotations } from '../tools/flatten.ts'
import type { DocxRequest } from './docx-request.ts'
import { DocxOptions } from './options.ts'
import type { ParseSource } from './parse-pages.ts'

/** The interface: "OCR runs first, for up to 50 pages". */
const maxScannedPages = 50
/** Of the pages, from which on the text layer is effectively empty. */
const minEmptyRatio = 0.8

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
  const { documentInfo, pagesRecognized: read, ...source } = await openReadablePdf(work, options, tools)
  if (options.embedFonts) {
    tools.warn(
      'FONTS_NOT_EMBEDDED',
      'The fonts of the PDF are named in the document, but not embedded in it.',
    )
  }
  const request: DocxRequest = {
    ...{ ...source, documentInfo, outDir: work.outDir },
    isFixedLayout:
      options.layout === 'exact' || (options.layout === undefined && options.preserveLayout === true),
  }
  // Loaded when it is wanted: the writer is large, and the planner and the API never need it.
  const { buildDocx: rebuild } = await import('./build-docx.ts')
  const result = await rebuild(request, progressWithin(tools, read ? 0.8 : 0, 1))
  tools.progress(1)
  const recognized = new Set([...(read ?? []), ...result.pagesRecognized])
  return {
    files: [{ path: result.file }],
    details: { pages: source.pages.length, pagesRecognized: recognized.size },
  }
}

/** A PDF whose pages are text, as far as they are all pictures of it. */
interface ReadablePdf extends ParseSource {
  /** Those whose pictures were read, of those that were tried; undefined where none was. */
  readonly pagesRecognized?: readonly number[]
  readonly documentInfo: DocumentInfo
}

type ReadOptions = Pick<DocxOptions, 'pages' | 'language' | 'mode'> & Partial<DocxOptions>

/** @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT. */
export async function openReadablePdf(
  work: EngineWork,
  options: ReadOptions,
  tools: Tools,
): Promise<ReadablePdf> {
  const [input] = work.inputs
  if (!input) throw new Error('pdf was called without an input.')
  const opened = await openEditable(input, undefined, tools).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'PDF_ENCRYPTED' ? decryptFirst(error) : error
  })
  const pages = resolvePages(options.pages ?? options.pageRange, opened.sizes.length)
  // What was filled into a form is part of its text.
  const filled = opened.hasForm ? await flattenAnnotations(opened, tools) : opened.path
  const readable = await addMissingText(filled, pages, options, tools)
  const language = options.mode === 'fast' ? undefined : ocrLanguageFrom(options)
  return { ...readable, pages, language, maxRecognized: maxScannedPages, documentInfo: opened.documentInfo }
}

const ocrLanguageFrom = ({ language, ocrLanguage }: ReadOptions) => language ?? ocrLanguage ?? 'eng'

/** Reads the text of a document of scans before anything else; single ones among pages of text are found later. */
async function addMissingText(
  path: string,
  pages: readonly number[],
  options: ReadOptions,
  tools: Tools,
): Promise<Pick<ReadablePdf, 'path' | 'characterCounts' | 'pagesTried' | 'pagesRecognized'>> {
  const { mode } = options
  const characterCounts = await countCharactersByPage(path, tools)
  const uniquePages = [...new Set(pages)]
  const scans = uniquePages.filter((page) => !hasText(characterCounts[page - 1] ?? 0))
  if (scans.length === 0 || scans.length < uniquePages.length * minEmptyRatio)
    return { path, characterCounts, pagesTried: [] }
  if (mode === 'fast' || scans.length > maxScannedPages) {
    const reason = mode === 'fast' ? 'mode is fast' : `text is read on up to ${maxScannedPages} pages`
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      `${scans.length} pages hold pictures of text, which was not read because ${reason}. Use toolOperation=ocr-pdf first.`,
    )
    return { path, characterCounts, pagesTried: scans }
  }
  const onPage = (done: number) => tools.progress((done / scans.length) * 0.8, 'ocr')
  const ocrRequest = { pages: scans, language: ocrLanguageFrom(options), deskew: true, onPage }
  try {
    const { path: readable, read } = await recognize(
      { ...ocrRequest, path: await downscaleFineImages(path, tools) },
      tools,
    )
    return { path: readable, characterCounts, pagesTried: scans, pagesRecognized: read }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'TIMEOUT') throw error
    tools.warn('TEXT_MAY_BE_MISSING', 'The text of the pages could not be read, so they are pictures.')
    return { path, characterCounts, pagesTried: scans }
  }
}
