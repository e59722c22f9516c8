import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { recognizeText } from '../ocr/recognize.ts'
import { applyStyles, isReadable, readWithPoppler } from './fallback-text.ts'
import { getArea } from './geometry.ts'
import type { PageContent, Word } from './page-content.ts'
import { type PdfStructure, readStructure } from './structure.ts'

/** A PDF without a password, and information about its pages. */
export interface ParseSource {
  readonly path: string
  /** Numbers of the pages, counted from 1. */
  readonly pages: readonly number[]
  /** Number of alphanumeric characters that Poppler finds on each page of the file. */
  readonly characterCounts: readonly number[]
  /** Pages that OCR has already tried. */
  readonly pagesTried: readonly number[]
  /** Pages on which OCR is not confident of most words. */
  readonly uncertainPages: ReadonlySet<number>
  /** Language in the notation of `ocrLanguage`; undefined when OCR is not allowed. */
  readonly language: string | undefined
  /** Maximum number of pages that OCR may read. */
  readonly maxRecognized: number
}

interface ParsedPages {
  readonly structure: PdfStructure
  /** Path of a PDF that shows the pages as they were parsed. */
  readonly path: string
  /** Pages whose words were read by OCR. */
  readonly pagesRecognized: readonly number[]
}

/**
 * Parses pages with MuPDF, or with Poppler if MuPDF does not understand their fonts. OCR reads the pages whose fonts
 * neither of them understands, and pages that are only images.
 * @throws ProcessFailure, EngineCrash where MuPDF fails.
 */
export async function parsePages(
  source: ParseSource,
  tools: Tools,
  onPage: (donePages: number) => void,
): Promise<ParsedPages> {
  const { path, pages, characterCounts } = source
  const structure = await readStructure(path, pages, tools, onPage)
  const readablePages: PageContent[] = []
  for (const page of structure.pages) {
    const isMissing = isTextMissing(countPageCharacters(page), characterCounts[page.number - 1] ?? 0)
    const readablePage = isMissing ? await reparseWithPoppler(page, path, tools) : page
    readablePages.push(markUncertainText(readablePage, source.uncertainPages))
  }
  const parsedPages = { structure: { ...structure, pages: readablePages }, path, pagesRecognized: [] }
  const scans = readablePages.filter((page) => isImageOnly(page) && !source.pagesTried.includes(page.number))
  const undecodablePages = readablePages.filter(isUndecodable)
  if (scans.length + undecodablePages.length === 0) return parsedPages
  if (source.language === undefined || scans.length + undecodablePages.length > source.maxRecognized) {
    warnAboutMissingText([...scans, ...undecodablePages], tools)
    return parsedPages
  }
  return recognizePages(parsedPages, scans, undecodablePages, source.language, tools)
}

const markUncertainText = (page: PageContent, uncertainPages: ReadonlySet<number>): PageContent =>
  uncertainPages.has(page.number) ? { ...page, isTextUncertain: true } : page

const countCharacters = (words: readonly Word[]) =>
  words.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0)
const countPageCharacters = ({ textSegments, rotatedText }: PageContent) =>
  countCharacters(textSegments.flat()) + countCharacters(rotatedText.flat())

/** Whether MuPDF misses text. Parsers differ by a few characters in what they count as text, not by a third. */
export const isTextMissing = (mupdfCount: number, popplerCount: number) =>
  popplerCount >= 20 && popplerCount > mupdfCount * 1.5

/** Whether the page contains only an image, or text drawn as shapes. */
function isImageOnly(page: PageContent): boolean {
  if (page.textSegments.length + page.rotatedText.length + page.undecodedWords.length > 0) return false
  const area = page.width * page.height
  return (
    page.images.some(({ box }) => getArea(box) > area * 0.3) ||
    page.vectors.filter(({ isRectangle }) => !isRectangle).length >= 200
  )
}

/** Whether the page has text, but most of its characters cannot be decoded. */
function isUndecodable(page: PageContent): boolean {
  const characterCount = page.undecodedWords.reduce((sum, { text }) => sum + [...text].length, 0)
  return characterCount >= 12 && characterCount > countPageCharacters(page)
}

async function reparseWithPoppler(page: PageContent, path: string, tools: Tools): Promise<PageContent> {
  const textSegments = await readWithPoppler(path, page, tools)
  const text = textSegments.map((words) => words.map((word) => word.text).join(' ')).join('\n')
  return isReadable(text) ? { ...page, textSegments, rotatedText: [], undecodedWords: [] } : page
}

async function recognizePages(
  parsedPages: ParsedPages,
  scans: readonly PageContent[],
  undecodablePages: readonly PageContent[],
  language: string,
  tools: Tools,
): Promise<ParsedPages> {
  const replacements = new Map<number, PageContent>()
  const pagesRecognized = new Set<number>()
  let { path } = parsedPages
  try {
    if (scans.length > 0) {
      const { reparsedPages, readablePath, recognizedPageNumbers } = await recognizeAndParse(
        path,
        scans,
        { language, isForced: false },
        tools,
      )
      path = readablePath
      for (const page of reparsedPages) replacements.set(page.number, page)
      for (const number of recognizedPageNumbers) pagesRecognized.add(number)
    }
    if (undecodablePages.length > 0) {
      const { reparsedPages, recognizedPageNumbers } = await recognizeAndParse(
        parsedPages.path,
        undecodablePages,
        { language, isForced: true },
        tools,
      )
      for (const page of reparsedPages) replacements.set(page.number, replaceWords(undecodablePages, page))
      for (const number of recognizedPageNumbers) pagesRecognized.add(number)
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'TIMEOUT') throw error
    warnAboutMissingText([...scans, ...undecodablePages], tools)
    return parsedPages
  }
  const pagesWithText = [...replacements.values()].filter((page) => page.textSegments.length > 0)
  const pages = parsedPages.structure.pages.map(
    (page) => pagesWithText.find(({ number }) => number === page.number) ?? page,
  )
  return { structure: { ...parsedPages.structure, pages }, path, pagesRecognized: [...pagesRecognized] }
}

async function recognizeAndParse(
  path: string,
  pages: readonly PageContent[],
  { language, isForced }: { readonly language: string; readonly isForced: boolean },
  tools: Tools,
): Promise<{
  reparsedPages: readonly PageContent[]
  readablePath: string
  recognizedPageNumbers: readonly number[]
}> {
  const numbers = pages.map(({ number }) => number)
  const onPage = () => undefined
  const {
    path: readablePath,
    recognizedPageNumbers,
    uncertainPages,
  } = await recognizeText({ path, pages: numbers, language, deskew: !isForced, isForced, onPage }, tools)
  const { pages: parsedPages } = await readStructure(readablePath, numbers, tools, onPage)
  const reparsedPages = parsedPages.map((page) => markUncertainText(page, uncertainPages))
  return { reparsedPages, readablePath, recognizedPageNumbers }
}

/** Returns the original page with the words that OCR found. */
function replaceWords(undecodablePages: readonly PageContent[], recognizedPage: PageContent): PageContent {
  const page = undecodablePages.find(({ number }) => number === recognizedPage.number)
  if (!page || recognizedPage.textSegments.length === 0) return recognizedPage
  // OCR has rotated the page, so the other content of the original page does not match the new words.
  if (Math.abs(page.width - recognizedPage.width) > 1) return recognizedPage
  return {
    ...page,
    textSegments: applyStyles(recognizedPage.textSegments, page),
    rotatedText: [],
    undecodedWords: [],
  }
}

function warnAboutMissingText(pages: readonly PageContent[], tools: Tools): void {
  const numbers = pages.slice(0, 10).map(({ number }) => number)
  const pageList = `${numbers.join(', ')}${pages.length > 10 ? ' …' : ''}`
  tools.warn(
    'TEXT_MAY_BE_MISSING',
    `${pages.length} pages contain text that is only visible as an image (${pageList}). Use toolOperation=ocr-pdf first to recognize it.`,
  )
}
