import * as z from 'zod'
import { flag, integer, numberFromText, type Quality, type QualityScale, quality } from '../options.ts'

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

/** Comes out as six digits: no other text of a client reaches a program. */
export const color = z
  .string()
  .trim()
  .toLowerCase()
  .regex(
    // It is lower case by now, but a form that checks by this pattern has what was typed.
    new RegExp(`^(?:#?[0-9a-fA-F]{6}|${Object.keys(colorNames).join('|')})$`),
    'Expected six hexadecimal digits, as #ff8800, or black, white, gray, red, green, blue, yellow.',
  )
  .transform((text) => (isColorName(text) ? colorNames[text] : `#${text.replace('#', '')}`))

/** What every picture can be asked for. */
export const pictureShape = {
  width: integer(1, maxSide)
    .optional()
    .describe('Width in pixels; the height follows unless it is given too.'),
  height: integer(1, maxSide)
    .optional()
    .describe('Height in pixels; the width follows unless it is given too.'),
  fit: z
    .enum(['max', 'crop', 'scale'])
    .default('max')
    .describe('max fits inside and never enlarges, crop fills and cuts, scale fits inside and enlarges.'),
  downscale: integer(16, maxSide)
    .optional()
    .describe('Longest side in pixels; larger pictures become smaller.'),
  rotate: z
    .preprocess(numberFromText, z.literal([0, 90, 180, 270, -90, -180, -270]))
    .optional()
    .describe('Degrees clockwise, besides the turn that the camera noted.'),
  background: color
    .optional()
    .describe('Color behind transparent parts, as #ff8800. White where the format has no transparency.'),
  metadata: z
    .enum(['strip', 'keep'])
    .default('strip')
    .describe('keep carries over what a camera or an author noted, the place among it.'),
}
const picture = z.object(pictureShape)
export type PictureOptions = z.output<typeof picture>

export const pictureOptions = (raw: unknown): PictureOptions => picture.parse(raw)

export type Box = Pick<PictureOptions, 'width' | 'height' | 'fit'>

/** The box that the pixels have to fit; nothing where they stay as many as they are. */
export function boxOf({ width, height, fit, downscale }: PictureOptions): Box | undefined {
  if (width !== undefined || height !== undefined) return { width, height, fit }
  return downscale === undefined ? undefined : { width: downscale, height: downscale, fit: 'max' }
}

/** `Adobe RGB`, `adobe_rgb` and `grayscale` mean what they say. */
const plainColorSpace = (value: unknown) =>
  typeof value === 'string'
    ? value
        .toLowerCase()
        .replace(/[\s_-]+/g, '')
        .replace(/^adobergb(?:1998)?$/, 'adobe-rgb')
        .replace(/^gr[ae]y(?:scales?)?$/, 'gray')
    : value

/** Of shapes alone. */
export const dpi = integer(18, 1200)
  .optional()
  .describe('Pixels per inch at which shapes are drawn; at 96 a pixel of a drawing is one.')

const oneColorSpace = z.preprocess(plainColorSpace, z.enum(['srgb', 'adobe-rgb', 'gray']))
const colorSpaceWords =
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print, gray, also named grayscale, makes shades of gray.'

/** Left out, a picture keeps the one that it has. */
export const colorSpace = oneColorSpace.optional().describe(colorSpaceWords)

/** For what has none before it is drawn, as a page. */
export const drawnColorSpace = oneColorSpace.default('srgb').describe(colorSpaceWords)

/** The same where the target holds no profile. */
export const drawnGray = z
  .preprocess(plainColorSpace, z.enum(['srgb', 'gray']))
  .default('srgb')
  .describe('srgb or gray: gray, also named grayscale, makes shades of gray.')

export const lossyShape = { ...pictureShape, quality: quality.optional() }

const progressive = flag().optional().describe('Shows coarse at first, then finer while it loads.')

export const jpegQuality = integer(1, 100).optional().describe('1 to 100; it comes before quality.')

export const jpgShape = {
  ...lossyShape,
  jpegQuality,
  progressive,
  colorSpace,
}

export const pngShape = {
  ...pictureShape,
  compressionLevel: integer(0, 9).default(6).describe('0 is fastest, 9 smallest; the pixels are the same.'),
  palette: flag().default(false).describe('At most 256 colors: much smaller, not exact.'),
  progressive,
  colorSpace,
}

/** The words at about the same visible quality in each format, by comparing pictures. */
export const scales = {
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

/** The option of JPEG alone comes before that of all pictures. */
export const jpegQualityOf = ({
  jpegQuality,
  quality,
}: {
  readonly jpegQuality?: number | undefined
  readonly quality?: Quality | undefined
}): Quality | undefined => jpegQuality ?? quality
