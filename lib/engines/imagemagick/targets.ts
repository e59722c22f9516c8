import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { type Quality, toQualityNumber } from '../options.ts'
import {
  chooseJpegQuality,
  colorSpace,
  getResizeBox,
  imageOptionShape,
  jpgOptionShape,
  lossyOptionShape,
  parseImageOptions,
  pngOptionShape,
  qualityScales,
} from '../shared/image/options.ts'

/** How ImageMagick writes a format. */
interface MagickTarget {
  /** Name in `convert -list format`. */
  readonly coder: string
  /** Whether the format has no transparency; transparent pixels are then flattened onto white. */
  readonly isOpaque?: true
  /** Set if one file can store several frames or pages. */
  readonly stores?: 'frames' | 'pages'
  /** Whether the format can store an ICC profile. */
  readonly supportsProfile?: true
  readonly options: z.ZodObject
  /** Returns the arguments for the requested or default quality. */
  readonly quality?: (raw: unknown) => readonly string[]
  /** Arguments directly before the output file. */
  readonly args?: readonly string[]
  readonly cost: number
}

const parseSides = (text: string) => text.split(',').map(Number)

const PlainOptions = z.object(imageOptionShape)
const LossyOptions = z.object(lossyOptionShape)
const JpgOptions = z.object(jpgOptionShape)
export const PngOptions = z.object(pngOptionShape)
const ColorOptions = z.object({ colorSpace })

/** Returns the requested color space; undefined for targets without that option. */
export const parseColorSpace = (raw: unknown) => ColorOptions.parse(raw).colorSpace

const IconOptions = z.object({
  ...imageOptionShape,
  sizes: z
    .string()
    .max(100)
    .refine((text) => parseSides(text).every((side) => Number.isInteger(side) && side >= 1 && side <= 256), {
      error: 'Expected sizes from 1 to 256 pixels, such as 16,32,48.',
    })
    .optional()
    .describe(
      'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.',
    ),
})

const createTarget = (coder: string, ...args: string[]): MagickTarget => ({
  coder,
  args,
  options: PlainOptions,
  cost: 0.35,
})
const createOpaqueTarget = (coder: string, ...args: string[]): MagickTarget => ({
  ...createTarget(coder, ...args),
  isOpaque: true,
})
const createDpxFileNameArgs = (part: string) => ['-define', `dpx:${part}.filename=output.cin`]
const createBilevelTarget = (coder: string): MagickTarget => createOpaqueTarget(coder, '-monochrome')

const createQualityArgs = (value: Quality | undefined, scale: keyof typeof qualityScales) => [
  '-quality',
  String(toQualityNumber(value, qualityScales[scale])),
]

/** Targets whose writers retain EXIF data. In a JNG it is only in the JPEG stream, where no program looks for it. */
const targetsWithMetadata: readonly string[] = ['png', 'jpg', 'webp', 'miff']
export const storesMetadata = (to: MagickTargetId) => targetsWithMetadata.includes(to)

/** Targets written with more than 8 bits per channel if the source has them. */
const deepTargets: readonly string[] = 'png tiff ptif miff mng ppm pgm pnm pfm exr hdr dpx cin'.split(' ')
export const hasDeepColor = (to: MagickTargetId) => deepTargets.includes(to)

export const magickTargets = {
  // PNG is the intermediate format for targets of other engines, so its cost is low.
  png: {
    coder: 'png',
    supportsProfile: true,
    // Without a unit, readers assume dots per millimeter, which makes pages tiny.
    args: ['-units', 'PixelsPerInch'],
    options: PngOptions,
    cost: 0.2,
    quality: (raw) => {
      const { compressionLevel, progressive, colorSpace } = PngOptions.parse(raw)
      return [
        // The tens digit is the zlib level, and 5 selects adaptive filtering (ImageMagick's manual, -quality).
        ...['-quality', String(compressionLevel * 10 + 5)],
        ...['-interlace', progressive ? 'PNG' : 'None'],
        ...(colorSpace === 'gray' ? ['-colorspace', 'Gray'] : []),
      ]
    },
  },
  jpg: {
    coder: 'jpeg',
    isOpaque: true,
    supportsProfile: true,
    // In whole dots per centimeter, 300 dpi would be rounded to 299.72.
    args: ['-units', 'PixelsPerInch'],
    options: JpgOptions,
    cost: 0.22,
    quality: (raw) => {
      const options = JpgOptions.parse(raw)
      return [
        ...createQualityArgs(chooseJpegQuality(options), 'jpg'),
        ...['-interlace', options.progressive ? 'JPEG' : 'None'],
        ...(options.colorSpace === 'gray' ? ['-colorspace', 'Gray'] : []),
      ]
    },
  },
  // WebP gets a single image: ImageMagick would give each frame of an animation the delay of the next frame.
  webp: {
    coder: 'webp',
    supportsProfile: true,
    options: LossyOptions,
    cost: 0.35,
    quality: (raw) => createQualityArgs(LossyOptions.parse(raw).quality, 'webp'),
  },
  gif: { ...createTarget('gif'), stores: 'frames' },
  tiff: { ...createTarget('tiff', '-compress', 'Zip'), stores: 'pages', supportsProfile: true },
  ptif: { ...createTarget('ptif', '-compress', 'Zip'), supportsProfile: true },
  bmp: createOpaqueTarget('bmp3'),
  bmp2: createOpaqueTarget('bmp2'),
  bmp3: createOpaqueTarget('bmp3'),
  // Settings that all PSD readers support.
  psd: { ...createTarget('psd', '-depth', '8', '-compress', 'None'), supportsProfile: true },
  psb: { ...createTarget('psb', '-depth', '8', '-compress', 'None'), supportsProfile: true },
  // ImageMagick writes rows top-down, but declares that only with -orient.
  tga: createTarget('tga', '-depth', '8', '-orient', 'TopLeft'),
  ico: { ...createTarget('ico', '-depth', '8'), options: IconOptions },
  cur: createTarget('ico', '-depth', '8'),
  // RGB (as opposed to sRGB) is linear light, which these two formats store.
  hdr: createOpaqueTarget('hdr', '-colorspace', 'RGB'),
  exr: createTarget('exr', '-colorspace', 'RGB'),
  dds: createTarget('dds', '-define', 'dds:compression=dxt5'),
  pcx: createOpaqueTarget('pcx', '-depth', '8'),
  dcx: { ...createOpaqueTarget('dcx', '-depth', '8'), stores: 'pages' },
  ppm: createOpaqueTarget('ppm'),
  pgm: createOpaqueTarget('pgm', '-colorspace', 'Gray'),
  pbm: createBilevelTarget('pbm'),
  pnm: createOpaqueTarget('pnm'),
  pam: createTarget('pam', '-depth', '8'),
  pfm: createOpaqueTarget('pfm'),
  xpm: createTarget('xpm'),
  xbm: createBilevelTarget('xbm'),
  xwd: createOpaqueTarget('xwd', '-depth', '8'),
  sgi: createTarget('sgi', '-depth', '8'),
  ras: createOpaqueTarget('ras', '-depth', '8'),
  jp2: {
    ...createTarget('jp2', '-depth', '8'),
    options: LossyOptions,
    quality: (raw) => createQualityArgs(LossyOptions.parse(raw).quality, 'jp2'),
  },
  j2k: {
    ...createTarget('j2k', '-depth', '8'),
    options: LossyOptions,
    quality: (raw) => createQualityArgs(LossyOptions.parse(raw).quality, 'jp2'),
  },
  pgx: createOpaqueTarget('pgx', '-colorspace', 'Gray', '-depth', '8'),
  jng: {
    ...createTarget('jng'),
    options: LossyOptions,
    quality: (raw) => createQualityArgs(LossyOptions.parse(raw).quality, 'jpg'),
  },
  mng: { ...createTarget('mng'), stores: 'frames' },
  pict: createOpaqueTarget('pict', '-depth', '8'),
  sixel: createOpaqueTarget('sixel'),
  viff: createOpaqueTarget('viff', '-depth', '8'),
  wbmp: createBilevelTarget('wbmp'),
  otb: createBilevelTarget('otb'),
  palm: createOpaqueTarget('palm'),
  jbig: createBilevelTarget('jbig'),
  avs: createTarget('avs', '-depth', '8'),
  aai: createTarget('aai', '-depth', '8'),
  art: createBilevelTarget('art'),
  cal: createBilevelTarget('cal'),
  vicar: createOpaqueTarget('vicar', '-colorspace', 'Gray', '-depth', '8'),
  fits: createOpaqueTarget('fits', '-depth', '8'),
  // Without -depth, black-and-white images come out all black. The last arguments replace the file paths that
  // ImageMagick writes to the header.
  cin: createOpaqueTarget(
    'cin',
    '-depth',
    '10',
    ...createDpxFileNameArgs('file'),
    ...createDpxFileNameArgs('origination'),
  ),
  dpx: createTarget('dpx'),
  miff: { ...createTarget('miff'), supportsProfile: true },
} as const satisfies Partial<Record<FormatId, MagickTarget>>

export type MagickTargetId = keyof typeof magickTargets
export const getMagickTarget = (id: MagickTargetId): MagickTarget => magickTargets[id]

/** Returns resize arguments for the requested size: `>` never enlarges, and `^` fills the box. */
export function createSizeArgs(options: unknown): string[] {
  const box = getResizeBox(parseImageOptions(options))
  if (!box) return []
  const { width, height, fit } = box
  const geometry = `${width ?? ''}x${height ?? ''}`
  if (fit === 'scale') return ['-resize', geometry]
  if (fit === 'max' || width === undefined || height === undefined) {
    return ['-resize', fit === 'max' ? `${geometry}>` : geometry]
  }
  return ['-resize', `${geometry}^`, '-gravity', 'center', '-extent', geometry, '+repage']
}

/** Returns the requested icon sizes, largest first. */
export function parseIconSides(options: unknown): number[] | undefined {
  const { sizes } = IconOptions.parse(options)
  return sizes === undefined ? undefined : parseSides(sizes).sort((a, b) => b - a)
}
