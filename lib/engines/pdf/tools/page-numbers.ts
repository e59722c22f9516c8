import { middleAt, xmlText } from '../../image/svg-layout.ts'
import type { PageSize } from '../open-pdf.ts'
import { pagesOf } from '../page-range.ts'
import { finish, type Tool } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'
import { pointsOf } from './parse-length.ts'
import { stampPages } from './stamp.ts'

/** Numbers on pages. `{pages}` is the number of the last page that has one. */
export const addPageNumbers: Tool<ToolOptions<'add-page-numbers-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const { startNumber, format, fontSize, fontColor, position } = options
  const pages = [...new Set(pagesOf(options.pages, pdf.sizes.length))].sort((a, b) => a - b)
  const numbers = new Map(pages.map((page, index) => [page, startNumber + index]))
  const last = startNumber + pages.length - 1
  const margin = pointsOf(options.margin)
  const anchor = position.endsWith('left') ? 'start' : position.endsWith('right') ? 'end' : 'middle'
  const draw = (size: PageSize, page: number) => {
    const text = format.replaceAll('{page}', String(numbers.get(page))).replaceAll('{pages}', String(last))
    // The anchor holds the side that the margin is measured from, however wide the text turns out.
    const { x, y } = middleAt(size, { width: 0, height: fontSize }, position, margin)
    const look = `font-family="sans-serif" font-size="${fontSize}" text-anchor="${anchor}" fill="${fontColor}"`
    return `<text x="${x}" y="${y + fontSize * 0.35}" ${look} xml:space="preserve">${xmlText(text)}</text>`
  }
  const stamped = await stampPages(pdf, draw, pages, tools)
  return finish(job, stamped, { pages: pdf.sizes.length, numbered: pages.length })
}
