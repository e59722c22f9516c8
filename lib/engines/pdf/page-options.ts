import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { integer, secretOption } from '../options.ts'
import type { OpenPdf, PdfPageSize } from './open-pdf.ts'
import { pageRange } from './page-range.ts'

/** Selected pages of a PDF, in order, and the output folder. */
export interface PageSelection {
  readonly openedPdf: OpenPdf
  /** Numbers of the pages, counted from 1. */
  readonly pages: readonly number[]
  /** Number of pages selected in the whole job, if these pages are only one chunk of them. */
  readonly total?: number
  readonly outDir: string
}

export const passwordOption = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Password to open the PDF, if it needs one.')
  .meta(secretOption)

export const openPdfOptionShape = { pages: pageRange.optional(), password: passwordOption }

export const resolutionOptionShape = {
  dpi: integer(72, 600).default(150).describe('Pixels per inch.'),
  downscale: integer(16, 20_000).optional().describe('Longest side in pixels; larger pages are scaled down.'),
}

const maxPixels = 200_000_000

/** US Letter, for pages whose size is unknown. */
const defaultPageSize = { width: 612, height: 792 } as const satisfies PdfPageSize

interface RequestedResolution {
  /** Pixels per inch, or a function that returns them if they depend on the page. */
  readonly dpi: number | ((page: PdfPageSize) => number)
  readonly downscale?: number | undefined
}

interface Resolution {
  readonly dpi: number
  /** Number of pixels if the whole page is rendered. */
  readonly pixels: number
}

/**
 * Returns the resolution at which a page fits the requested size. @throws AppError INVALID_INPUT when the image would
 * have too many pixels.
 */
export function computeResolution(
  { sizes }: OpenPdf,
  page: number,
  requestedSize: RequestedResolution,
): Resolution {
  const size = sizes[page - 1] ?? defaultPageSize
  const { width, height } = size
  const { downscale } = requestedSize
  const dpi = typeof requestedSize.dpi === 'number' ? requestedSize.dpi : requestedSize.dpi(size)
  const fittedDpi = downscale === undefined ? dpi : Math.min(dpi, (downscale * 72) / Math.max(width, height))
  const pixels = ((width * fittedDpi) / 72) * ((height * fittedDpi) / 72)
  if (pixels <= maxPixels) return { dpi: fittedDpi, pixels }
  const message = `dpi: page ${page} would have ${Math.round(pixels / 1e6)} megapixels; at most ${maxPixels / 1e6} are allowed. Lower dpi or set downscale.`
  throw new AppError('INVALID_INPUT', message, { field: 'dpi', reason: 'too-many-pixels', page })
}
