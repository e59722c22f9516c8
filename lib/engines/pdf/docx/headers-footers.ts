import type { Alignment, StyledRun } from './blocks.ts'
import { groupIntoLines, splitAtGaps, type TextLine } from './lines.ts'
import type { PageContent, Word } from './page-content.ts'
import { buildRuns, chooseSeparator } from './runs.ts'

export interface HeaderFooterRow {
  readonly runs: readonly StyledRun[]
  readonly alignment: Alignment
  /** Left and right edge in points from the left edge of the page; the area may be wider than the text. */
  readonly edges: readonly [number, number]
  /** Upper edge in points from the top of the page. */
  readonly top: number
  /** Lower edge in points from the top of the page. */
  readonly bottom: number
}

/** Rows that repeat at the top and bottom of the pages. */
interface HeadersFooters {
  readonly header: readonly HeaderFooterRow[]
  readonly footer: readonly HeaderFooterRow[]
  /** Words that belong to headers and footers. */
  readonly words: ReadonlySet<Word>
}

type Edge = 'header' | 'footer'

interface CandidateRow {
  readonly page: PageContent
  readonly line: TextLine
  readonly edge: Edge
  /** Position and font size of the row, as a key for comparisons. */
  readonly key: string
  /** Text with digits replaced, so that page numbers compare equal. */
  readonly text: string
}

/** Maximum part of the page height that headers and footers may occupy. */
const maxZoneRatio = 0.12
const maxRows = 3
/**
 * Part of the page height, next to these zones, that is searched for neighbors: a row that is aligned with its neighbor
 * belongs to a table.
 */
const neighborRatio = 0.05

/** Finds headers and footers: rows at the same height on at least 40% of the pages. */
export function findHeadersFooters(pages: readonly PageContent[]): HeadersFooters {
  const rows = pages.flatMap((page) => [
    ...findCandidateRows(page, 'header'),
    ...findCandidateRows(page, 'footer'),
  ])
  const minPages = Math.max(2, pages.length * 0.4)
  const groups = new Map<string, CandidateRow[]>()
  for (const row of rows) groups.set(row.key, [...(groups.get(row.key) ?? []), row])
  const repeatedGroups = [...groups.values()]
    .filter((group) => new Set(group.map(({ page }) => page)).size >= minPages)
    .filter(isRepeated)
  const selectRows = (edge: Edge) =>
    repeatedGroups
      .filter(([first]) => first?.edge === edge)
      .sort(([a], [b]) => (a?.line.baseline ?? 0) - (b?.line.baseline ?? 0))
      .slice(0, maxRows)
      .flatMap(toHeaderFooterRow)
  return {
    header: selectRows('header'),
    footer: selectRows('footer'),
    words: new Set(repeatedGroups.flat().flatMap(({ line }) => line.words)),
  }
}

function findCandidateRows(page: PageContent, edge: Edge): CandidateRow[] {
  const isWithin = (ratio: number, { box, baseline }: Word) =>
    edge === 'header' ? box[3] < page.height * ratio : baseline > page.height * (1 - ratio)
  const isInZone = (word: Word) => isWithin(maxZoneRatio, word)
  const isNearZone = (word: Word) => isWithin(maxZoneRatio + neighborRatio, word)
  const lines = groupIntoLines(page.textSegments.flat().filter(isNearZone))
    .filter((line, at, all) => !isTableRow(line, all[edge === 'header' ? at + 1 : at - 1]))
    .filter(({ words }) => words.every(isInZone))
  const outerLines = edge === 'header' ? lines.slice(0, maxRows) : lines.slice(-maxRows)
  return outerLines.map((line) => {
    const key = `${edge} ${Math.round(line.baseline / 6)} ${Math.round(line.style.size)}`
    return { page, line, edge, key, text: getLineText(line).replaceAll(/\d+|\b[ivxlc]+\b/gi, '#') }
  })
}

/** Whether cells of the row start where those of its neighbor do: long tables have similar rows on every page. */
function isTableRow(line: TextLine, neighbor: TextLine | undefined): boolean {
  if (!neighbor || Math.abs(neighbor.baseline - line.baseline) > line.style.size * 2.6) return false
  const findStarts = (row: TextLine) => splitAtGaps(row, 1).map(([word]) => word?.box[0] ?? 0)
  const starts = findStarts(neighbor)
  return findStarts(line).filter((x) => starts.some((other) => Math.abs(other - x) < 2)).length >= 2
}

const getLineText = (line: TextLine) => line.words.map((word) => word.text).join(' ')

/** Whether most texts occur at least twice, as a chapter title does, or contain the page number. */
function isRepeated(group: readonly CandidateRow[]): boolean {
  const repeatedTexts = group.filter((row) => group.some((other) => other !== row && other.text === row.text))
  const numberedRows = group.filter((row) => findPageNumber(row, group) !== undefined)
  return Math.max(repeatedTexts.length, numberedRows.length) >= group.length * 0.7
}

/** Returns the word that increases with the page number. */
function findPageNumber({ page, line }: CandidateRow, group: readonly CandidateRow[]): Word | undefined {
  return line.words.find((word) => {
    if (!/^\d{1,5}$/.test(word.text)) return false
    const offset = Number(word.text) - page.number
    const sameRows = group.filter((otherRow) =>
      otherRow.line.words.some(
        ({ text }) => /^\d{1,5}$/.test(text) && Number(text) - otherRow.page.number === offset,
      ),
    )
    return sameRows.length >= Math.max(2, group.length * 0.5)
  })
}

/** Returns the text on most pages, or only the page number where the text changes with the chapter. */
function toHeaderFooterRow(group: readonly CandidateRow[]): HeaderFooterRow[] {
  const rowsByText = Map.groupBy(group, ({ text }) => text)
  const [commonRows = []] = [...rowsByText.values()].sort((a, b) => b.length - a.length)
  const [row] = commonRows
  if (!row) return []
  const pageNumberWord = findPageNumber(row, group)
  const isCommon = commonRows.length >= group.length * 0.5
  if (!isCommon && !pageNumberWord) return []
  const words = row.line.words.filter((word) => isCommon || word === pageNumberWord)
  const runs = words.flatMap((word, at): StyledRun[] => {
    const wordBefore = words[at - 1]
    const [run] = buildRuns([{ ...row.line, words: [word] }], false, new Set())
    if (!run) return []
    const spaceRuns = wordBefore ? [{ ...run, text: chooseSeparator(wordBefore, word, row.line) }] : []
    return [...spaceRuns, word === pageNumberWord ? { ...run, field: 'page' } : run]
  })
  const [left, top, right, bottom] = row.line.box
  return [{ runs, alignment: chooseAlignment(group), edges: [left, right], top, bottom }]
}

/** Chooses the alignment. Rows with text on both sides contain a tab and are left-aligned. */
function chooseAlignment([row]: readonly CandidateRow[]): Alignment {
  if (!row) return 'left'
  const { page, line } = row
  const [left, right] = [line.box[0], page.width - line.box[2]]
  if (Math.abs(left - right) < page.width * 0.04) return left > page.width * 0.2 ? 'center' : 'left'
  return left > page.width / 2 ? 'right' : 'left'
}
