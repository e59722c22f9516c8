import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { EngineResult, EngineWork, OutputFile, Tools } from '../engine.ts'
import { integer } from '../options.ts'
import {
  allowEnlargement,
  computeScale,
  createThumbnailRows,
  parseThumbnailBox,
  type ThumbnailBox,
} from '../shared/image/thumbnail-options.ts'
import { toThumbnailTarget, writeThumbnail } from '../vips/thumbnail.ts'
import { openPdf, type PdfPageSize } from './open-pdf.ts'
import { passwordOption } from './page-options.ts'
import { uncompressedTiff } from './pages-to-images.ts'
import { renderPages } from './render.ts'

/** Maximum number of pages, as many as the page picker of the web page shows. */
const maxPages = 500
const pageShape = {
  count: integer(1, maxPages)
    .default(1)
    .describe('Number of pages, starting with the first; each becomes an image.'),
  password: passwordOption,
}
const PageOptions = z.object(pageShape)

export const pageThumbnailCapabilities = createThumbnailRows(['pdf'], pageShape, 0.3)

/**
 * Maximum number of pixels that are rendered. Very long and narrow pages are rendered at a lower resolution and then
 * enlarged.
 */
const maxRenderedPixels = 8192 ** 2

/** Rounds the box to whole pixels, because the renderer rounds up. */
function toPixelBox(page: PdfPageSize, box: ThumbnailBox): ThumbnailBox {
  if (box.fit !== 'grow') return box
  const scale = computeScale(page, box)
  const toWholePixels = (side: number) => Math.max(1, Math.round(side * scale))
  return { width: toWholePixels(page.width), height: toWholePixels(page.height), fit: 'scale' }
}

/** Renders the first pages as images. @throws AppError CORRUPT_FILE, PDF_ENCRYPTED. */
export async function renderPageThumbnails(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('The thumbnail operation was called without an input.')
  const { count, password: pdfPassword } = PageOptions.parse(work.options)
  const to = toThumbnailTarget(work.to)
  const box = allowEnlargement(parseThumbnailBox(work.options))
  const openedPdf = await openPdf(input.path, pdfPassword, tools)
  const pages = openedPdf.sizes.slice(0, count).map((_, index) => index + 1)
  const computeDpi = (size: PdfPageSize) =>
    72 * Math.min(computeScale(size, box), Math.sqrt(maxRenderedPixels / (size.width * size.height)))
  const files: OutputFile[] = []
  await renderPages(
    openedPdf,
    { pages, dpi: computeDpi, gray: false, ...uncompressedTiff },
    tools,
    async (renderedPage) => {
      tools.signal.throwIfAborted()
      const suffix = `-${String(renderedPage.page).padStart(3, '0')}`
      const path = join(work.outDir, `output${suffix}.${to}`)
      const size = openedPdf.sizes[renderedPage.page - 1]
      const page = { ...input, path: renderedPage.path, format: 'tiff' } as const
      await writeThumbnail(
        page,
        { to, path, options: work.options, box: size ? toPixelBox(size, box) : box },
        tools,
      )
      await rm(renderedPage.path)
      files[renderedPage.page - 1] = pages.length > 1 ? { path, suffix } : { path }
    },
  )
  tools.progress(1)
  const [firstFile, ...rest] = files
  if (!firstFile) throw new Error('The opened PDF has no pages.')
  return { files: [firstFile, ...rest], details: { pages: openedPdf.sizes.length } }
}
