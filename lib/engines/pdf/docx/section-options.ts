import type * as docx from 'docx'
import type { Section } from './sections.ts'
import type { Docx } from './text-runs.ts'
import { twips } from './units.ts'

/** Points from the left to the right edge of a line. */
export function textWidthOf({ width, margins, columns }: Section): number {
  const text = width - margins[0] - margins[2]
  return columns ? (text - columns.space * (columns.count - 1)) / columns.count : text
}

/** Word wants the shorter side as the width, and to be told that the sheet lies. */
export function sheetOf(library: Docx, { width, height }: Pick<Section, 'width' | 'height'>) {
  return {
    width: twips(Math.min(width, height)),
    height: twips(Math.max(width, height)),
    orientation: library.PageOrientation[width > height ? 'LANDSCAPE' : 'PORTRAIT'],
  }
}

/** Sheet, margins and columns as Word is told. */
export function sectionOptions(library: Docx, section: Section): docx.ISectionPropertiesOptions {
  const { columns, continuous } = section
  const [left, top, right, bottom] = section.margins
  return {
    page: {
      size: sheetOf(library, section),
      margin: { left: twips(left), top: twips(top), right: twips(right), bottom: twips(bottom) },
    },
    ...(continuous && { type: library.SectionType.CONTINUOUS }),
    ...(columns && {
      column: {
        count: columns.count,
        space: twips(columns.space),
        separate: columns.ruled,
        equalWidth: true,
      },
    }),
  }
}

/** Word fills the last columns of a document one by one, unless something stands below them. */
export function evenEnd(library: Docx, last: Section): docx.ISectionOptions {
  const { columns: _, ...plain } = last
  return {
    properties: sectionOptions(library, { ...plain, continuous: true }),
    children: [new library.Paragraph({ spacing: { before: 0, after: 0, line: 20, lineRule: 'exact' } })],
  }
}
