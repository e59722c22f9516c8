import type * as docx from 'docx'
import type { Tools } from '../../engine.ts'
import { groundsOf } from './backgrounds.ts'
import type { Writing, Written } from './docx-request.ts'
import { backdrop, wholePage, writePages } from './full-page-images.ts'
import { type Line, lineOf, linesOf, segmentsOf } from './lines.ts'
import type { Page } from './page-content.ts'
import { readPages } from './parse-pages.ts'
import { runsOf } from './runs.ts'
import { type Docx, textRuns } from './text-runs.ts'
import { twips } from './units.ts'

/**
 * Pages as they look: each piece of a line in a frame of its own, over a picture of all that is no text. What it
 * gains in looks it loses in editing.
 */
export async function exactDocx(source: Omit<Writing, 'exact'>, tools: Tools): Promise<Written> {
  const { structure, path, recognized } = await readPages(source, tools, (done) =>
    tools.progress((done / source.pages.length) * 0.5, 'pages'),
  )
  const file = await writeExact({ ...source, path }, structure.pages, tools)
  return { file, recognized }
}

/** @param isDrawn where a page shows more than text. */
export async function writeExact(
  { path, outDir, about }: Pick<Writing, 'path' | 'outDir' | 'about'>,
  pages: readonly Page[],
  tools: Tools,
  isDrawn?: (page: Page) => boolean,
): Promise<string> {
  const library = await import('docx')
  const grounds = await groundsOf(path, pages, tools, isDrawn)
  tools.progress(0.8, 'document')
  const sections: docx.ISectionOptions[] = []
  for (const page of pages) sections.push(await sectionOf(library, page, grounds.get(page.number)))
  return writePages(library, sections, outDir, about)
}

async function sectionOf(library: Docx, page: Page, ground?: string): Promise<docx.ISectionOptions> {
  const pieces = page.pieces.flatMap((piece) =>
    linesOf(piece).flatMap((line) => segmentsOf(line, 1.1).map((words) => lineOf(words))),
  )
  const last = ground ? [await backdrop(library, page, ground)] : []
  return wholePage(library, page, [
    ...pieces.map((line) => frameOf(library, line)),
    new library.Paragraph({ children: last }),
  ])
}

/** Fonts that stand in are wider or narrower, so a frame has some room to its right. */
function frameOf(library: Docx, line: Line): docx.Paragraph {
  const [left, , right] = line.box
  const { size } = line.style
  return new library.Paragraph({
    frame: {
      type: 'absolute',
      position: { x: twips(left), y: twips(line.base - size * 0.93) },
      width: twips((right - left) * 1.06 + size),
      height: twips(size * 1.17),
      anchor: { horizontal: 'page', vertical: 'page' },
      rule: 'atLeast',
      wrap: 'around',
    },
    ...(line.rtl && { bidirectional: true }),
    spacing: { before: 0, after: 0 },
    // Light letters stand on the picture behind them.
    children: textRuns(library, runsOf([line], false, new Set()), { onColor: 'ground' }),
  })
}
