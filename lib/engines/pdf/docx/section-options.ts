import type * as docx from 'docx'
import { defined } from '../../../validation/defined.ts'
import type { DocxSection } from './sections.ts'
import type { DocxLibrary } from './text-runs.ts'
import { toTwips } from './units.ts'

/** Returns the width of a line in points. */
export function measureTextWidth({ width, margins, columns }: DocxSection): number {
  const textWidth = width - margins[0] - margins[2]
  return columns ? (textWidth - columns.space * (columns.count - 1)) / columns.count : textWidth
}

/** Converts a page size. For landscape, the library expects the shorter side as the width and swaps the sides. */
export function toPageSize(library: DocxLibrary, { width, height }: Pick<DocxSection, 'width' | 'height'>) {
  return {
    width: toTwips(Math.min(width, height)),
    height: toTwips(Math.max(width, height)),
    orientation: library.PageOrientation[width > height ? 'LANDSCAPE' : 'PORTRAIT'],
  }
}

/** Points from the edges of the page to its header and footer. */
interface HeaderFooterDistances {
  readonly header?: number
  readonly footer?: number
}

/** Returns page size, margins and columns in Word's terms. */
export function toSectionOptions(
  library: DocxLibrary,
  section: DocxSection,
  { header, footer }: HeaderFooterDistances = {},
): docx.ISectionPropertiesOptions {
  const { columns, isContinuous } = section
  const [left, top, right, bottom] = section.margins
  return {
    page: {
      size: toPageSize(library, section),
      margin: {
        left: toTwips(left),
        top: toTwips(top),
        right: toTwips(right),
        bottom: toTwips(bottom),
        ...defined({
          header: header === undefined ? undefined : toTwips(header),
          footer: footer === undefined ? undefined : toTwips(footer),
        }),
      },
    },
    ...(isContinuous && { type: library.SectionType.CONTINUOUS }),
    ...defined({
      column: columns && {
        count: columns.count,
        space: toTwips(columns.space),
        separate: columns.isRuled,
        equalWidth: true,
      },
    }),
  }
}

/**
 * Creates a section that balances the columns of the section before it. If no section followed, Word would fill those
 * columns one by one.
 */
export function createBalancingSection(library: DocxLibrary, lastSection: DocxSection): docx.ISectionOptions {
  const { columns: _, ...plain } = lastSection
  return {
    properties: toSectionOptions(library, { ...plain, isContinuous: true }),
    children: [new library.Paragraph({ spacing: { before: 0, after: 0, line: 20, lineRule: 'exact' } })],
  }
}
