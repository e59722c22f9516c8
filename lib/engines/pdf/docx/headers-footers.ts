import type { Alignment, Run } from './blocks.ts'
import { type Line, linesOf } from './lines.ts'
import type { Page, Word } from './page-content.ts'
import { runsOf, spaceBetween } from './runs.ts'

export interface FurnitureRow {
  readonly runs: readonly Run[]
  readonly alignment: Alignment
  /** Left and right edge, in points from the left one of the page: it may be wider than the text. */
  readonly edges: readonly [number, number]
}

/** What stands at the top and the bottom of page after page. */
export interface Furniture {
  readonly header: readonly FurnitureRow[]
  readonly footer: readonly FurnitureRow[]
  /** Words that belong to it. */
  readonly words: ReadonlySet<Word>
}

type Edge = 'header' | 'footer'

interface Row {
  readonly page: Page
  readonly line: Line
  readonly edge: Edge
  /** Where it stands, and how large its letters are. */
  readonly key: string
  /** Its digits made alike. */
  readonly text: string
}

/** Part of the page's height in which it may stand. */
const zone = 0.12
const maxRows = 3

/** Finds headers and footers by what repeats at the same height of at least two fifths of the pages. */
export function furnitureOf(pages: readonly Page[]): Furniture {
  const rows = pages.flatMap((page) => [...rowsAt(page, 'header'), ...rowsAt(page, 'footer')])
  const least = Math.max(2, pages.length * 0.4)
  const groups = new Map<string, Row[]>()
  for (const row of rows) groups.set(row.key, [...(groups.get(row.key) ?? []), row])
  const repeated = [...groups.values()]
    .filter((group) => new Set(group.map(({ page }) => page)).size >= least)
    .filter(isSaidAgain)
  const made = (edge: Edge) =>
    repeated
      .filter(([first]) => first?.edge === edge)
      .sort(([a], [b]) => (a?.line.base ?? 0) - (b?.line.base ?? 0))
      .slice(0, maxRows)
      .flatMap(rowOf)
  return {
    header: made('header'),
    footer: made('footer'),
    words: new Set(repeated.flat().flatMap(({ line }) => line.words)),
  }
}

function rowsAt(page: Page, edge: Edge): Row[] {
  const inZone = ({ box, base }: Word) =>
    edge === 'header' ? box[3] < page.height * zone : base > page.height * (1 - zone)
  const lines = linesOf(page.pieces.flat().filter(inZone))
  const outer = edge === 'header' ? lines.slice(0, maxRows) : lines.slice(-maxRows)
  return outer.map((line) => {
    const key = `${edge} ${Math.round(line.base / 6)} ${Math.round(line.style.size)}`
    return { page, line, edge, key, text: textOf(line).replaceAll(/\d+|\b[ivxlc]+\b/gi, '#') }
  })
}

const textOf = (line: Line) => line.words.map((word) => word.text).join(' ')

/** Each text comes twice, as the title of a chapter does, or the row has the number of its page. */
function isSaidAgain(group: readonly Row[]): boolean {
  const again = group.filter((row) => group.some((other) => other !== row && other.text === row.text))
  const numbered = group.filter((row) => pageNumberIn(row, group) !== undefined)
  return Math.max(again.length, numbered.length) >= group.length * 0.7
}

/** The word that counts with the pages. */
function pageNumberIn({ page, line }: Row, group: readonly Row[]): Word | undefined {
  return line.words.find((word) => {
    if (!/^\d{1,5}$/.test(word.text)) return false
    const offset = Number(word.text) - page.number
    const same = group.filter((other) =>
      other.line.words.some(
        ({ text }) => /^\d{1,5}$/.test(text) && Number(text) - other.page.number === offset,
      ),
    )
    return same.length >= Math.max(2, group.length * 0.5)
  })
}

/** The text that most pages have; where it changes with the chapter, the number of the page alone. */
function rowOf(group: readonly Row[]): FurnitureRow[] {
  const counts = Map.groupBy(group, ({ text }) => text)
  const [common = []] = [...counts.values()].sort((a, b) => b.length - a.length)
  const [row] = common
  if (!row) return []
  const number = pageNumberIn(row, group)
  const isCommon = common.length >= group.length * 0.5
  if (!isCommon && !number) return []
  const words = row.line.words.filter((word) => isCommon || word === number)
  const runs = words.flatMap((word, at): Run[] => {
    const before = words[at - 1]
    const [run] = runsOf([{ ...row.line, words: [word] }], false, new Set())
    if (!run) return []
    const space = before ? [{ ...run, text: spaceBetween(before, word, row.line) }] : []
    return [...space, word === number ? { ...run, field: 'page' } : run]
  })
  return [{ runs, alignment: alignmentOf(group), edges: [row.line.box[0], row.line.box[2]] }]
}

/** Rows with something at both sides have a tab between and start at the left. */
function alignmentOf([row]: readonly Row[]): Alignment {
  if (!row) return 'left'
  const { page, line } = row
  const [left, right] = [line.box[0], page.width - line.box[2]]
  if (Math.abs(left - right) < page.width * 0.04) return left > page.width * 0.2 ? 'center' : 'left'
  return left > page.width / 2 ? 'right' : 'left'
}
