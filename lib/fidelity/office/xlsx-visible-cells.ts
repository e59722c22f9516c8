import { maxHiddenRanges } from './open-document-visible-tables.ts'

/**
 * Removes hidden rows and columns from an Excel sheet (ECMA-376, 18.3.1). Examines each part once, however malformed
 * the sheet is.
 */

interface ColumnRange {
  readonly from: number
  readonly to: number
}

const hidingPattern = /\shidden\s*=\s*["'](?:1|true)["']/
/** Matches elements with a prefix, and rows that are hidden by default: both are rare and not supported. */
const unsupportedMarkupPattern = /<\w+:row\b|\szeroHeight\s*=\s*["'](?:1|true)["']/

/** Removes hidden rows and columns; returns undefined if it is unknown which ones are hidden. */
export function removeHiddenCells(xml: string): string | undefined {
  if (unsupportedMarkupPattern.test(xml)) return undefined
  if (!hidingPattern.test(xml)) return xml
  const columns = findHiddenColumns(xml)
  if (columns.length > maxHiddenRanges) return undefined
  return xml
    .split(/(?=<row[\s>])/)
    .map((segment) => {
      if (!segment.startsWith('<row')) return segment
      return hidingPattern.test(getOpeningTag(segment)) ? '' : removeColumns(segment, columns)
    })
    .join('')
}

const getOpeningTag = (segment: string) => segment.slice(0, segment.indexOf('>') + 1)

function findHiddenColumns(xml: string): ColumnRange[] {
  const tags = xml.match(/<col\s[^<>]*>/g) ?? []
  return tags
    .filter((tag) => hidingPattern.test(tag))
    .map((tag) => ({ from: readNumber(tag, 'min'), to: readNumber(tag, 'max') }))
}

const readNumber = (tag: string, name: 'min' | 'max') =>
  Number(new RegExp(`\\s${name}\\s*=\\s*["'](\\d+)["']`).exec(tag)?.[1] ?? 0)

function removeColumns(row: string, columns: readonly ColumnRange[]): string {
  if (columns.length === 0) return row
  return row
    .split(/(?=<c[\s>])/)
    .filter((cell) => {
      const name = /^<c[^>]*\sr=["']([A-Z]{1,3})\d/.exec(cell)?.[1]
      const column = name === undefined ? 0 : toColumnNumber(name)
      return !columns.some(({ from, to }) => column >= from && column <= to)
    })
    .join('')
}

/** Converts a column name: `A` is 1, `AA` is 27. */
const toColumnNumber = (name: string) =>
  [...name].reduce((sum, character) => sum * 26 + character.charCodeAt(0) - 64, 0)
