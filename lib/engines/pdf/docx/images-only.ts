import type * as docx from 'docx'
import type { Tools } from '../../engine.ts'
import { openPdf } from '../open-pdf.ts'
import { renderPages } from '../render.ts'
import type { Writing } from './docx-request.ts'
import { backdrop, wholePage, writePages } from './full-page-images.ts'

const dpi = 150

/** A document with a picture of each page: what is left when the pages tell nothing else. */
export async function picturesDocx(
  { path, pages, outDir, about }: Omit<Writing, 'exact'>,
  tools: Tools,
): Promise<string> {
  const library = await import('docx')
  const opened = await openPdf(path, undefined, tools)
  const drawn = new Map<number, string>()
  const jpeg = { extension: 'jpg', args: ['-jpeg', '-jpegopt', 'quality=85'] } as const
  // Its own progress is left out: what came before may have told more already.
  const quiet: Tools = { ...tools, progress: () => undefined }
  const rendering = { pages, dpi, downscale: 4000, gray: false, ...jpeg }
  await renderPages(opened, rendering, quiet, async (file) => {
    drawn.set(file.page, file.path)
  })
  const sections: docx.ISectionOptions[] = []
  for (const page of pages) {
    const [file, size] = [drawn.get(page), opened.sizes[page - 1]]
    if (!file || !size) continue
    const picture = await backdrop(library, size, file)
    sections.push(wholePage(library, size, [new library.Paragraph({ children: [picture] })]))
  }
  return writePages(library, sections, outDir, about)
}
