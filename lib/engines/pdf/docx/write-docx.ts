import { readFile, writeFile } from 'node:fs/promises'
import type * as docx from 'docx'
import type { PdfAbout } from '../open-pdf.ts'
import type { Alignment, Cell, FlowBlock, Paragraph, Picture, Table } from './blocks.ts'
import { authorship } from './docx-request.ts'
import type { FurnitureRow } from './headers-footers.ts'
import type { Layout } from './layout.ts'
import { indentOf, numberingOf, numberingReference } from './numbering.ts'
import { evenEnd, sectionOptions, textWidthOf } from './section-options.ts'
import type { Section } from './sections.ts'
import { type Docx, textRuns } from './text-runs.ts'
import { pixels, twips } from './units.ts'

/** What a paragraph stands in. */
interface Place {
  readonly onColor?: string | undefined
  /** Points from its left to its right edge. */
  readonly width: number
}

/** What comes before a paragraph. */
interface Breaks {
  readonly pageBreakBefore: boolean
  readonly columnBreak: boolean
}

/** Writes a layout as a Word document. */
export async function writeDocx(layout: Layout, path: string, about: PdfAbout): Promise<void> {
  const library = await import('docx')
  const writer = createWriter(library, layout)
  const sections: docx.ISectionOptions[] = []
  for (const section of layout.sections) sections.push(await writer.section(section))
  const last = layout.sections.at(-1)
  if (last?.columns?.balanced) sections.push(evenEnd(library, last))
  const body = { font: 'Calibri', size: Math.round(layout.bodySize * 2) }
  const document = new library.Document({
    ...authorship(about),
    compatibility: { version: 15 },
    styles: { default: { document: { run: body }, ...headingStyles(body) } },
    numbering: { config: numberingOf(library, layout) },
    sections,
  })
  await writeFile(path, await library.Packer.toBuffer(document))
}

/** The look of a heading is that of its letters in the PDF; the style names its level. */
function headingStyles(run: docx.IRunStylePropertiesOptions) {
  const plain = { run: { ...run, color: '000000', italics: false }, paragraph: { keepNext: true } }
  const levels = [1, 2, 3, 4, 5, 6] as const
  return Object.fromEntries(levels.map((level) => [`heading${level}`, plain]))
}

/** Points below a paragraph: a table, and text in columns, have no distance of their own. */
function gapBelow({ box, spaceAfter = 0 }: Paragraph & FlowBlock, next: FlowBlock | undefined): number {
  return next?.kind === 'table' ? Math.min(24, Math.max(0, next.box[1] - box[3])) : spaceAfter
}

/** The first row of a table names its columns where it is bold or on a colored ground. */
function isHead(row: readonly Cell[]): boolean {
  const isBold = ({ blocks }: Cell) =>
    blocks.length > 0 &&
    blocks.every((block) => block.kind === 'paragraph' && block.runs.every(({ style }) => style.bold))
  return row.length > 0 && (row.every(isBold) || row.every(({ shading }) => shading !== undefined))
}

function createWriter(library: Docx, layout: Layout) {
  return { section }

  async function section(part: Section): Promise<docx.ISectionOptions> {
    const children: (docx.Paragraph | docx.Table)[] = []
    const place = { width: textWidthOf(part) }
    for (const [index, block] of part.blocks.entries()) {
      children.push(...(await blockParts(block, part.blocks[index + 1], place)))
    }
    const rowOf = (row: FurnitureRow) => furnitureParagraph(row, part)
    return {
      properties: sectionOptions(library, part),
      // A part of a page has those of the page.
      ...(!part.continuous && {
        headers: { default: new library.Header({ children: layout.header.map(rowOf) }) },
        footers: { default: new library.Footer({ children: layout.footer.map(rowOf) }) },
      }),
      children: children.length > 0 ? children : [new library.Paragraph({})],
    }
  }

  /** The runs of a paragraph with what sends them to the next page or column. */
  function brokenBefore(
    { pageBreakBefore = false, columnBreak = false }: Partial<Breaks>,
    children: readonly docx.ParagraphChild[],
  ) {
    const start = columnBreak ? [new library.Run({ children: [new library.ColumnBreak()] })] : []
    return { children: [...start, ...children], ...(pageBreakBefore && { pageBreakBefore }) }
  }

  /** Two tables without anything between them would be one, and a document may not end with one. */
  function afterTable(): docx.Paragraph {
    return new library.Paragraph({ spacing: { before: 0, after: 0, line: 120, lineRule: 'exact' } })
  }

  async function blockParts(
    block: FlowBlock,
    next: FlowBlock | undefined,
    place: Place,
  ): Promise<(docx.Paragraph | docx.Table)[]> {
    const breaks = { pageBreakBefore: block.newPage === true, columnBreak: block.newColumn === true }
    switch (block.kind) {
      case 'paragraph':
        return [paragraph(block, place, { ...breaks, after: gapBelow(block, next) })]
      case 'picture':
        return [await picture(block, block.column, place, breaks)]
      case 'table': {
        const isBroken = breaks.pageBreakBefore || breaks.columnBreak
        const before = isBroken ? [new library.Paragraph(brokenBefore(breaks, []))] : []
        return [...before, await table(block, place), ...(next?.kind === 'paragraph' ? [] : [afterTable()])]
      }
    }
  }

  function paragraph(
    block: Paragraph,
    { onColor, width }: Place,
    { after = 0, ...breaks }: Partial<Breaks> & { readonly after?: number } = {},
  ): docx.Paragraph {
    const { heading, list } = block
    const level = heading === undefined ? undefined : (`HEADING_${heading}` as 'HEADING_1') // 1 to 6
    const literal = block.mark && !list ? [{ text: `${block.mark.text}\t`, style: block.style }] : []
    const runs = [...literal, ...block.runs]
    const tabbed = runs.some(({ text }) => text.includes('\t'))
    return new library.Paragraph({
      ...brokenBefore(breaks, textRuns(library, runs, { onColor })),
      ...(level && { heading: library.HeadingLevel[level] }),
      ...(list && { numbering: { reference: numberingReference(list), level: list.level } }),
      ...(!block.rtl && { alignment: alignments(block.alignment) }),
      ...(block.rtl && { bidirectional: true }),
      ...(tabbed && !block.mark && { tabStops: [{ type: 'right', position: twips(width) }] }),
      spacing: { before: twips(block.spaceBefore), after: twips(after), ...lineOf(block) },
      // The items of a list have that of the list.
      ...(!list && { indent: indentOf(block) }),
    })
  }

  /** Fonts that need more between their lines take it. */
  function lineOf({ style }: Paragraph) {
    return { line: twips(style.size * Math.min(2.5, layout.pitch)), lineRule: 'atLeast' } as const
  }

  function alignments(alignment: Alignment) {
    const names = { left: 'LEFT', center: 'CENTER', right: 'RIGHT', both: 'JUSTIFIED' } as const
    return library.AlignmentType[names[alignment]]
  }

  /** What has a wide gap before it stands in the middle or, as the last of the row, at the right edge. */
  function furnitureParagraph(
    { runs, alignment, edges: [from, to] }: FurnitureRow,
    { width, margins: [left, , right] }: Section,
  ): docx.Paragraph {
    const tabs = runs.reduce((count, { text }) => count + text.split('\t').length - 1, 0)
    const stops = Array.from({ length: tabs }, (_, at) => ({
      type: at === tabs - 1 ? ('right' as const) : ('center' as const),
      position: twips(from - left + ((to - from) * (at + 1)) / tabs),
    }))
    const apart = {
      tabStops: stops,
      indent: { left: twips(from - left), right: twips(width - right - to) },
    }
    return new library.Paragraph({
      children: textRuns(library, runs, {}),
      alignment: alignments(tabs > 0 ? 'left' : alignment),
      ...(tabs > 0 && apart),
      spacing: { before: 0, after: 0 },
    })
  }

  async function picture(
    { path, box, labels }: Picture,
    [left, , right]: readonly number[],
    place: Place,
    breaks: Partial<Breaks> = {},
  ): Promise<docx.Paragraph> {
    const [width, height] = [box[2] - box[0], box[3] - box[1]]
    const scale = Math.min(1, place.width / width)
    const [before = 0, after = 0] = [box[0] - (left ?? 0), (right ?? 0) - box[2]]
    const centered = before > 12 && Math.abs(before - after) < 24
    const image = new library.ImageRun({
      type: path.endsWith('.png') ? 'png' : 'jpg',
      data: await readFile(path),
      transformation: { width: pixels(width * scale), height: pixels(height * scale) },
      ...(labels !== undefined && { altText: { name: 'Figure', description: labels } }),
    })
    return new library.Paragraph({
      ...brokenBefore(breaks, [image]),
      alignment: alignments(centered ? 'center' : 'left'),
      spacing: { before: 60, after: 60, line: 240, lineRule: 'auto' },
    })
  }

  async function table({ rows, widths, ruled, rtl }: Table, place: Place): Promise<docx.Table> {
    const sum = widths.reduce((total, width) => total + width, 0)
    // Fonts may be replaced by wider ones: cells get some room where there is some.
    const scale = Math.min(ruled ? 1.02 : 1.06, place.width / sum)
    const columnWidths = widths.map((width) => twips(width * scale))
    const border = ruled
      ? ({ style: 'single', size: 4, color: 'auto' } as const)
      : ({ style: 'none', size: 0, color: 'auto' } as const)
    const borders = { top: border, bottom: border, left: border, right: border }
    const side = ruled ? 30 : 15
    const made: docx.TableRow[] = []
    for (const row of rows) {
      const children: docx.TableCell[] = []
      for (const one of row) children.push(await cell(one, place))
      const tableHeader = made.length === 0 && rows.length > 1 && isHead(row)
      // Some readers take the mark for said even where it says no.
      made.push(new library.TableRow({ cantSplit: true, ...(tableHeader && { tableHeader }), children }))
    }
    return new library.Table({
      columnWidths,
      width: { size: columnWidths.reduce((total, width) => total + width, 0), type: 'dxa' },
      layout: 'fixed',
      ...(rtl && { visuallyRightToLeft: true }),
      margins: { marginUnitType: 'dxa', left: side, right: side },
      borders: { ...borders, insideHorizontal: border, insideVertical: border },
      rows: made,
    })
  }

  async function cell({ blocks, columnSpan, rowSpan, shading, width }: Cell, place: Place) {
    const children: docx.Paragraph[] = []
    const inside = { onColor: shading, width: Math.min(width, place.width) }
    for (const block of blocks) {
      if (block.kind === 'paragraph') children.push(paragraph(block, inside))
      if (block.kind === 'picture') children.push(await picture(block, block.box, inside))
    }
    return new library.TableCell({
      columnSpan,
      rowSpan,
      ...(shading !== undefined && { shading: { type: 'clear', fill: shading, color: 'auto' } }),
      children: children.length > 0 ? children : [new library.Paragraph({})],
    })
  }
}
