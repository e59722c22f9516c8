import * as z from 'zod'
import type { FormatId } from '../../../formats/index.ts'
import { decimal, integer, numberFromText } from '../../options.ts'

/** Options of watermarks on pages, images and videos: data only, because the planner and the API import it. */

/** Formats of images that can be a watermark. */
const stampFormats = [
  'png',
  'jpg',
  'webp',
  'gif',
  'tiff',
  'svg',
  'avif',
] as const satisfies readonly FormatId[]

/** The optional additional file: the watermark image. */
export const stampInputs = { from: stampFormats, min: 0, max: 1 } as const

export const positions = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const
export type OverlayPosition = (typeof positions)[number]

/** Normalizes spellings of other services: `Bottom Center` and `bottom_center` become `bottom`. */
export const normalizePosition = (value: unknown) =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, '-')
        .replace(/^(top|bottom)-center$/, '$1')
        .replace(/^(?:center|middle)-(left|right)$/, '$1')
        .replace(/^(?:middle|center-center|middle-center)$/, 'center')
    : value

const colorNames = ['black', 'white', 'gray', 'red', 'green', 'blue', 'yellow', 'orange', 'purple'] as const
export const watermarkColor = z.preprocess(
  (value) => (typeof value === 'string' && /^(?:[\da-f]{3}|[\da-f]{6})$/i.test(value) ? `#${value}` : value),
  z.union([z.stringFormat('color', /^#?(?:[\da-fA-F]{3}|[\da-fA-F]{6})$/), z.enum(colorNames)]),
)

export const createVisibleTextOption = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them.
    .regex(/^[^\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*$/, 'expected text without control characters')
    .regex(/[^\s\p{C}]/u, 'expected visible text')

const percentPattern = /^(\d{1,3}(?:\.\d{1,6})?)\s*%$/

/** Parses `30%` as 0.3. */
const parseShare = (value: unknown) => {
  const percent = typeof value === 'string' ? percentPattern.exec(value.trim())?.[1] : undefined
  return percent === undefined ? numberFromText(value) : Number(percent) / 100
}

export const watermarkOptionShape = {
  watermarkText: createVisibleTextOption(200)
    .optional()
    .describe('Text in any script. Send either this or an image as an additional file.'),
  watermarkPosition: z
    .preprocess(normalizePosition, z.enum([...positions, 'diagonal', 'tile']))
    .optional()
    .describe(
      'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.',
    ),
  watermarkOpacity: z
    .preprocess(parseShare, z.number().min(0.01).max(1))
    .default(0.3)
    .describe('0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.'),
  watermarkFontSize: decimal(4, 500)
    .optional()
    .describe(
      'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.',
    ),
  watermarkColor: watermarkColor
    .default('#808080')
    .describe('A color such as #ff0000, or a name such as red.'),
  watermarkScale: integer(1, 100)
    .default(40)
    .describe('Width of the watermark image as a percentage of the width of the page, image or video.'),
  watermarkMargin: integer(0, 1000)
    .optional()
    .describe(
      'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.',
    ),
}

const WatermarkOptionsSchema = z.object(watermarkOptionShape)
export type WatermarkOptions = z.output<typeof WatermarkOptionsSchema>
export const parseWatermarkOptions = (raw: unknown): WatermarkOptions => WatermarkOptionsSchema.parse(raw)
