import type { Sharp } from 'sharp'
import * as z from 'zod'
import { flag, integer, type QualityScale, quality, qualityNumber } from './options.ts'

const maxSide = 30_000

export const sizeShape = {
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
}
const size = z.object(sizeShape)
export type Size = z.output<typeof size>

const lossy = z.object({ ...sizeShape, quality: quality.optional() })

/** The words at about the same visible quality in each format, by comparing pictures. */
export const scales = {
  jpg: { low: 50, medium: 70, high: 85, highest: 95 },
  webp: { low: 45, medium: 65, high: 80, highest: 95 },
  avif: { low: 35, medium: 50, high: 63, highest: 80 },
  heic: { low: 35, medium: 50, high: 65, highest: 80 },
  gif: { low: 25, medium: 50, high: 100, highest: 100 },
} as const satisfies Record<string, QualityScale>

/** What a format can hold, and how pixels become it. */
interface PixelTarget {
  readonly options: z.ZodObject
  /** Transparency is laid over white. */
  readonly opaque?: true
  /** Holds more than 8 bits per channel, where the picture has them. */
  readonly deep?: true
  /** Several pages or frames stay together in one file. */
  readonly holds?: 'frames' | 'pages'
  readonly cost: number
  size(options: unknown): Size
  encode(image: Sharp, options: unknown): Sharp
}

type Traits = Pick<PixelTarget, 'opaque' | 'deep' | 'holds' | 'cost'>

/** Ties a schema to the function that gets what it parsed. */
function target<S extends z.ZodObject<typeof sizeShape>>(
  options: S,
  traits: Traits,
  encode: (image: Sharp, options: z.output<S>) => Sharp,
): PixelTarget {
  return {
    ...traits,
    options,
    size: (raw) => size.parse(raw),
    encode: (image, raw) => encode(image, options.parse(raw)),
  }
}

const progressive = flag().optional().describe('Shows coarse at first, then finer while it loads.')

const pngOptions = z.object({
  ...sizeShape,
  compressionLevel: integer(0, 9).default(6).describe('0 is fastest, 9 smallest; the pixels are the same.'),
  palette: flag().default(false).describe('At most 256 colors: much smaller, not exact.'),
  progressive,
})

export const pixelTargets = {
  jpg: target(lossy.extend({ progressive }), { opaque: true, cost: 0.03 }, (image, options) =>
    image.jpeg({
      quality: qualityNumber(options.quality, scales.jpg),
      progressive: options.progressive ?? false,
    }),
  ),
  png: target(pngOptions, { deep: true, cost: 0.04 }, (image, { compressionLevel, palette, progressive }) =>
    image.png({ compressionLevel, palette, progressive: progressive ?? false, adaptiveFiltering: true }),
  ),
  webp: target(lossy, { holds: 'frames', cost: 0.05 }, (image, options) =>
    image.webp({ quality: qualityNumber(options.quality, scales.webp) }),
  ),
  gif: target(lossy, { holds: 'frames', cost: 0.1 }, (image, options) =>
    image.gif({
      colours: Math.max(2, Math.round(2.56 * qualityNumber(options.quality, scales.gif))),
      effort: 4,
    }),
  ),
  tiff: target(size, { deep: true, holds: 'pages', cost: 0.05 }, (image) =>
    image.tiff({ compression: 'deflate', predictor: 'horizontal' }),
  ),
  // Effort 4, the default, takes three times as long to save 2 % more.
  avif: target(lossy, { cost: 0.3 }, (image, options) =>
    image.avif({ quality: qualityNumber(options.quality, scales.avif), effort: 2 }),
  ),
  // Plain pixels, for the header to be put before.
  bmp: target(size, { opaque: true, cost: 0.05 }, (image) => image.removeAlpha().raw()),
  // Pixels for heif-enc, which writes the file itself.
  heic: target(lossy, { cost: 0.3 }, (image) => image.png({ compressionLevel: 1 })),
} as const

export type PixelTargetId = keyof typeof pixelTargets

export function heicQuality(options: unknown): number {
  return qualityNumber(lossy.parse(options).quality, scales.heic)
}
