import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Tools } from '../../engine.ts'
import type { Writing, Written } from './docx-request.ts'
import { type Drawing, picturesOf } from './images.ts'
import { layoutOf, type PageParts } from './layout.ts'
import { tablesOf } from './page-blocks.ts'
import type { Page } from './page-content.ts'
import { readPages } from './parse-pages.ts'
import { textlessPages } from './remove-text.ts'
import { writeDocx } from './write-docx.ts'

/** A Word document of paragraphs, headings, lists, tables and pictures that can be edited. */
export async function flowDocx(source: Omit<Writing, 'exact'>, tools: Tools): Promise<Written> {
  const { structure, path, recognized } = await readPages(source, tools, (done) =>
    tools.progress((done / source.pages.length) * 0.6, 'pages'),
  )
  const parts = new Map<Page, PageParts>()
  const numbers = structure.pages.map(({ number }) => number)
  let textless: ReturnType<Drawing['textless']> | undefined
  const drawing: Drawing = {
    path,
    textless: () => {
      textless ??= textlessPages(path, numbers, tools)
      return textless
    },
    drawn: 0,
  }
  for (const page of structure.pages) {
    // Gives way to the clock and to a cancel between pages.
    await setImmediate()
    tools.signal.throwIfAborted()
    const grids = tablesOf(page)
    const boxes = grids.map(({ box }) => box)
    parts.set(page, { grids, ...(await picturesOf(page, boxes, drawing, tools)) })
  }
  if (structure.pages.some(({ turned }) => turned.length > 0)) {
    tools.warn('TEXT_MOVED', 'Turned or vertical text was set upright, at the end of its page.')
  }
  tools.progress(0.8, 'document')
  const file = join(source.outDir, 'output.docx')
  await writeDocx(await layoutOf(structure, parts, tools.signal), file, source.about)
  return { file, recognized }
}
