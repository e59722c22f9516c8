import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Tools } from '../../engine.ts'
import type { DocxRequest, DocxResult } from './docx-request.ts'
import { renderDrawings } from './drawings.ts'
import { collectImages, type RenderContext } from './images.ts'
import { buildLayout, type PageParts } from './layout.ts'
import type { PageContent } from './page-content.ts'
import {
  addDrawings,
  type DecoratedPage,
  findDecoration,
  warnAboutFailedDrawings,
} from './page-decoration.ts'
import { parsePages } from './parse-pages.ts'
import { writeDocx } from './write-docx.ts'

/** Creates an editable Word document with paragraphs, headings, lists, tables and images. */
export async function buildFlowingLayout(
  source: Omit<DocxRequest, 'isFixedLayout'>,
  tools: Tools,
): Promise<DocxResult> {
  const { structure, path, pagesRecognized } = await parsePages(source, tools, (donePages) =>
    tools.progress((donePages / source.pages.length) * 0.6, 'pages'),
  )
  const decoratedPages: DecoratedPage[] = []
  for (const page of structure.pages) {
    // Lets timers and cancellation run between pages.
    await setImmediate()
    tools.signal.throwIfAborted()
    decoratedPages.push(findDecoration(page))
  }
  const requests = decoratedPages.flatMap((page) => page.requests)
  const drawings = await renderDrawings(path, requests, structure.pages, tools)
  warnAboutFailedDrawings(drawings, tools)
  const partsByPage = new Map<PageContent, PageParts>()
  const renderContext: RenderContext = { path, renderedCount: 0 }
  for (const decoratedPage of decoratedPages) {
    tools.signal.throwIfAborted()
    const { grids, figures } = decoratedPage
    const { page, floatingImages } = addDrawings(decoratedPage, drawings)
    const images = await collectImages(page, figures, renderContext, tools)
    partsByPage.set(page, { grids, floatingImages, ...images })
  }
  const pages = [...partsByPage.keys()]
  if (pages.some(({ rotatedText }) => rotatedText.length > 0)) {
    tools.warn('TEXT_MOVED', 'Rotated or vertical text was placed horizontally at the end of its page.')
  }
  tools.progress(0.8, 'document')
  const docxPath = join(source.outDir, 'output.docx')
  await writeDocx(
    await buildLayout({ ...structure, pages }, partsByPage, tools.signal),
    docxPath,
    source.documentInfo,
  )
  return { file: docxPath, pagesRecognized }
}
