import * as z from 'zod'
import { AppError } from '../../errors.ts'

const page = '(?:\\d{1,6}|last)'
const grammar = new RegExp(
  `^\\s*${page}(?:\\s*-\\s*${page})?(?:\\s*,\\s*${page}(?:\\s*-\\s*${page})?)*\\s*$`,
  'i',
)
const maxListed = 20_000

export const pageRange = z
  .string()
  .max(20_000)
  .regex(grammar, 'Expected page numbers and ranges, as 1-5,10,15-last.')
  .describe('Pages to take, as 1-5,10,15-last. A range may run backward. All when left out.')

/** The pages that a range names, in its order. @throws AppError INVALID_INPUT for a page that is not there. */
export function pagesOf(range: string | undefined, count: number): number[] {
  if (range === undefined) return Array.from({ length: count }, (_, index) => index + 1)
  const pages: number[] = []
  for (const part of range.split(',')) {
    const [first = 1, last = first] = part.split('-').map((text) => numberOf(text, count))
    const step = first <= last ? 1 : -1
    for (let page = first; page !== last + step; page += step) pages.push(page)
    if (pages.length > maxListed) throw invalid(`pages: at most ${maxListed} pages can be listed.`)
  }
  return pages
}

/** Pages that follow each other, in the order of the list: a program takes each run of them at once. */
export function runsOf(pages: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const page of pages) {
    const run = runs.at(-1)
    if (run && run[1] === page - 1) run[1] = page
    else runs.push([page, page])
  }
  return runs
}

/** `1-3,7` for 7, 1, 2 and 3. */
export function rangesOf(pages: readonly number[]): string {
  const runs = runsOf([...new Set(pages)].sort((a, b) => a - b))
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',')
}

function numberOf(text: string, count: number): number {
  const word = text.trim().toLowerCase()
  const page = word === 'last' ? count : Number(word)
  if (page >= 1 && page <= count) return page
  throw invalid(`pages: page ${word} was asked for, but the document has the pages 1 to ${count}.`)
}

function invalid(sentence: string): AppError {
  return new AppError('INVALID_INPUT', sentence, { field: 'pages' })
}
