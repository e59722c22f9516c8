import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import { quality, qualityNumber } from './options.ts'
import { scales, sizeShape } from './vips-targets.ts'

/** How a file is read. `layers/imagemagick/policy.xml` permits these coders and those of `targets`, and no other. */
interface Source {
  readonly coder: string
  /** One of the pictures inside is the picture; left out, all of them are. */
  readonly takes?: 'first' | 'largest'
  /** After reading, before all else. */
  readonly args?: readonly string[]
}

const one = (coder: string, ...args: string[]): Source => ({ coder, takes: 'first', args })

export const sources = {
  jpg: one('jpeg'),
  png: one('png'),
  webp: { coder: 'webp' },
  gif: { coder: 'gif' },
  bmp: one('bmp'),
  tiff: { coder: 'tiff' },
  // The first is the picture with all layers merged, as Photoshop stores it for other programs.
  psd: one('psd'),
  tga: one('tga'),
  ico: { coder: 'ico', takes: 'largest' },
  hdr: one('hdr'),
  exr: one('exr'),
  dds: one('dds'),
  pcx: one('pcx'),
  // This one reads all four by their first letters, whatever the file's name says.
  ppm: one('pnm'),
  pgm: one('pnm'),
  pbm: one('pnm'),
  pnm: one('pnm'),
  xpm: one('xpm'),
  xbm: one('xbm'),
  sgi: one('sgi'),
  jp2: one('jp2'),
  // Values of a measurement have no black and white of their own.
  fits: one('fits', '-auto-level'),
  cin: one('cin'),
  // Taken as linear otherwise, which makes films too bright.
  dpx: one('dpx', '-set', 'colorspace', 'sRGB'),
  miff: one('miff'),
} as const satisfies Partial<Record<FormatId, Source>>

export type SourceId = keyof typeof sources
export const sourceOf = (id: SourceId): Source => sources[id]

interface Target {
  readonly coder: string
  /** Transparency is laid over white. */
  readonly opaque?: true
  /** Several pictures stay together in one file. */
  readonly holds?: 'frames' | 'pages'
  /** Words of `quality`, where the format has one. */
  readonly scale?: keyof typeof scales
  /** Before writing. */
  readonly args?: readonly string[]
  readonly cost: number
}

const plain = (coder: string, ...args: string[]): Target => ({ coder, args, cost: 0.35 })
const flat = (coder: string, ...args: string[]): Target => ({ coder, args, opaque: true, cost: 0.35 })

export const targets = {
  // The way to all that other engines make: cheaper than what they make better.
  png: { coder: 'png', cost: 0.2 },
  jpg: { coder: 'jpeg', opaque: true, scale: 'jpg', cost: 0.35 },
  // One picture: it gives each frame of an animation the time of the next one.
  webp: { coder: 'webp', scale: 'webp', cost: 0.35 },
  gif: { coder: 'gif', holds: 'frames', cost: 0.35 },
  tiff: { coder: 'tiff', holds: 'pages', args: ['-compress', 'Zip'], cost: 0.35 },
  bmp: flat('bmp3'),
  // What every reader understands.
  psd: plain('psd', '-depth', '8', '-compress', 'None'),
  // It writes the rows from the top, and says so only when told.
  tga: plain('tga', '-depth', '8', '-orient', 'TopLeft'),
  ico: plain('ico', '-depth', '8'),
  hdr: flat('hdr', '-colorspace', 'RGB'),
  exr: plain('exr', '-colorspace', 'RGB'),
  dds: plain('dds', '-define', 'dds:compression=dxt5'),
  pcx: flat('pcx', '-depth', '8'),
  ppm: flat('ppm'),
  pgm: flat('pgm', '-colorspace', 'Gray'),
  pbm: flat('pbm', '-monochrome'),
  pnm: flat('pnm'),
  xpm: plain('xpm'),
  xbm: flat('xbm', '-monochrome'),
  sgi: plain('sgi', '-depth', '8'),
  jp2: plain('jp2', '-depth', '8'),
  cin: flat('cin'),
  dpx: plain('dpx'),
  miff: plain('miff'),
} as const satisfies Partial<Record<FormatId, Target>>

export type TargetId = keyof typeof targets
export const targetOf = (id: TargetId): Target => targets[id]

const size = z.object(sizeShape)
const lossy = size.extend({ quality: quality.optional() })

export const optionsOf = (id: TargetId): z.ZodObject => (targetOf(id).scale ? lossy : size)

/** The pixels in the asked size: `>` never enlarges, `^` fills. */
export function sizeArgs(options: unknown): string[] {
  const { width, height, fit } = size.parse(options)
  if (width === undefined && height === undefined) return []
  const box = `${width ?? ''}x${height ?? ''}`
  if (fit === 'scale') return ['-resize', box]
  if (fit === 'max' || width === undefined || height === undefined) {
    return ['-resize', fit === 'max' ? `${box}>` : box]
  }
  return ['-resize', `${box}^`, '-gravity', 'center', '-extent', box, '+repage']
}

export function qualityArgs(id: TargetId, options: unknown): string[] {
  const { scale } = targetOf(id)
  if (!scale) return []
  return ['-quality', String(qualityNumber(lossy.parse(options).quality, scales[scale]))]
}
