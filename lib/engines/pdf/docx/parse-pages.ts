import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { recognize } from '../ocr/recognize.ts'
import { isReadable, readAgain, withLooks } from './fallback-text.ts'
import { areaOf } from './geometry.ts'
import type { Page, Word } from './page-content.ts'
import { readStructure, type Structure } from './structure.ts'

/** The pages of a PDF that needs no password, and what is known of them. */
export interface Pages {
  readonly path: string
  /** Counted from 1. */
  readonly pages: readonly number[]
  /** How many letters and digits Poppler finds on each page of the file. */
  readonly letters: readonly number[]
  /** Pages whose pictures were looked at already. */
  readonly tried: readonly number[]
  /** As `ocrLanguage` gives it; undefined where pictures are not to be read. */
  readonly language: string | undefined
  /** How many of them may be read from pictures. */
  readonly maxRecognized: number
}

export interface Reading {
  readonly structure: Structure
  /** Shows the pages as they were read. */
  readonly path: string
  /** Pages whose words were read from their looks. */
  readonly recognized: readonly number[]
}

/**
 * Reads pages by MuPDF, those whose fonts it does not understand by Poppler, and by their looks those that nobody
 * understands or that are pictures.
 * @throws ProcessFailure, EngineCrash where MuPDF cannot.
 */
export async function readPages(
  source: Pages,
  tools: Tools,
  onPage: (done: number) => void,
): Promise<Reading> {
  const { path, pages, letters } = source
  const structure = await readStructure(path, pages, tools, onPage)
  const read: Page[] = []
  for (const page of structure.pages) {
    const isMissing = wasMissed(lettersOf(page), letters[page.number - 1] ?? 0)
    read.push(isMissing ? await byPoppler(page, path, tools) : page)
  }
  const reading = { structure: { ...structure, pages: read }, path, recognized: [] }
  const scans = read.filter((page) => isSilent(page) && !source.tried.includes(page.number))
  const riddles = read.filter(isRiddle)
  if (scans.length + riddles.length === 0) return reading
  if (source.language === undefined || scans.length + riddles.length > source.maxRecognized) {
    warn([...scans, ...riddles], tools)
    return reading
  }
  return recognized(reading, scans, riddles, source.language, tools)
}

const count = (words: readonly Word[]) =>
  words.reduce((sum, { text }) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0)
const lettersOf = ({ pieces, turned }: Page) => count(pieces.flat()) + count(turned.flat())

/** Readers differ in what they take for text by a few letters, not by a third. */
export const wasMissed = (read: number, others: number) => others >= 20 && others > read * 1.5

/** Nothing but a picture, or letters that were drawn as lines. */
function isSilent(page: Page): boolean {
  if (page.pieces.length + page.turned.length + page.unread.length > 0) return false
  const area = page.width * page.height
  return (
    page.images.some(({ box }) => areaOf(box) > area * 0.3) ||
    page.vectors.filter(({ rectangle }) => !rectangle).length >= 200
  )
}

/** Letters are there, and most of them nobody can name. */
function isRiddle(page: Page): boolean {
  const marks = page.unread.reduce((sum, { text }) => sum + [...text].length, 0)
  return marks >= 12 && marks > lettersOf(page)
}

async function byPoppler(page: Page, path: string, tools: Tools): Promise<Page> {
  const pieces = await readAgain(path, page, tools)
  const text = pieces.map((words) => words.map((word) => word.text).join(' ')).join('\n')
  return isReadable(text) ? { ...page, pieces, turned: [], unread: [] } : page
}

async function recognized(
  reading: Reading,
  scans: readonly Page[],
  riddles: readonly Page[],
  language: string,
  tools: Tools,
): Promise<Reading> {
  const found = new Map<number, Page>()
  const known = new Set<number>()
  let { path } = reading
  try {
    if (scans.length > 0) {
      const { again, readable, read } = await readRecognized(
        path,
        scans,
        { language, isForced: false },
        tools,
      )
      path = readable
      for (const page of again) found.set(page.number, page)
      for (const number of read) known.add(number)
    }
    if (riddles.length > 0) {
      const { again, read } = await readRecognized(reading.path, riddles, { language, isForced: true }, tools)
      for (const page of again) found.set(page.number, inPlaceOf(riddles, page))
      for (const number of read) known.add(number)
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'TIMEOUT') throw error
    warn([...scans, ...riddles], tools)
    return reading
  }
  const said = [...found.values()].filter((page) => page.pieces.length > 0)
  const pages = reading.structure.pages.map(
    (page) => said.find(({ number }) => number === page.number) ?? page,
  )
  return { structure: { ...reading.structure, pages }, path, recognized: [...known] }
}

async function readRecognized(
  path: string,
  pages: readonly Page[],
  { language, isForced }: { readonly language: string; readonly isForced: boolean },
  tools: Tools,
): Promise<{ again: readonly Page[]; readable: string; read: readonly number[] }> {
  const numbers = pages.map(({ number }) => number)
  const onPage = () => undefined
  const { path: readable, read } = await recognize(
    { path, pages: numbers, language, deskew: !isForced, isForced, onPage },
    tools,
  )
  const { pages: again } = await readStructure(readable, numbers, tools, onPage)
  return { again, readable, read }
}

/** The page as it was, with words that were read from its looks. */
function inPlaceOf(riddles: readonly Page[], found: Page): Page {
  const page = riddles.find(({ number }) => number === found.number)
  if (!page || found.pieces.length === 0) return found
  return { ...page, pieces: withLooks(found.pieces, page), turned: [], unread: [] }
}

function warn(pages: readonly Page[], tools: Tools): void {
  const numbers = pages.slice(0, 10).map(({ number }) => number)
  const which = `${numbers.join(', ')}${pages.length > 10 ? ' …' : ''}`
  tools.warn(
    'TEXT_MAY_BE_MISSING',
    `${pages.length} pages hold text that can only be seen (${which}). Use toolOperation=ocr-pdf first to read it.`,
  )
}
