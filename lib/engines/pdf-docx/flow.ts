import { join } from 'node:path'
import type { Tools } from '../engine.ts'
import { layoutOf, type PageParts } from './layout.ts'
import { tablesOf } from './page-blocks.ts'
import { picturesOf } from './pictures.ts'
import type { Page } from './structure.ts'
import { readStructure } from './structure.ts'
import { writeDocx } from './write.ts'

/** A Word document of paragraphs, headings, lists, tables and pictures that can be edited. */
export async function flowDocx(
  path: string,
  pages: readonly number[],
  outDir: string,
  tools: Tools,
): Promise<string> {
  const structure = await readStructure(path, pages, tools, (done) =>
    tools.progress((done / pages.length) * 0.6, 'pages'),
  )
  const parts = new Map<Page, PageParts>()
  const budget = { drawn: 0 }
  for (const page of structure.pages) {
    tools.signal.throwIfAborted()
    const grids = tablesOf(page)
    const boxes = grids.map(({ box }) => box)
    parts.set(page, { grids, pictures: await picturesOf(path, page, boxes, tools, budget) })
  }
  if (structure.pages.some(({ turned }) => turned.length > 0)) {
    tools.warn('TEXT_MOVED', 'Turned or vertical text was set upright, at the end of its page.')
  }
  tools.progress(0.8, 'document')
  const target = join(outDir, 'output.docx')
  await writeDocx(layoutOf(structure, parts), target)
  return target
}
