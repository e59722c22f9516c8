import type { BoundingBox } from './geometry.ts'
import type { Style } from './page-content.ts'

export interface StyledRun {
  readonly text: string
  readonly style: Style
  readonly link?: string
  readonly script?: 'super' | 'sub'
  readonly isRtl?: boolean
  /** Stands for the number of the page; its text is that of one page. */
  readonly field?: 'page'
}

export type Alignment = 'left' | 'center' | 'right' | 'both'

export interface ListMarker {
  readonly kind: 'bullet' | 'number'
  /** As it stands in front of the item: `•`, `3.`, `(b)`. */
  readonly text: string
  /** Where the mark and where the text after it begins, in points. */
  readonly x: number
  readonly textX: number
}

/** An item of a list that is one: which of the document's lists, how deep, and how that list starts. */
export interface ListPosition {
  readonly kind: ListMarker['kind']
  readonly listId: number
  readonly level: number
  readonly start: number
  /** The first item's. */
  readonly marker: string
}

export interface Paragraph {
  readonly kind: 'paragraph'
  readonly box: BoundingBox
  readonly runs: readonly StyledRun[]
  readonly alignment: Alignment
  /** Most of its letters have it. */
  readonly style: Style
  readonly lineCount: number
  /** Its last line ends at the edge of the column, so it may go on elsewhere. */
  readonly mayContinue: boolean
  /** Points between its first line and what is above, beyond the usual distance. */
  readonly spaceBefore: number
  /** Points from the edge of its column; the first line's comes on top and may be negative. */
  readonly indent: number
  readonly firstIndent: number
  readonly isRtl: boolean
  readonly marker?: ListMarker
  readonly heading?: number
  readonly list?: ListPosition
}

export interface TableCell {
  readonly blocks: readonly (Paragraph | ImageBlock)[]
  /** Points. */
  readonly width: number
  readonly columnSpan: number
  readonly rowSpan: number
  /** Six hexadecimal digits. */
  readonly shading?: string
}

export interface TableBlock {
  readonly kind: 'table'
  readonly box: BoundingBox
  /** Points. */
  readonly widths: readonly number[]
  /** From the left, or from the right where it is read so. */
  readonly rows: readonly (readonly TableCell[])[]
  readonly isRuled: boolean
  readonly isRtl: boolean
}

export interface ImageBlock {
  readonly kind: 'image'
  readonly box: BoundingBox
  /** PNG or JPEG. */
  readonly path: string
  /** What it says, where the words of the page stand in it and nowhere else. */
  readonly labels?: string
}

export type ContentBlock = Paragraph | TableBlock | ImageBlock

/** Columns of one width that stand side by side. */
export interface ColumnSet {
  readonly count: number
  /** Points from the left edge of one to that of the next. */
  readonly pitch: number
  /** All end at about the same height. */
  readonly isBalanced: boolean
  /** A line is drawn between them. */
  readonly isRuled: boolean
}

export type FlowBlock = ContentBlock & {
  /** Starts on a new page, as it does in the PDF. */
  readonly startsNewPage?: boolean
  /** Starts at the top of the next column, though the one before has room. */
  readonly startsNewColumn?: boolean
  /** Points below it, where columns begin: above one of them they would stand in that one alone. */
  readonly spaceAfter?: number
  /** Left and right edge of the text around it. */
  readonly column: BoundingBox
  /** The columns that it stands in, where there are several. */
  readonly columnSet?: ColumnSet
}

/** Without the mark of a list. */
export const paragraphText = (paragraph: Paragraph): string => paragraph.runs.map(({ text }) => text).join('')
