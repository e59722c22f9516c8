import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type * as docx from 'docx'
import type { Tools } from '../engine.ts'
import { openPdf } from '../pdf-open.ts'
import { renderPages } from '../pdf-render.ts'
import { pixels, twips } from './units.ts'

const dpi = 150

/** A document with a picture of each page: what is left when the pages tell nothing else. */
export async function picturesDocx(
  path: string,
  pages: readonly number[],
  outDir: string,
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
    const [short, long] = [Math.min(size.width, size.height), Math.max(size.width, size.height)]
    const transformation = { width: pixels(size.width), height: pixels(size.height) }
    const start = { relative: 'page', offset: 0 } as const
    const floating = { horizontalPosition: start, verticalPosition: start, behindDocument: true }
    const image = new library.ImageRun({ type: 'jpg', data: await readFile(file), transformation, floating })
    sections.push({
      properties: {
        page: {
          size: {
            width: twips(short),
            height: twips(long),
            orientation: library.PageOrientation[size.width > size.height ? 'LANDSCAPE' : 'PORTRAIT'],
          },
          margin: { left: 0, top: 0, right: 0, bottom: 0, header: 0, footer: 0 },
        },
      },
      children: [new library.Paragraph({ children: [image] })],
    })
  }
  const document = new library.Document({ creator: 'Mutabor', compatibility: { version: 15 }, sections })
  const target = join(outDir, 'output.docx')
  await writeFile(target, await library.Packer.toBuffer(document))
  return target
}
