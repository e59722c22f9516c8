import type { Sharp } from 'sharp'
import * as z from 'zod'
import { keysOf } from '../../validation/keys-of.ts'
import { flag, toQualityNumber } from '../options.ts'
import {
  chooseJpegQuality,
  colorSpace,
  imageOptionShape,
  jpgOptionShape,
  lossyOptionShape,
  pngOptionShape,
  qualityScales,
} from '../shared/image/options.ts'

const PlainOptions = z.object(imageOptionShape)
const LossyOptions = z.object(lossyOptionShape)
const WebpOptions = LossyOptions.extend({
  lossless: flag()
    .optional()
    .describe(
      'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.',
    ),
})

/** What a format can store, and how pixels are encoded in it. */
interface PixelTarget {
  readonly options: z.ZodObject
  /** Whether transparency is not supported, so that transparent parts get the background color. */
  readonly isOpaque?: true
  /** Whether alpha has one bit: a pixel is either opaque or fully transparent. */
  readonly hasBinaryAlpha?: true
  /** Whether more than 8 bits per channel are stored if the image has them. */
  readonly hasDeepColor?: true
  /** Whether an ICC profile is stored. */
  readonly supportsProfile?: true
  /** Whether a file can store several frames or several pages. If omitted, it stores a single image. */
  readonly stores?: 'frames' | 'pages'
  readonly cost: number
  /** Encodes the pixels; for formats written by an external program, prepares that program's input. */
  encode(image: Sharp, options: unknown): Sharp
}

type TargetTraits = Pick<
  PixelTarget,
  'isOpaque' | 'hasBinaryAlpha' | 'hasDeepColor' | 'supportsProfile' | 'stores' | 'cost'
>

/** Ties an options schema to the encoder that receives the parsed options. */
function defineTarget<S extends z.ZodObject<typeof imageOptionShape>>(
  options: S,
  traits: TargetTraits,
  encode: (image: Sharp, options: z.output<S>) => Sharp,
): PixelTarget {
  return { ...traits, options, encode: (image, raw) => encode(image, options.parse(raw)) }
}

const toPng = (image: Sharp) => image.png({ compressionLevel: 1 })

export const pixelTargets = {
  jpg: defineTarget(
    z.object(jpgOptionShape),
    { isOpaque: true, supportsProfile: true, cost: 0.03 },
    (image, options) =>
      image.jpeg({
        quality: toQualityNumber(chooseJpegQuality(options), qualityScales.jpg),
        progressive: options.progressive ?? false,
      }),
  ),
  png: defineTarget(
    z.object(pngOptionShape),
    { hasDeepColor: true, supportsProfile: true, cost: 0.04 },
    (image, options) =>
      image.png({
        compressionLevel: options.compressionLevel,
        palette: options.palette,
        progressive: options.progressive ?? false,
        adaptiveFiltering: true,
      }),
  ),
  webp: defineTarget(WebpOptions, { stores: 'frames', supportsProfile: true, cost: 0.05 }, (image, options) =>
    image.webp({
      quality: toQualityNumber(options.quality, qualityScales.webp),
      lossless: options.lossless ?? false,
    }),
  ),
  gif: defineTarget(
    LossyOptions,
    { hasBinaryAlpha: true, stores: 'frames', cost: 0.1 },
    // The encoder reduces the colors of the result as requested.
    (image) => image.gif({ effort: 4 }),
  ),
  tiff: defineTarget(
    PlainOptions.extend({ colorSpace }),
    { hasDeepColor: true, supportsProfile: true, stores: 'pages', cost: 0.05 },
    (image) => image.tiff({ compression: 'deflate', predictor: 'horizontal' }),
  ),
  // The default effort of 4 takes three times as long and saves only 2 % more.
  avif: defineTarget(LossyOptions, { supportsProfile: true, cost: 0.3 }, (image, { quality }) =>
    image.avif({ quality: toQualityNumber(quality, qualityScales.avif), effort: 2 }),
  ),
  apng: defineTarget(PlainOptions, { stores: 'frames', cost: 0.15 }, toPng),
  bmp: defineTarget(PlainOptions, { isOpaque: true, cost: 0.05 }, (image) => image.removeAlpha().raw()),
  heic: defineTarget(LossyOptions, { supportsProfile: true, cost: 0.3 }, toPng),
  jxl: defineTarget(LossyOptions, { hasDeepColor: true, supportsProfile: true, cost: 0.4 }, toPng),
  // JxrEncApp cannot read compressed TIFF.
  jxr: defineTarget(LossyOptions, { cost: 0.3 }, (image) => image.tiff({ compression: 'none' })),
  djvu: defineTarget(LossyOptions, { isOpaque: true, stores: 'pages', cost: 0.4 }, (image) =>
    image.removeAlpha().raw(),
  ),
  icns: defineTarget(PlainOptions, { cost: 0.3 }, toPng),
} as const

export type PixelTargetId = keyof typeof pixelTargets
export const pixelTargetIds = keysOf(pixelTargets)
export const getPixelTarget = (id: PixelTargetId): PixelTarget => pixelTargets[id]

const losslessTargets: readonly PixelTargetId[] = ['png', 'apng', 'tiff', 'gif', 'bmp', 'icns', 'jxl']

/** Whether the target is lossless, so that intermediate files must be lossless too. */
export function isLossless(to: PixelTargetId, options: unknown): boolean {
  return losslessTargets.includes(to) || (to === 'webp' && WebpOptions.parse(options).lossless === true)
}

/** Whether the client did not choose between lossy and lossless WebP. */
export const isLosslessUnspecified = (to: PixelTargetId, options: unknown): boolean =>
  to === 'webp' && WebpOptions.parse(options).lossless === undefined

/** Returns the requested quality on the scale of the program that writes the format. */
export function chooseEncoderQuality(format: 'heic' | 'jxl' | 'jxr' | 'djvu', options: unknown): number {
  return toQualityNumber(LossyOptions.parse(options).quality, qualityScales[format])
}

/** Returns the number of colors for the requested quality. */
export const chooseGifColors = (options: unknown): number =>
  Math.max(2, Math.round(2.56 * toQualityNumber(LossyOptions.parse(options).quality, qualityScales.gif)))
