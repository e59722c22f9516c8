import { createWatermark, drawWatermark } from '../../shared/image/watermark.ts'
import type { PdfPageSize } from '../open-pdf.ts'
import { resolvePages } from '../page-range.ts'
import { finishPdf, type PdfTool } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'
import { stampPages } from './stamp.ts'

/** Draws a text or image over pages. */
export const addWatermark: PdfTool<ToolOptions<'watermark'>> = async (job) => {
  const { pdf, options, work, tools } = job
  const watermark = await createWatermark(options, work.inputs[1])
  const pages = resolvePages(options.pages, pdf.sizes.length)
  const draw = (page: PdfPageSize) => drawWatermark(page, watermark)
  const stampedPath = await stampPages(pdf, draw, [...new Set(pages)], tools)
  return finishPdf(job, stampedPath, { pages: pdf.sizes.length })
}
