import * as z from 'zod'
import { AppError } from '../../errors.ts'

const pagePattern = '(?:\\d{1,6}|last)'
const rangePattern = new RegExp(
  `^\\s*${pagePattern}(?:\\s*-\\s*${pagePattern})?(?:\\s*,\\s*${pagePattern}(?:\\s*-\\s*${pagePattern})?)*\\s*$`,
  'i',
)
const maxPagesListed = 20_000
/** Whether the range does not contain page 0, which does not exist. */
const hasNoPageZero = (range: string) => !/(?:^|[^\d])0+(?:[^\d]|$)/.test(range)

/** Schema of page ranges. In JSON, a single page may also be a number. */
export const pageRange = z
  .preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.stringFormat('pages', rangePattern).max(20_000).refine(hasNoPageZero, 'expected page numbers from 1'),
  )
  .describe(
    'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.',
  )

/**
 * Returns the page numbers that a range names, in its order. @throws AppError INVALID_INPUT for a page that does not
 * exist.
 */
export function resolvePages(range: string | undefined, count: number): number[] {
  if (range === undefined) return Array.from({ length: count }, (_, index) => index + 1)
  const pages: number[] = []
  for (const rangePart of range.split(',')) {
    const [firstPage = 1, lastPage = firstPage] = rangePart
      .split('-')
      .map((text) => parsePageNumber(text, count))
    const step = firstPage <= lastPage ? 1 : -1
    for (let page = firstPage; page !== lastPage + step; page += step) pages.push(page)
    if (pages.length > maxPagesListed)
      throw createInvalidPagesError(`pages: at most ${maxPagesListed} pages can be listed.`, {})
  }
  return pages
}

/** Groups consecutive page numbers, so that a program can process each run in one call. */
export function findConsecutiveRuns(pages: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const page of pages) {
    const run = runs.at(-1)
    if (run && run[1] === page - 1) run[1] = page
    else runs.push([page, page])
  }
  return runs
}

/** Formats page numbers as ascending ranges: `1-3,7` for 7, 1, 2 and 3. */
export function formatPageRange(pages: readonly number[]): string {
  const runs = findConsecutiveRuns([...new Set(pages)].sort((a, b) => a - b))
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(',')
}

function parsePageNumber(text: string, count: number): number {
  const word = text.trim().toLowerCase()
  const page = word === 'last' ? count : Number(word)
  if (page >= 1 && page <= count) return page
  const message = `pages: page ${word} does not exist; the document has pages 1 to ${count}.`
  throw createInvalidPagesError(message, { reason: 'no-such-page', pages: count })
}

function createInvalidPagesError(message: string, details: Readonly<Record<string, unknown>>): AppError {
  return new AppError('INVALID_INPUT', message, { field: 'pages', ...details })
}
