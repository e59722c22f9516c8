import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { parseLength, parseSize, TextPdfOptions } from '../libreoffice/page-setup.ts'

/** Maximum margin, and minimum width and height between the margins, in hundredths of a millimeter. */
const maxMargin = 50_000
const minImageSide = 500

/** Paper of a PDF made from images. Without a size, each page is as large as its image and margins. */
export const PdfPaperOptions = z.object({
  pageSize: TextPdfOptions.shape.pageSize,
  margin: z
    .string()
    .max(100)
    .refine((value) => (parseLength(value) ?? maxMargin + 1) <= maxMargin, {
      error: 'expected a length of at most 500 mm with its unit, such as 20mm, 2cm, 1in or 72pt',
    })
    .optional()
    .describe('Distance from the edge, such as 24pt or 10mm.'),
})

const toMillimeters = (hundredths: number) => `${hundredths / 100}mm`

/** Returns arguments for img2pdf, which rotates the paper for wide images. @throws AppError INVALID_INPUT. */
export function buildPaperArgs(rawOptions: unknown): readonly string[] {
  const options = PdfPaperOptions.parse(rawOptions)
  const size = parseSize(options.pageSize)
  const margin = parseLength(options.margin) ?? 0
  if (size && Math.min(...size) - 2 * margin < minImageSide) {
    const message = 'margin: leaves no room on the page. Choose a smaller one or a larger pageSize.'
    throw new AppError('INVALID_INPUT', message, { field: 'margin', reason: 'no-room' })
  }
  return [
    ...(size ? ['--pagesize', size.map(toMillimeters).join('x'), '--auto-orient'] : []),
    ...(margin > 0 ? ['--border', toMillimeters(margin)] : []),
  ]
}
