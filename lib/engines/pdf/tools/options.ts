import * as z from 'zod'
import { decimal, flag, integer, secretOption } from '../../options.ts'
import {
  createVisibleTextOption,
  normalizePosition,
  positions,
  watermarkColor,
  watermarkOptionShape,
} from '../../shared/image/watermark-options.ts'
import { pageRange } from '../page-range.ts'

/** Options of the PDF tools by their public names: data only, because the planner and the API import it. */

// Passwords contain no line breaks, and PDF truncates passwords beyond this length (ISO 32000-2, 7.6.4.3.3).
const passwordText = z
  .string()
  .regex(/^[^\r\n]{1,127}$/, 'expected a password of 1 to 127 bytes without line breaks')
  .refine((text) => Buffer.byteLength(text) <= 127, 'expected a password of 1 to 127 bytes')

const openOptions = {
  password: passwordText
    .optional()
    .describe(
      'Password to open the PDF, if it needs one. Most tools protect the result with the same password.',
    )
    .meta(secretOption),
}

export const signatureOption = {
  dropSignatures: flag()
    .default(false)
    .describe(
      'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.',
    ),
}

/** Options of tools whose result is a changed PDF. */
const editOptions = { ...openOptions, ...signatureOption }

const pageOptions = {
  ...editOptions,
  pages: pageRange.optional().describe('Pages to change, such as 1-5,10,15-last. Defaults to all pages.'),
}

/** A number of points, or a number with mm, cm, in or pt. */
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
  .describe('Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.')

const terms = z.preprocess(parseTerms, z.array(z.string().trim().min(1).max(200)).min(1).max(100))

/** Parses JSON in a form field, or terms separated by commas or line breaks. */
function parseTerms(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (!value.trim().startsWith('[')) return value.split(/[,\n]/).filter((term) => term.trim() !== '')
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const createPermissionFlag = (action: string) =>
  flag().default(true).describe(`Whether readers may ${action}.`)

const mergeOptions = z.object({
  password: passwordText
    .optional()
    .describe('Password for the files that need one. The result is not encrypted.')
    .meta(secretOption),
  outline: z
    .enum(['keep', 'per_file', 'none'])
    .default('keep')
    .describe('keep joins the bookmarks, per_file groups them by file name, none drops them.'),
  ...signatureOption,
})

const watermarkOptions = z.object({ ...pageOptions, ...watermarkOptionShape })

export const toolOptions = {
  'split-pdf': z.object({
    ...editOptions,
    pages: pageRange
      .optional()
      .describe('One file per range, such as 1-3,4-last. Defaults to one file per page.'),
  }),
  'encrypt-pdf': z.object({
    password: passwordText.describe('Password that readers need to open the result.').meta(secretOption),
    ownerPassword: passwordText
      .optional()
      .describe(
        'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.',
      )
      .meta(secretOption),
    currentPassword: passwordText
      .optional()
      .describe('Password to open the source, if it needs one.')
      .meta(secretOption),
    allowPrinting: createPermissionFlag('print'),
    allowCopying: createPermissionFlag('copy text and images'),
    allowModifying: createPermissionFlag('edit the pages'),
    allowAnnotating: createPermissionFlag('add comments'),
    allowFormFilling: createPermissionFlag('fill in forms'),
    ...signatureOption,
  }),
  'decrypt-pdf': z.object({
    password: passwordText
      .optional()
      .describe('Password to open the PDF. Not needed when only its permissions are restricted.')
      .meta(secretOption),
    ...signatureOption,
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
  'compress-pdf': z.object({ ...editOptions, pdfQuality }),
  'to-pdfa': z.object({
    ...editOptions,
    pdfaVersion: z
      .preprocess(
        (value) => (typeof value === 'string' ? value.toLowerCase().replace(/^pdf\/?a-?/, '') : value),
        z.enum(['1b', '2b', '3b']),
      )
      .default('2b')
      .describe('PDF/A part and conformance level.'),
  }),
  'extract-pdf-pages': z.object({
    ...editOptions,
    pages: pageRange.describe('Pages to extract, in the order you want, such as 1,3,5 or 7-last.'),
  }),
  'remove-pdf-pages': z.object({
    ...editOptions,
    pages: pageRange.describe('Pages to remove, such as 2,4.'),
  }),
  'extract-pdf-images': z.object({
    ...openOptions,
    pages: pageRange.optional().describe('Pages to search. Defaults to all pages.'),
  }),
  'add-watermark-pdf': watermarkOptions,
  watermark: watermarkOptions,
  'flatten-pdf': z.object({ ...editOptions }),
  'repair-pdf': z.object({ ...editOptions }),
  'reorder-pdf-pages': z.object({
    ...editOptions,
    pages: pageRange.describe(
      'New page order, such as 3,1,2. Pages not named follow in their original order.',
    ),
  }),
  'add-page-numbers-pdf': z.object({
    ...pageOptions,
    position: z
      .preprocess(normalizePosition, z.enum(positions))
      .default('bottom')
      .describe('Position of the page number on the page.'),
    startNumber: integer(0, 1_000_000).default(1).describe('Number printed on the first numbered page.'),
    format: createVisibleTextOption(100)
      .refine((text) => text.includes('{page}'), 'expected a text that contains {page}')
      .default('{page}')
      .describe('Text such as `Page {page} of {pages}`.'),
    fontSize: decimal(4, 72).default(11).describe('Font size in points.'),
    fontColor: watermarkColor.default('black').describe('A color such as #ff0000, or a name such as red.'),
    margin: lengthOption.default('24pt').describe('Distance from the edge, such as 24pt or 10mm.'),
  }),
  'edit-pdf-metadata': z.object({
    ...editOptions,
    title: metadataText.describe(
      'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.',
    ),
    author: metadataText,
    subject: metadataText,
    keywords: metadataText,
    creator: metadataText.describe('Program that created the original document.'),
    producer: metadataText.describe('Program that created the PDF.'),
    removeMetadata: flag().default(false).describe('Removes all existing metadata first.'),
  }),
  'linearize-pdf': z.object({ ...editOptions }),
  'crop-pdf': z.object({
    ...pageOptions,
    marginTop: lengthOption.optional().describe('Width to cut off, such as 20mm, 1in or 36pt.'),
    marginRight: lengthOption.optional(),
    marginBottom: lengthOption.optional(),
    marginLeft: lengthOption.optional(),
    cropBox: z
      .stringFormat('box', /^\s{0,9}\d{1,5}(?:\.\d{1,9})?(?:\s{0,9},\s{0,9}\d{1,5}(?:\.\d{1,9})?){3}\s{0,9}$/)
      .optional()
      .describe(
        'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.',
      ),
  }),
  'redact-pdf': z.object({
    ...editOptions,
    terms: terms.describe('Terms to remove permanently, ignoring case: a list, or separated by commas.'),
  }),
  'sanitize-pdf': z.object({
    ...editOptions,
    removeLinks: flag().default(true).describe('Also removes links to websites and other files.'),
    removeMetadata: flag().default(false).describe('Also removes title, author and other metadata.'),
  }),
  'grayscale-pdf': z.object({ ...editOptions }),
  'remove-blank-pages-pdf': z.object({
    ...editOptions,
    blankThreshold: decimal(0, 10)
      .default(0.02)
      .describe('A page is blank when at most this percentage of it is darker than paper.'),
  }),
  'pdf-info': z.object({ ...openOptions }),
  merge: mergeOptions,
  'merge-pdf': mergeOptions,
  compress: z.object({
    ...editOptions,
    quality: z
      .union([integer(1, 100), z.enum(['low', 'medium', 'high', 'highest'])])
      .optional()
      .describe('1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.'),
    profile: z
      .enum(['screen', 'ebook', 'printer', 'prepress', 'web', 'max'])
      .optional()
      .describe('Quality preset; web is the same as ebook, and max makes the smallest file.'),
    targetSize: integer(1000, 2_000_000_000)
      .optional()
      .describe('Maximum size in bytes; the best quality that fits is used.'),
  }),
} as const satisfies Readonly<Record<string, z.ZodObject>>

export type PdfToolId = keyof typeof toolOptions
export type ToolOptions<Id extends PdfToolId> = z.infer<(typeof toolOptions)[Id]>
