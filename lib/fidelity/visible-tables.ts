/** Sheets of OpenDocument (1.3, part 3, 9.1) as they are shown. */

/** 19.756 of rows and columns, and 20.407 of the styles of whole sheets. */
const hiding = /\stable:visibility="(?:collapse|filter)"/
const unseenSheet = /\stable:display="false"/

/** Whether a sheet may be hidden as a whole: styles stand before what has them. */
export function mayHideSheets(xml: Buffer): boolean {
  const body = xml.indexOf('<office:body')
  return xml.subarray(0, body < 0 ? xml.length : body).includes('table:display="false"')
}

/** Each cell is held to each of them; nobody hides so many by hand. */
export const mostRanges = 100

/** The XML without hidden sheets, rows and columns; undefined where one hides columns in too many places. */
export function visibleTables(xml: string): string | undefined {
  const unseen = unseenStyles(xml)
  const parts: string[] = []
  for (const part of xml.split(/(?=<table:table[\s>])/)) {
    const tag = tagOf(part)
    const style = /\stable:style-name="([^"]*)"/.exec(tag)?.[1]
    if (!tag.startsWith('<table:table')) parts.push(part)
    else if (style !== undefined && unseen.has(style)) parts.push(after(part, '</table:table>'))
    else {
      const isHidden = hiddenColumns(part)
      if (isHidden.length > mostRanges) return undefined
      parts.push(hiding.test(part) ? withoutHidden(part, isHidden) : part)
    }
  }
  return parts.join('')
}

const tagOf = (part: string) => part.slice(0, part.indexOf('>') + 1)

/** What follows the end of an element that is left out. */
function after(part: string, end: string): string {
  const at = part.indexOf(end)
  return at < 0 ? '' : part.slice(at + end.length)
}

function unseenStyles(xml: string): ReadonlySet<string> {
  const styles = xml.split(/(?=<style:style[\s>])/).slice(1)
  const unseen = styles.filter((style) => unseenSheet.test(style.slice(0, style.indexOf('</style:style>'))))
  return new Set(unseen.flatMap((style) => /\sstyle:name="([^"]*)"/.exec(tagOf(style))?.[1] ?? []))
}

function withoutHidden(table: string, isHidden: readonly Columns[]): string {
  return table
    .split(/(?=<table:table-row[\s>])/)
    .map((part) => {
      const tag = tagOf(part)
      if (!tag.startsWith('<table:table-row')) return part
      if (hiding.test(tag)) return after(part, '</table:table-row>')
      return isHidden.length > 0 ? withoutColumns(part, isHidden) : part
    })
    .join('')
}

interface Columns {
  readonly from: number
  /** Not among them. */
  readonly to: number
}

function hiddenColumns(table: string): Columns[] {
  const hidden: Columns[] = []
  let column = 0
  for (const [tag] of table.matchAll(/<table:table-column[\s/>][^>]*/g)) {
    const to = column + repeated(tag)
    if (hiding.test(tag)) hidden.push({ from: column, to })
    column = to
  }
  return hidden
}

const times = /(\stable:number-columns-repeated=")(\d+)(?=")/
const repeated = (tag: string) => Number(times.exec(tag)?.[2] ?? 1)

function withoutColumns(row: string, hidden: readonly Columns[]): string {
  let column = 0
  return row
    .split(/(?=<table:(?:covered-)?table-cell[\s/>])/)
    .map((part, at) => {
      if (at === 0) return part
      const tag = tagOf(part)
      const [from, count] = [column, repeated(tag)]
      column += count
      const shown = hidden.reduce(
        (left, { from: first, to }) => left - Math.max(0, Math.min(to, column) - Math.max(first, from)),
        count,
      )
      if (shown === count) return part
      if (shown > 0) return part.replace(times, (_, name: string) => `${name}${shown}`)
      return tag.endsWith('/>') ? part.slice(tag.length) : after(part, '</table:table-cell>')
    })
    .join('')
}
