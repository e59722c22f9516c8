import { join } from 'node:path'
import { resolvePages } from '../page-range.ts'
import { createInvalidOptionError, finishPdf, type PdfTool } from './editable-pdf.ts'
import { PdfObjects, type PdfPage } from './objects.ts'
import type { ToolOptions } from './options.ts'
import { parsePoints } from './parse-length.ts'

type CropOptions = ToolOptions<'crop-pdf'>

/** Lower left and upper right corner in the unrotated page space. */
type PageBox = readonly [left: number, bottom: number, right: number, top: number]
/** Widths of the margins to cut off the page as displayed. */
type Margins = readonly [top: number, right: number, bottom: number, left: number]

/** Option names in the order of `Margins`. */
const marginFields = ['marginTop', 'marginRight', 'marginBottom', 'marginLeft'] as const
const minSidePt = 3

/** Hides the margins of pages. The cropped content stays in the file. */
export const cropPages: PdfTool<CropOptions> = async (job) => {
  const { pdf, options, tools } = job
  const objects = await PdfObjects.load(pdf.path, tools)
  const pages = objects.pages()
  for (const pageNumber of new Set(resolvePages(options.pages, pages.length))) {
    const page = pages[pageNumber - 1]
    if (page) cropPage(objects, page, pageNumber, options)
  }
  const path = join(tools.workDir, 'cropped.pdf')
  await objects.save(path, tools)
  return finishPdf(job, path, { pages: pdf.sizes.length })
}

function cropPage(objects: PdfObjects, page: PdfPage, pageNumber: number, options: CropOptions): void {
  const rotation = objects.resolve(page.readInherited('/Rotate'))
  const quarterTurns = (((typeof rotation === 'number' ? rotation / 90 : 0) % 4) + 4) % 4
  const mediaBox = readBox(objects, page, '/MediaBox') ?? [0, 0, 612, 792]
  const visibleBox = readBox(objects, page, '/CropBox') ?? mediaBox
  const margins = resolveMargins(options, visibleBox, quarterTurns)
  // On a page rotated clockwise, its left side is displayed at the top.
  const [top, right, bottom, left] = [0, 1, 2, 3].map((side) => margins[(side + quarterTurns) % 4] ?? 0)
  const box = [
    visibleBox[0] + (left ?? 0),
    visibleBox[1] + (bottom ?? 0),
    visibleBox[2] - (right ?? 0),
    visibleBox[3] - (top ?? 0),
  ].map((edge) => Math.round(edge * 1000) / 1000)
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = box
  if (x1 - x0 < minSidePt || y1 - y0 < minSidePt) {
    const isWidthTooSmall = x1 - x0 < minSidePt === (quarterTurns % 2 === 0)
    throw createInvalidOptionError(
      findOffendingField(options, isWidthTooSmall),
      `nothing would be left of page ${pageNumber}.`,
    )
  }
  page.dict['/CropBox'] = [x0, y0, x1, y1]
  // A print box larger than the page would be invalid.
  for (const key of ['/TrimBox', '/BleedBox', '/ArtBox']) delete page.dict[key]
  objects.markChanged(page.ref)
}

function readBox(objects: PdfObjects, page: PdfPage, key: string): PageBox | undefined {
  const numbers = objects.list(page.readInherited(key)).map((value) => Number(objects.resolve(value)))
  const [a, b, c, d] = numbers
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined
  if (numbers.some((number) => !Number.isFinite(number))) return undefined
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)]
}

/** Returns the option because of which nothing is left of a page: `cropBox`, or the larger of two opposite margins. */
function findOffendingField(options: CropOptions, isWidthTooSmall: boolean): string {
  if (options.cropBox !== undefined) return 'cropBox'
  const [one, otherSide] = isWidthTooSmall
    ? (['marginLeft', 'marginRight'] as const)
    : (['marginTop', 'marginBottom'] as const)
  return parsePoints(options[one] ?? '0') >= parsePoints(options[otherSide] ?? '0') ? one : otherSide
}

function resolveMargins(options: CropOptions, [x0, y0, x1, y1]: PageBox, quarterTurns: number): Margins {
  const hasMargins = marginFields.some((field) => options[field] !== undefined)
  if (options.cropBox === undefined) {
    if (!hasMargins)
      throw createInvalidOptionError('cropBox', 'expected a box, or at least one of the margins.')
    const [top = 0, right = 0, bottom = 0, left = 0] = marginFields.map((field) => {
      const margin = parsePoints(options[field] ?? '0')
      if (margin < 0) throw createInvalidOptionError(field, 'expected 0 or more.')
      return margin
    })
    return [top, right, bottom, left]
  }
  if (hasMargins)
    throw createInvalidOptionError('cropBox', 'cannot be combined with margins; send one or the other.')
  const [left = 0, top = 0, width = 0, height = 0] = options.cropBox.split(',').map(Number)
  const isSideways = quarterTurns % 2 === 1
  const [pageWidth, pageHeight] = isSideways ? [y1 - y0, x1 - x0] : [x1 - x0, y1 - y0]
  const margins = [top, pageWidth - left - width, pageHeight - top - height, left] as const
  if (margins.some((side) => side < -0.5)) {
    throw createInvalidOptionError(
      'cropBox',
      `expected a box within the page, which is ${pageWidth} x ${pageHeight} points.`,
    )
  }
  return margins
}
