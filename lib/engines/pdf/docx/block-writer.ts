import { readFile } from 'node:fs/promises'
import type * as docx from 'docx'
import { defined } from '../../../validation/defined.ts'
import type { Alignment, FlowBlock, ImageBlock, Paragraph, TableBlock, TableCell } from './blocks.ts'
import { createFloatingImage } from './floating-images.ts'
import type { HeaderFooterRow } from './headers-footers.ts'
import type { DocxLayout } from './layout.ts'
import { toIndent, toNumberingReference } from './numbering.ts'
import type { DocxSection } from './sections.ts'
import type { Border } from './table-grids.ts'
import { createTextRuns, type DocxLibrary } from './text-runs.ts'
import { toPixels, toTwips } from './units.ts'

/** The area that contains a paragraph. */
interface ParagraphContext {
  readonly backgroundColor?: string | undefined
  /** Points from the left to the right edge. */
  readonly width: number
}

/** Breaks before a paragraph. */
interface BlockBreaks {
  readonly pageBreakBefore: boolean
  readonly columnBreak: boolean
  /** Images that are anchored behind the text of the page. */
  readonly anchoredImages: readonly docx.ImageRun[]
}

/** Word refuses line heights above this number of twips (1584 points). */
const maxExactLineTwips = 31_680
/** The spacing of an invisible paragraph. */
const separatorSpacing = { before: 0, after: 0, line: 20, lineRule: 'exact' } as const

/**
 * Returns the space below a paragraph in points. A table cannot have space above it, so the gap between a paragraph and
 * the table that follows is added below the paragraph.
 */
function measureGapBelow(
  { box, spaceAfter = 0 }: Paragraph & FlowBlock,
  nextBlock: FlowBlock | undefined,
): number {
  return nextBlock?.kind === 'table' ? Math.max(0, nextBlock.box[1] - box[3]) : spaceAfter
}

/** Whether a row is a header row: it is bold or has a colored background. */
function isHeaderRow(row: readonly TableCell[]): boolean {
  const isBold = ({ blocks }: TableCell) =>
    blocks.length > 0 &&
    blocks.every((block) => block.kind === 'paragraph' && block.runs.every(({ style }) => style.bold))
  return row.length > 0 && (row.every(isBold) || row.every(({ shading }) => shading !== undefined))
}

/** Returns the width of rules in eighths of a point, from a hairline to the widest that Word draws. */
const toBorderSize = ({ width }: Border) => Math.min(96, Math.max(2, Math.round((width || 0.5) * 8)))

/** Writes the blocks of a layout as paragraphs and tables of Word. */
export class BlockWriter {
  readonly #library: DocxLibrary
  readonly #layout: Pick<DocxLayout, 'pitch'>

  constructor(library: DocxLibrary, layout: Pick<DocxLayout, 'pitch'>) {
    this.#library = library
    this.#layout = layout
  }

  /** Returns the runs of a paragraph, preceded by its page or column break. */
  #withBreaks(
    { pageBreakBefore = false, columnBreak = false, anchoredImages = [] }: Partial<BlockBreaks>,
    children: readonly docx.ParagraphChild[],
  ) {
    const columnBreakRuns = columnBreak
      ? [new this.#library.Run({ children: [new this.#library.ColumnBreak()] })]
      : []
    return {
      children: [...columnBreakRuns, ...anchoredImages, ...children],
      ...(pageBreakBefore && { pageBreakBefore }),
    }
  }

  /**
   * Separates two adjacent tables, which would otherwise merge, or ends a document, which must not end with a table.
   */
  #createTableSeparator(block: FlowBlock, nextBlock: FlowBlock | undefined): docx.Paragraph {
    const gap = nextBlock?.kind === 'table' ? nextBlock.box[1] - block.box[3] : 0
    const line = Math.min(maxExactLineTwips, Math.max(20, toTwips(gap)))
    return new this.#library.Paragraph({ spacing: { before: 0, after: 0, line, lineRule: 'exact' } })
  }

  /** Writes a block. `nextBlock` determines the space below it. */
  async writeBlock(
    block: FlowBlock,
    nextBlock: FlowBlock | undefined,
    outerContext: ParagraphContext,
  ): Promise<(docx.Paragraph | docx.Table)[]> {
    const context = { ...outerContext, ...(block.isOverBackground && { backgroundColor: 'image' }) }
    const anchoredImages: docx.ImageRun[] = []
    for (const image of block.floatingImages ?? [])
      anchoredImages.push(await createFloatingImage(this.#library, image))
    const breaks = {
      pageBreakBefore: block.startsNewPage === true,
      columnBreak: block.startsNewColumn === true,
      anchoredImages,
    }
    switch (block.kind) {
      case 'paragraph':
        return [
          this.#createParagraph(block, context, { ...breaks, after: measureGapBelow(block, nextBlock) }),
        ]
      case 'image':
        return [await this.#createImage(block, block.column, context, breaks)]
      case 'table': {
        const hasBreak = breaks.pageBreakBefore || breaks.columnBreak || anchoredImages.length > 0
        const breakParagraphs = hasBreak
          ? [new this.#library.Paragraph({ ...this.#withBreaks(breaks, []), spacing: separatorSpacing })]
          : []
        return [
          ...breakParagraphs,
          await this.#createTable(block, context, block.column[0]),
          ...(nextBlock?.kind === 'paragraph' ? [] : [this.#createTableSeparator(block, nextBlock)]),
        ]
      }
    }
  }

  #createParagraph(
    block: Paragraph,
    { backgroundColor, width }: ParagraphContext,
    { after = 0, ...breaks }: Partial<BlockBreaks> & { readonly after?: number } = {},
  ): docx.Paragraph {
    const { heading, list } = block
    const level = heading === undefined ? undefined : (`HEADING_${heading}` as 'HEADING_1') // Levels are 1 to 6.
    const markerRuns = block.marker && !list ? [{ text: `${block.marker.text}\t`, style: block.style }] : []
    const runs = [...markerRuns, ...block.runs]
    const hasTabs = runs.some(({ text }) => text.includes('\t'))
    return new this.#library.Paragraph({
      ...this.#withBreaks(breaks, createTextRuns(this.#library, runs, { backgroundColor })),
      ...defined({
        heading: level && this.#library.HeadingLevel[level],
        numbering: list && { reference: toNumberingReference(list), level: list.level },
      }),
      ...(!block.isRtl && { alignment: this.#toAlignment(block.alignment) }),
      ...(block.isRtl && { bidirectional: true }),
      ...(hasTabs && !block.marker && { tabStops: [{ type: 'right', position: toTwips(width) }] }),
      spacing: { before: toTwips(block.spaceBefore), after: toTwips(after), ...this.#toLineSpacing(block) },
      // List items have the indent of their list.
      ...(!list && { indent: toIndent(block) }),
    })
  }

  /**
   * Lets lines grow for fonts that need more height, except when the line height is small: the text would no longer fit
   * on the page.
   */
  #toLineSpacing({ style, lineHeight = style.size * Math.min(2.5, this.#layout.pitch) }: Paragraph) {
    const isNarrow = lineHeight < style.size * 1.2
    return { line: toTwips(lineHeight), lineRule: isNarrow ? 'exact' : 'atLeast' } as const
  }

  #toAlignment(alignment: Alignment) {
    const alignmentNames = { left: 'LEFT', center: 'CENTER', right: 'RIGHT', both: 'JUSTIFIED' } as const
    return this.#library.AlignmentType[alignmentNames[alignment]]
  }

  /** Writes a header or footer. Text after a wide gap is centered or, at the end of the row, right-aligned. */
  writeHeaderFooter(
    { runs, alignment, edges: [from, to] }: HeaderFooterRow,
    { width, margins: [left, , right] }: DocxSection,
  ): docx.Paragraph {
    const tabCount = runs.reduce((count, { text }) => count + text.split('\t').length - 1, 0)
    const tabStops = Array.from({ length: tabCount }, (_, at) => ({
      type: at === tabCount - 1 ? ('right' as const) : ('center' as const),
      position: toTwips(from - left + ((to - from) * (at + 1)) / tabCount),
    }))
    const tabLayout = {
      tabStops,
      indent: { left: toTwips(from - left), right: toTwips(width - right - to) },
    }
    return new this.#library.Paragraph({
      children: createTextRuns(this.#library, runs, {}),
      alignment: this.#toAlignment(tabCount > 0 ? 'left' : alignment),
      ...(tabCount > 0 && tabLayout),
      spacing: { before: 0, after: 0 },
    })
  }

  async #createImage(
    { path, box, labels, spaceBefore = 3 }: ImageBlock,
    [left, , right]: readonly number[],
    context: ParagraphContext,
    breaks: Partial<BlockBreaks> = {},
  ): Promise<docx.Paragraph> {
    const [width, height] = [box[2] - box[0], box[3] - box[1]]
    const scale = Math.min(1, context.width / width)
    const [indentBefore = 0, indentAfter = 0] = [box[0] - (left ?? 0), (right ?? 0) - box[2]]
    const isCentered = indentBefore > 12 && Math.abs(indentBefore - indentAfter) < 24
    const image = new this.#library.ImageRun({
      type: path.endsWith('.png') ? 'png' : 'jpg',
      data: await readFile(path),
      transformation: { width: toPixels(width * scale), height: toPixels(height * scale) },
      ...(labels !== undefined && { altText: { name: 'Figure', description: labels } }),
    })
    return new this.#library.Paragraph({
      ...this.#withBreaks(breaks, [image]),
      alignment: this.#toAlignment(isCentered ? 'center' : 'left'),
      ...(!isCentered && indentBefore > 2 && { indent: { left: toTwips(indentBefore) } }),
      spacing: { before: toTwips(spaceBefore), after: 60, line: 240, lineRule: 'auto' },
    })
  }

  async #createTable(
    { rows, widths, border: rule, isRtl, box, padding, rowTops = [], repeatsHeader }: TableBlock,
    context: ParagraphContext,
    left: number,
  ): Promise<docx.Table> {
    const columnWidths = widths.map(toTwips)
    const border = rule
      ? ({ style: 'single', size: toBorderSize(rule), color: rule.color } as const)
      : ({ style: 'none', size: 0, color: 'auto' } as const)
    const borders = { top: border, bottom: border, left: border, right: border }
    const tableRows: docx.TableRow[] = []
    for (const [at, row] of rows.entries()) {
      const rowTop = rowTops[at]
      const height = rowTop === undefined ? undefined : (rowTops[at + 1] ?? box[3]) - rowTop
      const children: docx.TableCell[] = []
      for (const cell of row) children.push(await this.#createCell(cell, context))
      const tableHeader = tableRows.length === 0 && rows.length > 1 && (repeatsHeader || isHeaderRow(row))
      // Sets the attribute only if it is true, because some readers treat even `false` as true.
      tableRows.push(
        new this.#library.TableRow({
          cantSplit: true,
          ...(tableHeader && { tableHeader }),
          ...(height !== undefined && { height: { value: toTwips(height), rule: 'atLeast' } }),
          children,
        }),
      )
    }
    const indent = box[0] - left
    return new this.#library.Table({
      columnWidths,
      ...(!isRtl && Math.abs(indent) > 0.5 && { indent: { size: toTwips(indent), type: 'dxa' } }),
      width: { size: columnWidths.reduce((total, width) => total + width, 0), type: 'dxa' },
      layout: 'fixed',
      ...(isRtl && { visuallyRightToLeft: true }),
      margins: { marginUnitType: 'dxa', left: toTwips(padding[0]), right: toTwips(padding[1]) },
      borders: { ...borders, insideHorizontal: border, insideVertical: border },
      rows: tableRows,
    })
  }

  async #createCell({ blocks, columnSpan, rowSpan, shading, width }: TableCell, context: ParagraphContext) {
    const children: docx.Paragraph[] = []
    const cellContext = { backgroundColor: shading, width: Math.min(width, context.width) }
    for (const block of blocks) {
      if (block.kind === 'paragraph') children.push(this.#createParagraph(block, cellContext))
      if (block.kind === 'image') children.push(await this.#createImage(block, block.box, cellContext))
    }
    return new this.#library.TableCell({
      columnSpan,
      rowSpan,
      ...(shading !== undefined && { shading: { type: 'clear', fill: shading, color: 'auto' } }),
      children: children.length > 0 ? children : [new this.#library.Paragraph({})],
    })
  }
}
