import { computeCenter, escapeXml } from '../../shared/image/svg-layout.ts'
import type { PdfPageSize } from '../open-pdf.ts'
import { resolvePages } from '../page-range.ts'
import { finishPdf, type PdfTool } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'
import { parsePoints } from './parse-length.ts'
import { stampPages } from './stamp.ts'

/** Draws page numbers. `{pages}` is the number of the last numbered page. */
export const addPageNumbers: PdfTool<ToolOptions<'add-page-numbers-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const { startNumber, format, fontSize, fontColor, position } = options
  const pages = [...new Set(resolvePages(options.pages, pdf.sizes.length))].sort((a, b) => a - b)
  const numberByPage = new Map(pages.map((page, index) => [page, startNumber + index]))
  const lastNumber = startNumber + pages.length - 1
  const margin = parsePoints(options.margin)
  const anchor = position.endsWith('left') ? 'start' : position.endsWith('right') ? 'end' : 'middle'
  const draw = (size: PdfPageSize, page: number) => {
    const text = format
      .replaceAll('{page}', String(numberByPage.get(page)))
      .replaceAll('{pages}', String(lastNumber))
    // A width of 0 places the anchor of the text at the margin, whatever the width of the text is.
    const { x, y } = computeCenter(size, { width: 0, height: fontSize }, position, margin)
    const textAttributes = `font-family="sans-serif" font-size="${fontSize}" text-anchor="${anchor}" fill="${fontColor}"`
    return `<text x="${x}" y="${y + fontSize * 0.35}" ${textAttributes} xml:space="preserve">${escapeXml(text)}</text>`
  }
  const stampedPath = await stampPages(pdf, draw, pages, tools)
  return finishPdf(job, stampedPath, { pages: pdf.sizes.length, numbered: pages.length })
}
