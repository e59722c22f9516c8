import type { BoundingBox } from './geometry.ts'
import type { Style } from './page-content.ts'
import type { Border } from './table-grids.ts'

export interface StyledRun {
  readonly text: string
  readonly style: Style
  readonly link?: string
  readonly script?: 'super' | 'sub'
  readonly isRtl?: boolean
  /** Marks the page number. `text` is the number on one of the pages. */
  readonly field?: 'page'
}

export type Alignment = 'left' | 'center' | 'right' | 'both'

export interface ListMarker {
  readonly kind: 'bullet' | 'number'
  /** Marker as printed before the item: `•`, `3.`, `(b)`. */
  readonly text: string
  /** Start of the marker in points; in right-to-left text, its negative right edge. */
  readonly x: number
  /** Start of the text after the marker in points; in right-to-left text, its negative right edge. */
  readonly textX: number
}

/** Position of a paragraph in a list: which list, at which level, and how that list starts. */
export interface ListItemPosition {
  readonly kind: ListMarker['kind']
  readonly listId: number
  readonly level: number
  readonly start: number
  /** Marker of the list's first item. */
  readonly marker: string
}

export interface Paragraph {
  readonly kind: 'paragraph'
  readonly box: BoundingBox
  readonly runs: readonly StyledRun[]
  readonly alignment: Alignment
  /** Style of most characters of the block. */
  readonly style: Style
  readonly lineCount: number
  /** Whether the last line reaches the edge of the column, so that the paragraph may continue elsewhere. */
  readonly mayContinue: boolean
  /** Points from one line to the next; unset for a single line. */
  readonly lineHeight?: number
  /** Y coordinate of the lower edge of the first line. */
  readonly firstLineBottom?: number
  /** Points above the first line, beyond the usual line spacing. */
  readonly spaceBefore: number
  /** Points from the edge of the column to the paragraph. */
  readonly indent: number
  /** Points that are added to `indent` for the first line; may be negative. */
  readonly firstIndent: number
  /** Points from the right edge of the paragraph to that of the column. */
  readonly rightIndent?: number
  readonly isRtl: boolean
  readonly marker?: ListMarker
  readonly heading?: number
  readonly list?: ListItemPosition
}

export interface TableCell {
  readonly blocks: readonly (Paragraph | ImageBlock)[]
  /** Width in points. */
  readonly width: number
  readonly columnSpan: number
  readonly rowSpan: number
  /** Background color as six hexadecimal digits. */
  readonly shading?: string
}

export interface TableBlock {
  readonly kind: 'table'
  readonly box: BoundingBox
  /** Column widths in points. */
  readonly widths: readonly number[]
  /** Y coordinates at which the rows start. */
  readonly rowTops?: readonly number[]
  /** Points between the edges of cells and their text. */
  readonly padding: readonly [left: number, right: number]
  /** Cells from left to right, or from right to left in a right-to-left table. */
  readonly rows: readonly (readonly TableCell[])[]
  /** Set if the table is ruled. */
  readonly border?: Border
  readonly isRtl: boolean
  /** Whether the first row of the table was repeated on the following pages. */
  readonly repeatsHeader?: boolean
}

export interface ImageBlock {
  readonly kind: 'image'
  readonly box: BoundingBox
  /** Points above the image. */
  readonly spaceBefore?: number
  /** Path of the PNG or JPEG. */
  readonly path: string
  /** Words of the page that appear only in this image. */
  readonly labels?: string
}

/** An image at a fixed position on its page, behind the text. */
export interface FloatingImage {
  /** Path of the PNG or JPEG. */
  readonly path: string
  readonly box: BoundingBox
  /** Words of the page that appear only in this image. */
  readonly labels?: string
}

export type ContentBlock = Paragraph | TableBlock | ImageBlock

/** Columns of equal width next to each other. */
export interface ColumnSet {
  readonly count: number
  /** Points from the left edge of a column to that of the next. */
  readonly pitch: number
  /** Whether all columns end at about the same height. */
  readonly isBalanced: boolean
  /** Whether there is a rule between the columns. */
  readonly isRuled: boolean
}

export type FlowBlock = ContentBlock & {
  /** Whether the block starts on a new page, as in the PDF. */
  readonly startsNewPage?: boolean
  /** Whether the block starts at the top of the next column although there is room left in the current one. */
  readonly startsNewColumn?: boolean
  /** Images behind the text of the page, which are anchored in this block. */
  readonly floatingImages?: readonly FloatingImage[]
  /** Whether the page has a background image, on which light text is visible. */
  readonly isOverBackground?: boolean
  /**
   * Points below the block before columns start. Spacing above the first block of the columns would move only the
   * column of that block.
   */
  readonly spaceAfter?: number
  /** Left and right edge of the surrounding text. */
  readonly column: BoundingBox
  /** The columns that the block belongs to, if there are several. */
  readonly columnSet?: ColumnSet
}

/** Returns the text without a list marker. */
export const getParagraphText = (paragraph: Paragraph): string =>
  paragraph.runs.map(({ text }) => text).join('')
