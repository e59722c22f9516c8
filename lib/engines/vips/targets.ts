import type { Sharp } from 'sharp'
import * as z from 'zod'
import {
  colorSpace,
  jpegQualityOf,
  jpgShape,
  lossyShape,
  pictureShape,
  pngShape,
  scales,
} from '../image/options.ts'
import { flag, qualityNumber } from '../options.ts'

const PlainOptions = z.object(pictureShape)
const LossyOptions = z.object(lossyShape)
const WebpOptions = LossyOptions.extend({
  lossless: flag()
    .optional()
    .describe(
      'Every pixel stays as it is; quality then says how hard it is tried to be small. Left out, true for pictures of up to 256 colors, whose edges would get others.',
    ),
})

/** What a format can store, and how pixels are encoded in it. */
interface PixelTarget {
  readonly options: z.ZodObject
  /** No transparency: transparent pixels are flattened onto white. */
  readonly opaque?: true
  /** One-bit alpha: a pixel is either opaque or fully transparent. */
  readonly clearOrOpaque?: true
  /** Stores more than 8 bits per channel if the image has them. */
  readonly deep?: true
  /** Stores an ICC profile. */
  readonly profiled?: true
  /** Stores several pages or frames in one file. */
  readonly holds?: 'frames' | 'pages'
  readonly cost: number
  /** Encodes the pixels; for formats written by an external program, prepares that program's input. */
  encode(image: Sharp, options: unknown): Sharp
}

type Traits = Pick<PixelTarget, 'opaque' | 'clearOrOpaque' | 'deep' | 'profiled' | 'holds' | 'cost'>

/** Ties an options schema to the encoder that receives the parsed options. */
function target<S extends z.ZodObject<typeof pictureShape>>(
  options: S,
  traits: Traits,
  encode: (image: Sharp, options: z.output<S>) => Sharp,
): PixelTarget {
  return { ...traits, options, encode: (image, raw) => encode(image, options.parse(raw)) }
}

const asPng = (image: Sharp) => image.png({ compressionLevel: 1 })

export const pixelTargets = {
  jpg: target(z.object(jpgShape), { opaque: true, profiled: true, cost: 0.03 }, (image, options) =>
    image.jpeg({
      quality: qualityNumber(jpegQualityOf(options), scales.jpg),
      progressive: options.progressive ?? false,
    }),
  ),
  png: target(z.object(pngShape), { deep: true, profiled: true, cost: 0.04 }, (image, options) =>
    image.png({
      compressionLevel: options.compressionLevel,
      palette: options.palette,
      progressive: options.progressive ?? false,
      adaptiveFiltering: true,
    }),
  ),
  webp: target(WebpOptions, { holds: 'frames', profiled: true, cost: 0.05 }, (image, options) =>
    image.webp({ quality: qualityNumber(options.quality, scales.webp), lossless: options.lossless ?? false }),
  ),
  gif: target(LossyOptions, { clearOrOpaque: true, holds: 'frames', cost: 0.1 }, (image, { quality }) =>
    image.gif({ colours: Math.max(2, Math.round(2.56 * qualityNumber(quality, scales.gif))), effort: 4 }),
  ),
  tiff: target(
    PlainOptions.extend({ colorSpace }),
    { deep: true, profiled: true, holds: 'pages', cost: 0.05 },
    (image) => image.tiff({ compression: 'deflate', predictor: 'horizontal' }),
  ),
  // The default effort of 4 takes three times as long and saves only 2 % more.
  avif: target(LossyOptions, { profiled: true, cost: 0.3 }, (image, { quality }) =>
    image.avif({ quality: qualityNumber(quality, scales.avif), effort: 2 }),
  ),
  apng: target(PlainOptions, { holds: 'frames', cost: 0.15 }, asPng),
  bmp: target(PlainOptions, { opaque: true, cost: 0.05 }, (image) => image.removeAlpha().raw()),
  heic: target(LossyOptions, { profiled: true, cost: 0.3 }, asPng),
  jxl: target(LossyOptions, { deep: true, profiled: true, cost: 0.4 }, asPng),
  // JxrEncApp cannot read compressed TIFF.
  jxr: target(LossyOptions, { cost: 0.3 }, (image) => image.tiff({ compression: 'none' })),
  djvu: target(LossyOptions, { opaque: true, holds: 'pages', cost: 0.4 }, (image) =>
    image.removeAlpha().raw(),
  ),
  icns: target(PlainOptions, { cost: 0.3 }, asPng),
} as const

export type PixelTargetId = keyof typeof pixelTargets
// Object.keys widens the keys to string.
export const pixelTargetIds = Object.keys(pixelTargets) as PixelTargetId[]
export const pixelTargetOf = (id: PixelTargetId): PixelTarget => pixelTargets[id]

const exactTargets: readonly PixelTargetId[] = ['png', 'apng', 'tiff', 'gif', 'bmp', 'icns', 'jxl']

/** Whether the target is lossless, so that intermediate files must be lossless too. */
export function isExact(to: PixelTargetId, options: unknown): boolean {
  return exactTargets.includes(to) || (to === 'webp' && WebpOptions.parse(options).lossless === true)
}

/** Whether the client left it open if a WebP is lossy or lossless. */
export const isOpenToLoss = (to: PixelTargetId, options: unknown): boolean =>
  to === 'webp' && WebpOptions.parse(options).lossless === undefined

/** Returns the requested quality on the scale of the program that writes the format. */
export function qualityFor(format: 'heic' | 'jxl' | 'jxr' | 'djvu', options: unknown): number {
  return qualityNumber(LossyOptions.parse(options).quality, scales[format])
}
