/** Removes hidden sheets, rows and columns from an OpenDocument file (1.3, part 3, 9.1). */

/** Matches the attribute of a hidden row or column (19.756). */
const hidingPattern = /\stable:visibility="(?:collapse|filter)"/
/** Matches the property of a style that hides a whole sheet (20.407). */
const hiddenSheetPattern = /\stable:display="false"/

/** Whether a style before the body hides whole sheets. */
export function mayHideSheets(xml: Buffer): boolean {
  const bodyStart = xml.indexOf('<office:body')
  return xml.subarray(0, bodyStart < 0 ? xml.length : bodyStart).includes('table:display="false"')
}

/** Maximum number of hidden column ranges, each of which is compared with each cell; users hide fewer. */
export const maxHiddenRanges = 100

/** Removes hidden sheets, rows and columns; undefined if a sheet has too many hidden column ranges. */
export function removeHiddenTables(xml: string): string | undefined {
  const hiddenStyles = findHiddenStyles(xml)
  const segments: string[] = []
  for (const segment of xml.split(/(?=<table:table[\s>])/)) {
    const tag = getStartTag(segment)
    const style = /\stable:style-name="([^"]*)"/.exec(tag)?.[1]
    if (!tag.startsWith('<table:table')) segments.push(segment)
    else if (style !== undefined && hiddenStyles.has(style))
      segments.push(getTextAfter(segment, '</table:table>'))
    else {
      const hiddenRanges = findHiddenColumns(segment)
      if (hiddenRanges.length > maxHiddenRanges) return undefined
      segments.push(hidingPattern.test(segment) ? removeHiddenRowsAndColumns(segment, hiddenRanges) : segment)
    }
  }
  return segments.join('')
}

const getStartTag = (segment: string) => segment.slice(0, segment.indexOf('>') + 1)

/** Returns the text after the end of a removed element. */
function getTextAfter(segment: string, end: string): string {
  const at = segment.indexOf(end)
  return at < 0 ? '' : segment.slice(at + end.length)
}

function findHiddenStyles(xml: string): ReadonlySet<string> {
  const styles = xml.split(/(?=<style:style[\s>])/).slice(1)
  const hiddenStyles = styles.filter((style) =>
    hiddenSheetPattern.test(style.slice(0, style.indexOf('</style:style>'))),
  )
  return new Set(
    hiddenStyles.flatMap((style) => /\sstyle:name="([^"]*)"/.exec(getStartTag(style))?.[1] ?? []),
  )
}

function removeHiddenRowsAndColumns(table: string, hiddenRanges: readonly ColumnRange[]): string {
  return table
    .split(/(?=<table:table-row[\s>])/)
    .map((segment) => {
      const tag = getStartTag(segment)
      if (!tag.startsWith('<table:table-row')) return segment
      if (hidingPattern.test(tag)) return getTextAfter(segment, '</table:table-row>')
      return hiddenRanges.length > 0 ? removeColumns(segment, hiddenRanges) : segment
    })
    .join('')
}

interface ColumnRange {
  readonly from: number
  /** Index after the last hidden column. */
  readonly to: number
}

function findHiddenColumns(table: string): ColumnRange[] {
  const hiddenRanges: ColumnRange[] = []
  let column = 0
  for (const [tag] of table.matchAll(/<table:table-column[\s/>][^>]*/g)) {
    const to = column + readRepeat(tag)
    if (hidingPattern.test(tag)) hiddenRanges.push({ from: column, to })
    column = to
  }
  return hiddenRanges
}

const repeatAttributePattern = /(\stable:number-columns-repeated=")(\d+)(?=")/
const readRepeat = (tag: string) => Number(repeatAttributePattern.exec(tag)?.[2] ?? 1)

function removeColumns(row: string, hiddenRanges: readonly ColumnRange[]): string {
  let column = 0
  return row
    .split(/(?=<table:(?:covered-)?table-cell[\s/>])/)
    .map((segment, at) => {
      if (at === 0) return segment
      const tag = getStartTag(segment)
      const [from, count] = [column, readRepeat(tag)]
      column += count
      const shownCount = hiddenRanges.reduce(
        (visibleColumns, { from: first, to }) =>
          visibleColumns - Math.max(0, Math.min(to, column) - Math.max(first, from)),
        count,
      )
      if (shownCount === count) return segment
      if (shownCount > 0)
        return segment.replace(repeatAttributePattern, (_, name: string) => `${name}${shownCount}`)
      return tag.endsWith('/>') ? segment.slice(tag.length) : getTextAfter(segment, '</table:table-cell>')
    })
    .join('')
}
