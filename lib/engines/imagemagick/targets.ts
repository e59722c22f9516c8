import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import {
  boxOf,
  colorSpace,
  jpegQualityOf,
  jpgShape,
  lossyShape,
  pictureOptions,
  pictureShape,
  pngShape,
  scales,
} from '../image/options.ts'
import { type Quality, qualityNumber } from '../options.ts'

/** How a file is written. */
interface Target {
  /** As `convert -list format` names it. */
  readonly coder: string
  /** Transparency is laid over white. */
  readonly opaque?: true
  /** Several pictures stay together in one file. */
  readonly holds?: 'frames' | 'pages'
  /** Holds the profile that says which colors the numbers mean. */
  readonly profiled?: true
  readonly options: z.ZodObject
  /** Arguments for the quality that these options ask for, or for the usual one. */
  readonly quality?: (raw: unknown) => readonly string[]
  /** Before writing. */
  readonly args?: readonly string[]
  readonly cost: number
}

const sidesOf = (text: string) => text.split(',').map(Number)

const PlainOptions = z.object(pictureShape)
const LossyOptions = z.object(lossyShape)
const JpgOptions = z.object(jpgShape)
const PngOptions = z.object(pngShape)
const ColorOptions = z.object({ colorSpace })

/** What was asked for, of those targets that take it. */
export const colorSpaceOf = (raw: unknown) => ColorOptions.parse(raw).colorSpace

const IconOptions = z.object({
  ...pictureShape,
  sizes: z
    .string()
    .max(100)
    .refine((text) => sidesOf(text).every((side) => Number.isInteger(side) && side >= 1 && side <= 256), {
      error: 'Expected sides from 1 to 256 pixels, as 16,32,48.',
    })
    .optional()
    .describe('Sides of the pictures in the icon, 1 to 256, as 16,32,48. The usual ones when left out.'),
})

const plain = (coder: string, ...args: string[]): Target => ({
  coder,
  args,
  options: PlainOptions,
  cost: 0.35,
})
const flat = (coder: string, ...args: string[]): Target => ({ ...plain(coder, ...args), opaque: true })
const named = (part: string) => ['-define', `dpx:${part}.filename=output.cin`]
const black = (coder: string): Target => flat(coder, '-monochrome')

const qualityArgs = (value: Quality | undefined, scale: keyof typeof scales) => [
  '-quality',
  String(qualityNumber(value, scales[scale])),
]

export const targets = {
  // The way to all that other engines make: cheaper than what they make better.
  png: {
    coder: 'png',
    profiled: true,
    // Without a unit, readers take dots for dots per millimeter: pages of it would be a few dots large.
    args: ['-units', 'PixelsPerInch'],
    options: PngOptions,
    cost: 0.2,
    quality: (raw) => {
      const { compressionLevel, palette, progressive, colorSpace } = PngOptions.parse(raw)
      return [
        // Tens are zlib's level, and 5 is adaptive filtering (ImageMagick's manual, -quality).
        ...['-quality', String(compressionLevel * 10 + 5)],
        ...['-interlace', progressive ? 'PNG' : 'None'],
        ...(palette ? ['-colors', '256', '-define', 'png:color-type=3'] : []),
        ...(colorSpace === 'gray' ? ['-colorspace', 'Gray'] : []),
      ]
    },
  },
  jpg: {
    coder: 'jpeg',
    opaque: true,
    profiled: true,
    // Whole dots per centimeter would make 299.72 of 300.
    args: ['-units', 'PixelsPerInch'],
    options: JpgOptions,
    cost: 0.22,
    quality: (raw) => {
      const options = JpgOptions.parse(raw)
      return [
        ...qualityArgs(jpegQualityOf(options), 'jpg'),
        ...['-interlace', options.progressive ? 'JPEG' : 'None'],
        ...(options.colorSpace === 'gray' ? ['-colorspace', 'Gray'] : []),
      ]
    },
  },
  // One picture: it gives each frame of an animation the time of the next one.
  webp: {
    coder: 'webp',
    profiled: true,
    options: LossyOptions,
    cost: 0.35,
    quality: (raw) => qualityArgs(LossyOptions.parse(raw).quality, 'webp'),
  },
  gif: { ...plain('gif'), holds: 'frames' },
  tiff: { ...plain('tiff', '-compress', 'Zip'), holds: 'pages', profiled: true },
  ptif: { ...plain('ptif', '-compress', 'Zip'), profiled: true },
  bmp: flat('bmp3'),
  bmp2: flat('bmp2'),
  bmp3: flat('bmp3'),
  // What every reader understands.
  psd: { ...plain('psd', '-depth', '8', '-compress', 'None'), profiled: true },
  psb: { ...plain('psb', '-depth', '8', '-compress', 'None'), profiled: true },
  // It writes the rows from the top, and says so only when told.
  tga: plain('tga', '-depth', '8', '-orient', 'TopLeft'),
  ico: { ...plain('ico', '-depth', '8'), options: IconOptions },
  cur: plain('ico', '-depth', '8'),
  // RGB without the s is linear light, as these two hold it.
  hdr: flat('hdr', '-colorspace', 'RGB'),
  exr: plain('exr', '-colorspace', 'RGB'),
  dds: plain('dds', '-define', 'dds:compression=dxt5'),
  pcx: flat('pcx', '-depth', '8'),
  dcx: { ...flat('dcx', '-depth', '8'), holds: 'pages' },
  ppm: flat('ppm'),
  pgm: flat('pgm', '-colorspace', 'Gray'),
  pbm: black('pbm'),
  pnm: flat('pnm'),
  pam: plain('pam', '-depth', '8'),
  pfm: flat('pfm'),
  xpm: plain('xpm'),
  xbm: black('xbm'),
  xwd: flat('xwd', '-depth', '8'),
  sgi: plain('sgi', '-depth', '8'),
  ras: flat('ras', '-depth', '8'),
  jp2: {
    ...plain('jp2', '-depth', '8'),
    options: LossyOptions,
    quality: (raw) => qualityArgs(LossyOptions.parse(raw).quality, 'jp2'),
  },
  j2k: {
    ...plain('j2k', '-depth', '8'),
    options: LossyOptions,
    quality: (raw) => qualityArgs(LossyOptions.parse(raw).quality, 'jp2'),
  },
  pgx: flat('pgx', '-colorspace', 'Gray', '-depth', '8'),
  jng: {
    ...plain('jng'),
    options: LossyOptions,
    quality: (raw) => qualityArgs(LossyOptions.parse(raw).quality, 'jpg'),
  },
  mng: { ...plain('mng'), holds: 'frames' },
  pict: flat('pict', '-depth', '8'),
  sixel: flat('sixel'),
  viff: flat('viff', '-depth', '8'),
  wbmp: black('wbmp'),
  otb: black('otb'),
  palm: flat('palm'),
  jbig: black('jbig'),
  avs: plain('avs', '-depth', '8'),
  aai: plain('aai', '-depth', '8'),
  art: black('art'),
  cal: black('cal'),
  vicar: flat('vicar', '-colorspace', 'Gray', '-depth', '8'),
  fits: flat('fits', '-depth', '8'),
  // Of pictures in black and white it writes nothing but black when it may choose.
  // Twice it tells the name of its file, with all of its folders where nobody says it.
  cin: flat('cin', '-depth', '10', ...named('file'), ...named('origination')),
  dpx: plain('dpx'),
  miff: { ...plain('miff'), profiled: true },
} as const satisfies Partial<Record<FormatId, Target>>

export type TargetId = keyof typeof targets
export const targetOf = (id: TargetId): Target => targets[id]

/** The pixels in the asked size: `>` never enlarges, `^` fills. */
export function sizeArgs(options: unknown): string[] {
  const asked = boxOf(pictureOptions(options))
  if (!asked) return []
  const { width, height, fit } = asked
  const box = `${width ?? ''}x${height ?? ''}`
  if (fit === 'scale') return ['-resize', box]
  if (fit === 'max' || width === undefined || height === undefined) {
    return ['-resize', fit === 'max' ? `${box}>` : box]
  }
  return ['-resize', `${box}^`, '-gravity', 'center', '-extent', box, '+repage']
}

/** The sides of an icon's pictures that were asked for. */
export function iconSides(options: unknown): number[] | undefined {
  const { sizes } = IconOptions.parse(options)
  return sizes === undefined ? undefined : sidesOf(sizes).sort((a, b) => b - a)
}
