import { AppError } from '../../../errors.ts'
import { createPdfMustBeDecryptedError } from '../../../formats/locked-pdf.ts'
import { describePages } from '../../../model/warning-details.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../../engine.ts'
import { progressWithin } from '../../sandbox/progress.ts'
import { downscaleFineImages } from '../ocr/downscale.ts'
import { countCharactersByPage, hasText, recognizeText } from '../ocr/recognize.ts'
import type { DocumentInfo } from '../open-pdf.ts'
import { formatPageRange, resolvePages } from '../page-range.ts'
import { openEditable } from '../tools/editable-pdf.ts'
import { flattenAnnotations } from '../tools/flatten.ts'
import type { DocxRequest } from './docx-request.ts'
import { DocxOptions } from './options.ts'
import type { ParseSource } from './parse-pages.ts'

/** Maximum number of scanned pages that are read by OCR, as the specification requires. */
const maxScannedPages = 50
/** If at least this proportion of the pages has no text, the document counts as scanned. */
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
  const { documentInfo, pagesRecognized, ...source } = await openReadablePdf(work, options, tools)
  if (options.embedFonts) {
    tools.warn('FONTS_NOT_EMBEDDED', 'The document names the fonts of the PDF but does not embed them.')
  }
  const request: DocxRequest = {
    ...source,
    documentInfo,
    outDir: work.outDir,
    isFixedLayout:
      options.layout === 'exact' || (options.layout === undefined && options.preserveLayout === true),
  }
  // Imported on demand: the docx library is large, and the planner and the API never need it.
  const { buildDocx } = await import('./build-docx.ts')
  const result = await buildDocx(request, progressWithin(tools, pagesRecognized ? 0.8 : 0, 1))
  tools.progress(1)
  const recognizedPages = new Set([...(pagesRecognized ?? []), ...result.pagesRecognized])
  warnAboutOcr([...recognizedPages], tools)
  return {
    files: [{ path: result.file }],
    details: { pages: source.pages.length, pagesRecognized: recognizedPages.size },
  }
}

/** Warns that text was read from images and may contain mistakes. */
export function warnAboutOcr(pages: readonly number[], tools: Tools): void {
  if (pages.length === 0) return
  const pageList = formatPageRange([...pages].sort((a, b) => a - b))
  tools.warn(
    'OCR_USED',
    `The text of these pages was read from their images (OCR): ${pageList}. Check the text for errors.`,
    describePages(pages, pageList),
  )
}

/** A PDF with a text layer, added by OCR if it was a scan. */
interface ReadablePdf extends ParseSource {
  /** Pages read by OCR; undefined when OCR did not run. */
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
  const openedPdf = await openEditable(input, undefined, tools).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'PDF_ENCRYPTED'
      ? createPdfMustBeDecryptedError(error)
      : error
  })
  const pages = resolvePages(options.pages ?? options.pageRange, openedPdf.sizes.length)
  // Values of form fields are part of the text.
  const flattenedPath = openedPdf.hasForm ? await flattenAnnotations(openedPdf, tools) : openedPdf.path
  const readablePath = await addMissingText(flattenedPath, pages, options, tools)
  const language = options.mode === 'fast' ? undefined : chooseOcrLanguage(options)
  return {
    ...readablePath,
    pages,
    language,
    maxRecognized: maxScannedPages,
    documentInfo: openedPdf.documentInfo,
  }
}

const chooseOcrLanguage = ({ language, ocrLanguage }: ReadOptions) => language ?? ocrLanguage ?? 'eng'

/** Adds a text layer to scanned documents; single scanned pages among text pages are handled later. */
async function addMissingText(
  path: string,
  pages: readonly number[],
  options: ReadOptions,
  tools: Tools,
): Promise<Omit<ParseSource, 'pages' | 'language' | 'maxRecognized'> & Pick<ReadablePdf, 'pagesRecognized'>> {
  const { mode } = options
  const characterCounts = await countCharactersByPage(path, tools)
  const source = { path, characterCounts, uncertainPages: new Set<number>() }
  const uniquePages = [...new Set(pages)]
  const scannedPages = uniquePages.filter((page) => !hasText(characterCounts[page - 1] ?? 0))
  if (scannedPages.length === 0 || scannedPages.length < uniquePages.length * minEmptyRatio)
    return { ...source, pagesTried: [] }
  if (mode === 'fast' || scannedPages.length > maxScannedPages) {
    const reason = mode === 'fast' ? 'mode is fast' : `OCR is limited to ${maxScannedPages} pages`
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      `${scannedPages.length} pages are images of text, which was not read because ${reason}. Use toolOperation=ocr-pdf first.`,
    )
    return { ...source, pagesTried: scannedPages }
  }
  const onPage = (donePages: number) => tools.progress((donePages / scannedPages.length) * 0.8, 'ocr')
  const ocrRequest = { pages: scannedPages, language: chooseOcrLanguage(options), deskew: true, onPage }
  try {
    const {
      path: readablePath,
      recognizedPageNumbers,
      uncertainPages,
    } = await recognizeText({ ...ocrRequest, path: await downscaleFineImages(path, tools) }, tools)
    return {
      path: readablePath,
      characterCounts,
      pagesTried: scannedPages,
      uncertainPages,
      pagesRecognized: recognizedPageNumbers,
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'TIMEOUT') throw error
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      'The text of the pages could not be read, so the document contains images of them.',
    )
    return { ...source, pagesTried: scannedPages }
  }
}
