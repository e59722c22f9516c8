import * as z from 'zod'
import { flag, integer, numberFromText, type Quality, type QualityScale, quality } from '../../options.ts'

const maxSide = 30_000

const colorNames = {
  black: '#000000',
  white: '#ffffff',
  gray: '#808080',
  red: '#ff0000',
  green: '#008000',
  blue: '#0000ff',
  yellow: '#ffff00',
} as const
const isColorName = (text: string): text is keyof typeof colorNames => Object.hasOwn(colorNames, text)

/** Parses a color to `#` and six hex digits, so that no other text from the client reaches a program. */
export const colorOption = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    // The value is lower case here, but forms that validate with this pattern check what the user typed.
    new RegExp(`^(?:#?[0-9a-fA-F]{6}|${Object.keys(colorNames).join('|')})$`),
    'Expected six hexadecimal digits such as #ff8800, or black, white, gray, red, green, blue, yellow.',
  )
  .transform((text) => (isColorName(text) ? colorNames[text] : `#${text.replace('#', '')}`))

/** Options that all image targets share. */
export const imageOptionShape = {
  width: integer(1, maxSide)
    .optional()
    .describe('Width in pixels. The height is scaled to match unless it is set too.'),
  height: integer(1, maxSide)
    .optional()
    .describe('Height in pixels. The width is scaled to match unless it is set too.'),
  fit: z
    .enum(['max', 'crop', 'scale'])
    .default('max')
    .describe(
      'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.',
    ),
  downscale: integer(16, maxSide)
    .optional()
    .describe('Maximum length of the longest side in pixels; larger images are scaled down.'),
  rotate: z
    .preprocess(numberFromText, z.literal([0, 90, 180, 270, -90, -180, -270]))
    .optional()
    .describe('Degrees clockwise, in addition to the rotation stored by the camera.'),
  background: colorOption
    .optional()
    .describe(
      'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.',
    ),
  metadata: z
    .enum(['strip', 'keep'])
    .default('strip')
    .describe('keep preserves what the camera or author stored, including the location.'),
}
const ImageOptionsSchema = z.object(imageOptionShape)
export type ImageOptions = z.output<typeof ImageOptionsSchema>

export const parseImageOptions = (raw: unknown): ImageOptions => ImageOptionsSchema.parse(raw)

export type ResizeBox = Pick<ImageOptions, 'width' | 'height' | 'fit'>

/** Returns the box to resize to; undefined to keep the size. */
export function getResizeBox({ width, height, fit, downscale }: ImageOptions): ResizeBox | undefined {
  if (width !== undefined || height !== undefined) return { width, height, fit }
  return downscale === undefined ? undefined : { width: downscale, height: downscale, fit: 'max' }
}

/**
 * Returns the box for a vector drawing. Drawings are also enlarged to a requested size, because they have no pixels
 * that would become visible.
 */
export function getDrawingBox(options: ImageOptions): ResizeBox | undefined {
  const box = getResizeBox(options)
  const isDownscaleOnly = options.width === undefined && options.height === undefined
  return box && box.fit === 'max' && !isDownscaleOnly ? { ...box, fit: 'scale' } : box
}

/** Normalizes spellings such as `Adobe RGB`, `adobe_rgb` and `grayscale`. */
const normalizeColorSpace = (value: unknown) =>
  typeof value === 'string'
    ? value
        .toLowerCase()
        .replace(/[\s_-]+/g, '')
        .replace(/^adobergb(?:1998)?$/, 'adobe-rgb')
        .replace(/^gr[ae]y(?:scales?)?$/, 'gray')
    : value

/** Resolution, only for vector drawings. */
export const dpi = integer(18, 1200)
  .optional()
  .describe(
    'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.',
  )

const colorSpaceSchema = z.preprocess(normalizeColorSpace, z.enum(['srgb', 'adobe-rgb', 'gray']))
const colorSpaceDescription =
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.'

/** If omitted, an image keeps its color space. */
export const colorSpace = colorSpaceSchema.optional().describe(colorSpaceDescription)

/** For sources that have no color space until they are rendered, such as pages. */
export const renderedColorSpace = colorSpaceSchema.default('srgb').describe(colorSpaceDescription)

/** Like `renderedColorSpace`, for targets that cannot store a profile. */
export const renderedColorSpaceWithoutProfile = z
  .preprocess(normalizeColorSpace, z.enum(['srgb', 'gray']))
  .default('srgb')
  .describe('srgb or gray: gray, or grayscale, converts to shades of gray.')

export const lossyOptionShape = { ...imageOptionShape, quality: quality.optional() }

const progressive = flag()
  .optional()
  .describe('The image appears coarse at first and sharpens while it loads.')

export const jpegQuality = integer(1, 100).optional().describe('1 to 100; takes precedence over quality.')

export const jpgOptionShape = {
  ...lossyOptionShape,
  jpegQuality,
  progressive,
  colorSpace,
}

export const pngOptionShape = {
  ...imageOptionShape,
  compressionLevel: integer(0, 9)
    .default(6)
    .describe('0 is fastest, 9 makes the smallest file; the pixels do not change.'),
  palette: flag()
    .default(false)
    .describe(
      'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.',
    ),
  progressive,
  colorSpace,
}

/** Quality levels with about the same visible quality in each format, found by comparing images. */
export const qualityScales = {
  jpg: { low: 50, medium: 70, high: 85, highest: 95 },
  webp: { low: 45, medium: 65, high: 80, highest: 95 },
  avif: { low: 35, medium: 50, high: 63, highest: 80 },
  heic: { low: 35, medium: 50, high: 65, highest: 80 },
  gif: { low: 25, medium: 50, high: 100, highest: 100 },
  jxl: { low: 50, medium: 70, high: 85, highest: 95 },
  jxr: { low: 40, medium: 65, high: 85, highest: 95 },
  jp2: { low: 30, medium: 40, high: 50, highest: 70 },
  djvu: { low: 25, medium: 50, high: 75, highest: 95 },
} as const satisfies Record<string, QualityScale>

/** Returns the quality for JPEG, whose own option takes precedence over the general quality. */
export const chooseJpegQuality = ({
  jpegQuality,
  quality,
}: {
  readonly jpegQuality?: number | undefined
  readonly quality?: Quality | undefined
}): Quality | undefined => jpegQuality ?? quality
