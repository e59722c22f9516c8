/** The page arrangement made by the user, and the operations that produce it. Pure functions, no DOM. */

export interface Sheet {
  /** Page number in the document, from 1. */
  readonly page: number
  /** Degrees clockwise, relative to the document. */
  readonly rotation: 0 | 90 | 180 | 270
  readonly isRemoved: boolean
  /** Whether a new file starts after this page. */
  readonly isSplitAfter: boolean
}

/** Sheets in their current order. */
export type Sheets = readonly Sheet[]

export interface PageArrangement {
  readonly sheets: Sheets
  readonly selected: ReadonlySet<number>
}

export interface PageOperation {
  readonly operation: string
  readonly options: Readonly<Record<string, unknown>>
}

export const createOriginalOrder = (count: number): PageArrangement => ({
  sheets: Array.from({ length: count }, (_, at) => ({
    page: at + 1,
    rotation: 0,
    isRemoved: false,
    isSplitAfter: false,
  })),
  selected: new Set(),
})

type Pages = ReadonlySet<number>

const updateSheets = (sheets: Sheets, pages: Pages, change: (sheet: Sheet) => Partial<Sheet>): Sheets =>
  sheets.map((sheet) => (pages.has(sheet.page) ? { ...sheet, ...change(sheet) } : sheet))

export const rotatePages = (sheets: Sheets, pages: Pages, degrees: 90 | -90): Sheets =>
  updateSheets(sheets, pages, ({ rotation }) => ({
    rotation: ((rotation + degrees + 360) % 360) as Sheet['rotation'], // a multiple of 90
  }))

/** Removes the pages, or restores them if all are removed already. */
export function toggleRemoved(sheets: Sheets, pages: Pages): Sheets {
  const isRemoved = sheets.some((sheet) => pages.has(sheet.page) && !sheet.isRemoved)
  return updateSheets(sheets, pages, () => ({ isRemoved }))
}

/**
 * Splits the document after each of the pages, or removes these splits if all exist already; the last page is ignored.
 */
export function toggleSplit(sheets: Sheets, pages: Pages): Sheets {
  const lastPage = sheets.at(-1)?.page
  const isSplitAfter = sheets.some(
    ({ page, ...sheet }) => pages.has(page) && page !== lastPage && !sheet.isSplitAfter,
  )
  return updateSheets(sheets, pages, ({ page }) => ({ isSplitAfter: isSplitAfter && page !== lastPage }))
}

export const splitEvery = (sheets: Sheets, count: number): Sheets =>
  sheets.map((sheet, at) => ({ ...sheet, isSplitAfter: (at + 1) % count === 0 && at < sheets.length - 1 }))

/** Moves the pages as a block in front of the sheet at index `to`; an index equal to the count means the end. */
export function movePages(sheets: Sheets, pages: Pages, to: number): Sheets {
  const block = sheets.filter(({ page }) => pages.has(page))
  const withoutMoved = (list: Sheets) => list.filter(({ page }) => !pages.has(page))
  return [...withoutMoved(sheets.slice(0, to)), ...block, ...withoutMoved(sheets.slice(to))]
}

/** Moves the pages one position forward or back, as a block. */
export function shiftPages(sheets: Sheets, pages: Pages, by: 1 | -1): Sheets {
  const indexes = sheets.flatMap(({ page }, at) => (pages.has(page) ? [at] : []))
  const [firstIndex = 0] = indexes
  const lastIndex = indexes.at(-1) ?? 0
  return movePages(
    sheets,
    pages,
    by < 0 ? Math.max(0, firstIndex - 1) : Math.min(sheets.length, lastIndex + 2),
  )
}

/** Formats page numbers in the service's syntax, such as `3,1-2`. */
export function formatRange(pages: readonly number[]): string {
  const runs: { first: number; last: number; step: number }[] = []
  for (const page of pages) {
    const run = runs.at(-1)
    const step = run ? page - run.last : 0
    if (run && Math.abs(step) === 1 && (run.first === run.last || step === run.step)) {
      run.last = page
      run.step = step
    } else runs.push({ first: page, last: page, step: 0 })
  }
  return runs.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** Parses page numbers and ranges; returns undefined if they are invalid or not in this document. */
export function parseRange(text: string, count: number): readonly number[] | undefined {
  const pages: number[] = []
  for (const rangePart of text.split(',')) {
    const [, firstPage, lastPage = firstPage] =
      /^\s*(\d+|last)\s*(?:-\s*(\d+|last)\s*)?$/i.exec(rangePart) ?? []
    if (firstPage === undefined || lastPage === undefined) return undefined
    const [from, to] = [firstPage, lastPage].map((bound) => (/last/i.test(bound) ? count : Number(bound)))
    if (!from || !to || Math.max(from, to) > count) return undefined
    const step = from <= to ? 1 : -1
    for (let page = from; page !== to + step; page += step) pages.push(page)
  }
  return pages
}

const getRemainingSheets = ({ sheets }: PageArrangement) => sheets.filter(({ isRemoved }) => !isRemoved)
const isInOrder = (sheets: Sheets) => sheets.every(({ page }, at) => page === at + 1)

export const listSelectedPages = ({ sheets, selected }: PageArrangement): readonly number[] =>
  sheets.flatMap(({ page }) => (selected.has(page) ? [page] : []))

export const listRemovedPages = ({ sheets }: PageArrangement): readonly number[] =>
  sheets.flatMap(({ page, isRemoved }) => (isRemoved ? [page] : [])).toSorted((a, b) => a - b)

/** Returns the groups of pages between splits, as positions among the remaining pages. */
export function splitIntoParts(arrangement: PageArrangement): readonly (readonly number[])[] {
  const parts: number[][] = [[]]
  for (const { at, isSplitAfter } of positions(arrangement)) {
    if (at > 0) parts.at(-1)?.push(at)
    if (isSplitAfter && (parts.at(-1)?.length ?? 0) > 0) parts.push([])
  }
  return parts.filter((part) => part.length > 0)
}

/**
 * Returns the position of each sheet among the remaining ones, from 1. A removed sheet has position 0, but a split
 * after it remains.
 */
function positions({ sheets }: PageArrangement) {
  let at = 0
  return sheets.map(({ isRemoved, isSplitAfter }) => ({ at: isRemoved ? 0 : ++at, isSplitAfter }))
}

/** Converts all edits to a chain of operations, which is empty if nothing was changed or all pages are removed. */
export function toOperations(arrangement: PageArrangement): readonly PageOperation[] {
  const remainingSheets = getRemainingSheets(arrangement)
  if (remainingSheets.length === 0) return []
  const isUnchanged = remainingSheets.length === arrangement.sheets.length && isInOrder(remainingSheets)
  const parts = splitIntoParts(arrangement)
  const rotations = ([90, 180, 270] as const).flatMap((rotate) => {
    const positions = remainingSheets.flatMap(({ rotation }, at) => (rotation === rotate ? [at + 1] : []))
    return positions.length > 0
      ? [{ operation: 'rotate-pdf', options: { pages: formatRange(positions), rotate } }]
      : []
  })
  return [
    ...(isUnchanged
      ? []
      : [
          {
            operation: 'extract-pdf-pages',
            options: { pages: formatRange(remainingSheets.map(({ page }) => page)) },
          },
        ]),
    ...rotations,
    ...(parts.length > 1
      ? [{ operation: 'split-pdf', options: { pages: parts.map(formatRange).join(',') } }]
      : []),
  ]
}

export const formatNewOrder = ({ sheets }: PageArrangement): string | undefined =>
  isInOrder(sheets) ? undefined : formatRange(sheets.map(({ page }) => page))
