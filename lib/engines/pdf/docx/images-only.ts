import type * as docx from 'docx'
import type { Tools } from '../../engine.ts'
import { openPdf } from '../open-pdf.ts'
import { renderPages } from '../render.ts'
import type { DocxRequest } from './docx-request.ts'
import { createBackgroundImage, createFullPageSection, writeSections } from './full-page-images.ts'

const dpi = 150

/** Creates a document with an image of each page, the last fallback. */
export async function buildImagesOnly(
  { path, pages, outDir, documentInfo }: Omit<DocxRequest, 'isFixedLayout'>,
  tools: Tools,
): Promise<string> {
  const library = await import('docx')
  const openedPdf = await openPdf(path, undefined, tools)
  const renderedPaths = new Map<number, string>()
  const jpeg = { extension: 'jpg', args: ['-jpeg', '-jpegopt', 'quality=85'] } as const
  // Ignores progress, because earlier attempts may have reported more.
  const toolsWithoutProgress: Tools = { ...tools, progress: () => undefined }
  const settings = { pages, dpi, downscale: 4000, gray: false, ...jpeg }
  await renderPages(openedPdf, settings, toolsWithoutProgress, async (file) => {
    renderedPaths.set(file.page, file.path)
  })
  const sections: docx.ISectionOptions[] = []
  for (const page of pages) {
    const [file, size] = [renderedPaths.get(page), openedPdf.sizes[page - 1]]
    if (!file || !size) continue
    const image = await createBackgroundImage(library, size, file)
    sections.push(createFullPageSection(library, size, [new library.Paragraph({ children: [image] })]))
  }
  return writeSections(library, sections, outDir, documentInfo)
}
