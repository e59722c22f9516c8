import * as z from 'zod'
import {
  normalizePosition,
  positions,
  visibleText,
  watermarkColor,
  watermarkShape,
} from '../../image/watermark-options.ts'
import { decimal, flag, integer, secretOption } from '../../options.ts'
import { pageRange } from '../page-range.ts'

/** Options of the PDF tools by their public names. Only data: the planner and the API read it. */

// Line ends would be part of nobody's password, and PDF cuts off what is longer (ISO 32000-2, 7.6.4.3.3).
const passwordText = z
  .string()
  .regex(/^[^\r\n]+$/, 'expected a password without line ends')
  .refine((text) => Buffer.byteLength(text) <= 127, 'expected at most 127 bytes')

const openOptions = {
  password: passwordText
    .optional()
    .describe('Opens a PDF that needs one; the result needs it too.')
    .meta(secretOption),
}

const pageOptions = {
  ...openOptions,
  pages: pageRange.optional().describe('Pages to change, as 1-5,10,15-last. All when left out.'),
}

/** Points, or a number with mm, cm, in or pt. */
export const lengthPattern = /^(-?\d{1,5}(?:\.\d{1,4})?)(mm|cm|in|pt)?$/i
const lengthOption = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.stringFormat('length', lengthPattern),
)

const metadataText = z
  .string()
  .max(2000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line ends would begin another argument.
  .regex(/^[^\0-\x1f\x7f]*$/, 'expected one line of text')
  .optional()

const pdfQuality = z
  .enum(['screen', 'ebook', 'printer', 'prepress'])
  .default('ebook')
  .describe('screen 72 dpi, ebook 150, printer and prepress 300.')

const terms = z.preprocess(parseTerms, z.array(z.string().trim().min(1).max(200)).min(1).max(100))

/** JSON in a form field, or terms with a comma or a line end between. */
function parseTerms(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (!value.trim().startsWith('[')) return value.split(/[,\n]/).filter((term) => term.trim() !== '')
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const permissionFlag = (what: string) => flag().default(true).describe(`Whether readers may ${what}.`)

const mergeOptions = z.object({
  password: passwordText
    .optional()
    .describe('Opens those files that need one. The result is not protected.')
    .meta(secretOption),
  outline: z
    .enum(['keep', 'per_file', 'none'])
    .default('keep')
    .describe('keep joins the outlines, per_file puts each under the name of its file.'),
})

const watermarkOptions = z.object({ ...pageOptions, ...watermarkShape })

export const toolOptions = {
  'split-pdf': z.object({
    ...openOptions,
    pages: pageRange
      .optional()
      .describe('A file for each part, as 1-3,4-last. A file for each page when left out.'),
  }),
  'encrypt-pdf': z.object({
    password: passwordText.describe('Readers need it to open the result.').meta(secretOption),
    ownerPassword: passwordText
      .optional()
      .describe('Lifts the restrictions. Left out it is the password itself, or unknown with a restriction.')
      .meta(secretOption),
    currentPassword: passwordText.optional().describe('Opens a source that needs one.').meta(secretOption),
    allowPrinting: permissionFlag('print'),
    allowCopying: permissionFlag('copy text and pictures'),
    allowModifying: permissionFlag('change pages'),
    allowAnnotating: permissionFlag('add comments'),
    allowFormFilling: permissionFlag('fill in forms'),
  }),
  'decrypt-pdf': z.object({
    password: passwordText
      .optional()
      .describe('Opens the PDF. Not needed where only its use is restricted.')
      .meta(secretOption),
  }),
  'rotate-pdf': z.object({
    ...pageOptions,
    rotate: z
      .preprocess(
        (value) => (typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value),
        z.literal([90, 180, 270, -90, -180, -270]),
      )
      .default(90)
      .describe('Degrees clockwise: 90, 180, 270 or -90.'),
  }),
  'compress-pdf': z.object({ ...openOptions, pdfQuality }),
  'to-pdfa': z.object({
    ...openOptions,
    pdfaVersion: z
      .preprocess(
        (value) => (typeof value === 'string' ? value.toLowerCase().replace(/^pdf\/?a-?/, '') : value),
        z.enum(['1b', '2b', '3b']),
      )
      .default('2b')
      .describe('Part and level of PDF/A.'),
  }),
  'extract-pdf-pages': z.object({
    ...openOptions,
    pages: pageRange.describe('Pages of the result in its order, as 1,3,5 or 7-last.'),
  }),
  'remove-pdf-pages': z.object({ ...openOptions, pages: pageRange.describe('Pages to leave out, as 2,4.') }),
  'extract-pdf-images': z.object({
    ...openOptions,
    pages: pageRange.optional().describe('Pages to look on. All when left out.'),
  }),
  'add-watermark-pdf': watermarkOptions,
  watermark: watermarkOptions,
  'flatten-pdf': z.object({ ...openOptions }),
  'repair-pdf': z.object({ ...openOptions }),
  'reorder-pdf-pages': z.object({
    ...openOptions,
    pages: pageRange.describe('The new order, as 3,1,2. Pages not named follow in their old order.'),
  }),
  'add-page-numbers-pdf': z.object({
    ...pageOptions,
    position: z
      .preprocess(normalizePosition, z.enum(positions))
      .default('bottom')
      .describe('Where on the page.'),
    startNumber: integer(0, 1_000_000).default(1).describe('Number of the first page that has one.'),
    format: visibleText(100)
      .refine((text) => text.includes('{page}'), 'expected a text with {page} in it')
      .default('{page}')
      .describe('As `Page {page} of {pages}`.'),
    fontSize: decimal(4, 72).default(11).describe('Points.'),
    fontColor: watermarkColor.default('black').describe('Such as #ff0000, or a name such as red.'),
    margin: lengthOption.default('24pt').describe('Distance from the edge, as 24pt or 10mm.'),
  }),
  'edit-pdf-metadata': z.object({
    ...openOptions,
    title: metadataText.describe('Empty removes it, left out keeps it; so with the others.'),
    author: metadataText,
    subject: metadataText,
    keywords: metadataText,
    creator: metadataText.describe('Program that made the original.'),
    producer: metadataText.describe('Program that made the PDF.'),
    removeMetadata: flag().default(false).describe('First removes all that there is.'),
  }),
  'linearize-pdf': z.object({ ...openOptions }),
  'crop-pdf': z.object({
    ...pageOptions,
    marginTop: lengthOption.optional().describe('What is cut off, as 20mm, 1in or 36pt.'),
    marginRight: lengthOption.optional(),
    marginBottom: lengthOption.optional(),
    marginLeft: lengthOption.optional(),
    cropBox: z
      .stringFormat('box', /^\s*\d{1,5}(?:\.\d+)?(?:\s*,\s*\d{1,5}(?:\.\d+)?){3}\s*$/)
      .optional()
      .describe('Left, top, width, height in points from the top left corner, instead of margins.'),
  }),
  'redact-pdf': z.object({
    ...openOptions,
    terms: terms.describe('Texts to remove for good, in any case: a list, or commas between.'),
  }),
  'sanitize-pdf': z.object({
    ...openOptions,
    removeLinks: flag().default(true).describe('Also links that lead out of the document.'),
    removeMetadata: flag().default(false).describe('Also title, author and other metadata.'),
  }),
  'grayscale-pdf': z.object({ ...openOptions }),
  'remove-blank-pages-pdf': z.object({
    ...openOptions,
    blankThreshold: decimal(0, 10)
      .default(0.02)
      .describe('A page is blank when at most this share of it, in percent, is darker than paper.'),
  }),
  'pdf-info': z.object({ ...openOptions }),
  merge: mergeOptions,
  'merge-pdf': mergeOptions,
  compress: z.object({
    ...openOptions,
    quality: z
      .union([integer(1, 100), z.enum(['low', 'medium', 'high', 'highest'])])
      .optional()
      .describe('1 to 100, or low, medium, high, highest. Lower is smaller.'),
    profile: z
      .enum(['screen', 'ebook', 'printer', 'prepress', 'web', 'max'])
      .optional()
      .describe('Named qualities; web is ebook, max as small as it gets.'),
    targetSize: integer(1000, 2_000_000_000)
      .optional()
      .describe('Bytes. The best quality that is not larger.'),
  }),
} as const satisfies Readonly<Record<string, z.ZodObject>>

export type PdfToolId = keyof typeof toolOptions
export type ToolOptions<Id extends PdfToolId> = z.infer<(typeof toolOptions)[Id]>
