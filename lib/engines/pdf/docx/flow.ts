import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Tools } from '../../engine.ts'
import { areaOf } from './geometry.ts'
import { layoutOf, type PageParts } from './layout.ts'
import type { Page } from './page.ts'
import { tablesOf } from './page-blocks.ts'
import { picturesOf } from './pictures.ts'
import { readStructure } from './structure.ts'
import { writeDocx } from './write.ts'
import type { Writing } from './writing.ts'

/** A Word document of paragraphs, headings, lists, tables and pictures that can be edited. */
export async function flowDocx(
  { path, pages, outDir, about }: Omit<Writing, 'exact'>,
  tools: Tools,
): Promise<string> {
  const structure = await readStructure(path, pages, tools, (done) =>
    tools.progress((done / pages.length) * 0.6, 'pages'),
  )
  const parts = new Map<Page, PageParts>()
  const budget = { drawn: 0 }
  for (const page of structure.pages) {
    // Gives way to the clock and to a cancel between pages.
    await setImmediate()
    tools.signal.throwIfAborted()
    const grids = tablesOf(page)
    const boxes = grids.map(({ box }) => box)
    parts.set(page, { grids, pictures: await picturesOf(path, page, boxes, tools, budget) })
  }
  if (structure.pages.some(({ turned }) => turned.length > 0)) {
    tools.warn('TEXT_MOVED', 'Turned or vertical text was set upright, at the end of its page.')
  }
  warnOfPictures(structure.pages, tools)
  tools.progress(0.8, 'document')
  const target = join(outDir, 'output.docx')
  await writeDocx(await layoutOf(structure, parts, tools.signal), target, about)
  return target
}

/** A page that was scanned into a document of text; scans of whole documents are told of before they come here. */
function warnOfPictures(pages: readonly Page[], tools: Tools): void {
  const silent = pages.filter(
    ({ pieces, images, width, height }) =>
      pieces.length === 0 && images.some(({ box }) => areaOf(box) > width * height * 0.3),
  )
  if (silent.length === 0 || silent.length >= pages.length * 0.8) return
  const numbers = silent.slice(0, 10).map(({ number }) => number)
  tools.warn(
    'TEXT_MAY_BE_MISSING',
    `${silent.length} pages are pictures without text (${numbers.join(', ')}${silent.length > 10 ? ' …' : ''}). Use toolOperation=ocr-pdf first to read it.`,
  )
}
