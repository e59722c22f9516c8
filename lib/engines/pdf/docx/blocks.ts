import type { Box } from './geometry.ts'
import type { Style } from './page-content.ts'

export interface Run {
  readonly text: string
  readonly style: Style
  readonly link?: string
  readonly script?: 'super' | 'sub'
  readonly rtl?: boolean
  /** Stands for the number of the page; its text is that of one page. */
  readonly field?: 'page'
}

export type Alignment = 'left' | 'center' | 'right' | 'both'

export interface ListMark {
  readonly kind: 'bullet' | 'number'
  /** As it stands in front of the item: `•`, `3.`, `(b)`. */
  readonly text: string
  /** Where the mark and where the text after it begins, in points. */
  readonly at: number
  readonly textAt: number
}

/** An item of a list that is one: which of the document's lists, how deep, and how that list starts. */
export interface ListPlace {
  readonly kind: ListMark['kind']
  readonly list: number
  readonly level: number
  readonly start: number
  /** The first item's. */
  readonly mark: string
}

export interface Paragraph {
  readonly kind: 'paragraph'
  readonly box: Box
  readonly runs: readonly Run[]
  readonly alignment: Alignment
  /** Most of its letters have it. */
  readonly style: Style
  readonly lineCount: number
  /** Its last line ends at the edge of the column, so it may go on elsewhere. */
  readonly open: boolean
  /** Points between its first line and what is above, beyond the usual distance. */
  readonly spaceBefore: number
  /** Points from the edge of its column; the first line's comes on top and may be negative. */
  readonly indent: number
  readonly firstIndent: number
  readonly rtl: boolean
  readonly mark?: ListMark
  readonly heading?: number
  readonly list?: ListPlace
}

export interface Cell {
  readonly blocks: readonly (Paragraph | Picture)[]
  /** Points. */
  readonly width: number
  readonly columnSpan: number
  readonly rowSpan: number
  /** Six hexadecimal digits. */
  readonly shading?: string
}

export interface Table {
  readonly kind: 'table'
  readonly box: Box
  /** Points. */
  readonly widths: readonly number[]
  /** From the left, or from the right where it is read so. */
  readonly rows: readonly (readonly Cell[])[]
  readonly ruled: boolean
  readonly rtl: boolean
}

export interface Picture {
  readonly kind: 'picture'
  readonly box: Box
  /** PNG or JPEG. */
  readonly path: string
  /** What it says, where the words of the page stand in it and nowhere else. */
  readonly labels?: string
}

export type Block = Paragraph | Table | Picture

/** Columns of one width that stand side by side. */
export interface ColumnSet {
  readonly count: number
  /** Points from the left edge of one to that of the next. */
  readonly pitch: number
  /** All end at about the same height. */
  readonly balanced: boolean
  /** A line is drawn between them. */
  readonly ruled: boolean
}

export type FlowBlock = Block & {
  /** Starts on a new page, as it does in the PDF. */
  readonly newPage?: boolean
  /** Starts at the top of the next column, though the one before has room. */
  readonly newColumn?: boolean
  /** Points below it, where columns begin: above one of them they would stand in that one alone. */
  readonly spaceAfter?: number
  /** Left and right edge of the text around it. */
  readonly column: Box
  /** The columns that it stands in, where there are several. */
  readonly set?: ColumnSet
}

/** Without the mark of a list. */
export const textOf = (paragraph: Paragraph): string => paragraph.runs.map(({ text }) => text).join('')
