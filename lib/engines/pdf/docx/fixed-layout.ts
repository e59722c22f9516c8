import type * as docx from 'docx'
import type { Tools } from '../../engine.ts'
import { renderBackgrounds } from './backgrounds.ts'
import type { DocxRequest, DocxResult } from './docx-request.ts'
import { createBackgroundImage, createFullPageSection, writeSections } from './full-page-images.ts'
import { groupIntoLines, splitAtGaps, type TextLine, toLine } from './lines.ts'
import type { PageContent } from './page-content.ts'
import { parsePages } from './parse-pages.ts'
import { buildRuns } from './runs.ts'
import { createTextRuns, type DocxLibrary } from './text-runs.ts'
import { toTwips } from './units.ts'

/**
 * Creates a document that looks like the pages: each line segment is in a frame, over an image of everything else. The
 * document is more faithful than one with flowing text, but harder to edit.
 */
export async function buildFixedLayout(
  source: Omit<DocxRequest, 'isFixedLayout'>,
  tools: Tools,
): Promise<DocxResult> {
  const { structure, path, pagesRecognized } = await parsePages(source, tools, (donePages) =>
    tools.progress((donePages / source.pages.length) * 0.5, 'pages'),
  )
  const file = await writeFixedLayout({ ...source, path }, structure.pages, tools)
  return { file, pagesRecognized }
}

/**
 * Writes a document in which each line is in a frame.
 * @param needsBackground whether a page shows more than its text
 */
export async function writeFixedLayout(
  { path, outDir, documentInfo }: Pick<DocxRequest, 'path' | 'outDir' | 'documentInfo'>,
  pages: readonly PageContent[],
  tools: Tools,
  needsBackground?: (page: PageContent) => boolean,
): Promise<string> {
  const library = await import('docx')
  const backgrounds = await renderBackgrounds(path, pages, tools, needsBackground)
  tools.progress(0.8, 'document')
  const sections: docx.ISectionOptions[] = []
  for (const page of pages) sections.push(await toSection(library, page, backgrounds.get(page.number)))
  return writeSections(library, sections, outDir, documentInfo)
}

async function toSection(
  library: DocxLibrary,
  page: PageContent,
  background?: string,
): Promise<docx.ISectionOptions> {
  const lines = page.textSegments.flatMap((segment) =>
    groupIntoLines(segment).flatMap((line) => splitAtGaps(line, 1.1).map((words) => toLine(words))),
  )
  const backgroundRuns = background ? [await createBackgroundImage(library, page, background)] : []
  return createFullPageSection(library, page, [
    ...lines.map((line) => toFrame(library, line)),
    new library.Paragraph({ children: backgroundRuns }),
  ])
}

/** Converts a line to a frame, with extra width on the right because replacement fonts may be wider. */
function toFrame(library: DocxLibrary, line: TextLine): docx.Paragraph {
  const [left, , right] = line.box
  const { size } = line.style
  return new library.Paragraph({
    frame: {
      type: 'absolute',
      position: { x: toTwips(left), y: toTwips(line.baseline - size * 0.93) },
      width: toTwips((right - left) * 1.06 + size),
      height: toTwips(size * 1.17),
      anchor: { horizontal: 'page', vertical: 'page' },
      rule: 'atLeast',
      wrap: 'around',
    },
    ...(line.isRtl && { bidirectional: true }),
    spacing: { before: 0, after: 0 },
    // Light text is visible because the background image is behind it.
    children: createTextRuns(library, buildRuns([line], false, new Set()), { backgroundColor: 'image' }),
  })
}
