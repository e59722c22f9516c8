import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Tools } from '../../engine.ts'
import type { DocxRequest, DocxResult } from './docx-request.ts'
import { collectImages, type RenderContext } from './images.ts'
import { buildLayout, type PageParts } from './layout.ts'
import { findRuledTables } from './page-blocks.ts'
import type { PageContent } from './page-content.ts'
import { parsePages } from './parse-pages.ts'
import { removeText } from './remove-text.ts'
import { writeDocx } from './write-docx.ts'

/** Creates an editable Word document with paragraphs, headings, lists, tables and images. */
export async function buildFlowingLayout(
  source: Omit<DocxRequest, 'isFixedLayout'>,
  tools: Tools,
): Promise<DocxResult> {
  const { structure, path, pagesRecognized } = await parsePages(source, tools, (done) =>
    tools.progress((done / source.pages.length) * 0.6, 'pages'),
  )
  const parts = new Map<PageContent, PageParts>()
  const numbers = structure.pages.map(({ number }) => number)
  let textless: ReturnType<RenderContext['textless']> | undefined
  const renderContext: RenderContext = {
    path,
    textless: () => {
      textless ??= removeText(path, numbers, tools)
      return textless
    },
    renderedCount: 0,
  }
  for (const page of structure.pages) {
    // Lets timers and cancellation run between pages.
    await setImmediate()
    tools.signal.throwIfAborted()
    const grids = findRuledTables(page)
    const boxes = grids.map(({ box }) => box)
    parts.set(page, { grids, ...(await collectImages(page, boxes, renderContext, tools)) })
  }
  if (structure.pages.some(({ rotatedText }) => rotatedText.length > 0)) {
    tools.warn('TEXT_MOVED', 'Rotated or vertical text was placed horizontally at the end of its page.')
  }
  tools.progress(0.8, 'document')
  const file = join(source.outDir, 'output.docx')
  await writeDocx(await buildLayout(structure, parts, tools.signal), file, source.documentInfo)
  return { file, pagesRecognized }
}
