import { writeFile } from 'node:fs/promises'
import type * as docx from 'docx'
import type { DocumentInfo } from '../open-pdf.ts'
import { BlockWriter } from './block-writer.ts'
import { toDocumentProperties } from './docx-request.ts'
import type { HeaderFooterRow } from './headers-footers.ts'
import type { DocxLayout } from './layout.ts'
import { buildNumbering } from './numbering.ts'
import { createBalancingSection, measureTextWidth, toSectionOptions } from './section-options.ts'
import type { DocxSection } from './sections.ts'
import type { DocxLibrary } from './text-runs.ts'

/** Writes a layout as a Word document. */
export async function writeDocx(layout: DocxLayout, path: string, documentInfo: DocumentInfo): Promise<void> {
  const library = await import('docx')
  const sections: docx.ISectionOptions[] = []
  for (const section of layout.sections) sections.push(await createSection(section, layout, library))
  const lastSection = layout.sections.at(-1)
  if (lastSection?.columns?.isBalanced) sections.push(createBalancingSection(library, lastSection))
  const bodyRunStyle = { font: 'Calibri', size: Math.round(layout.bodySize * 2) }
  const document = new library.Document({
    ...toDocumentProperties(documentInfo),
    compatibility: { version: 15 },
    styles: { default: { document: { run: bodyRunStyle }, ...createHeadingStyles(bodyRunStyle) } },
    numbering: { config: buildNumbering(library, layout) },
    sections,
  })
  await writeFile(path, await library.Packer.toBuffer(document))
}

/** Headings keep the look they have in the PDF; the style only defines their level. */
function createHeadingStyles(run: docx.IRunStylePropertiesOptions) {
  const plainStyle = { run: { ...run, color: '000000', italics: false }, paragraph: { keepNext: true } }
  const levels = [1, 2, 3, 4, 5, 6] as const
  return Object.fromEntries(levels.map((level) => [`heading${level}`, plainStyle]))
}

async function createSection(
  section: DocxSection,
  layout: DocxLayout,
  library: DocxLibrary,
): Promise<docx.ISectionOptions> {
  const children: (docx.Paragraph | docx.Table)[] = []
  const writer = new BlockWriter(library, layout)
  const context = { width: measureTextWidth(section) }
  for (const [index, block] of section.blocks.entries()) {
    children.push(...(await writer.writeBlock(block, section.blocks[index + 1], context)))
  }
  const writeRow = (row: HeaderFooterRow) => writer.writeHeaderFooter(row, section)
  return {
    properties: toSectionOptions(library, section, {
      header: layout.header[0]?.top ?? 0,
      footer: Math.max(0, section.height - (layout.footer.at(-1)?.bottom ?? section.height)),
    }),
    // A section on the same page keeps the headers and footers of that page.
    ...(!section.isContinuous && {
      ...(layout.header.length > 0 && {
        headers: { default: new library.Header({ children: layout.header.map(writeRow) }) },
      }),
      ...(layout.footer.length > 0 && {
        footers: { default: new library.Footer({ children: layout.footer.map(writeRow) }) },
      }),
    }),
    children: children.length > 0 ? children : [new library.Paragraph({})],
  }
}
