import type { Tools } from '../engine.ts'
import { loadSharp } from '../vips/image.ts'
import { createCorruptImageError } from '../vips/image-error.ts'
import { runMagick } from './run.ts'
import { getMagickSource, type MagickSourceId } from './sources.ts'

export interface Frame {
  readonly width: number
  readonly height: number
  readonly colorspace: string
  /** Number of bits per channel. */
  readonly depth: number
  /** Kinds of embedded profiles, such as icc, exif and xmp. */
  readonly profiles: readonly string[]
}

/** Reads the frames of the file, only from its headers if they contain all properties. */
export async function readFrames(
  path: string,
  from: MagickSourceId,
  tools: Tools,
): Promise<[Frame, ...Frame[]]> {
  const { coder, only, hidesProfilesFromPing } = getMagickSource(from)
  const { stdout } = await runMagick(tools, 'identify', [
    ...(hidesProfilesFromPing ? [] : ['-ping']),
    '-format',
    '%w %h %z %[colorspace] %[profiles]\n',
    `${coder}:${path}${only === 'first' ? '[0]' : ''}`,
  ])
  const [firstFrame, ...rest] = stdout
    .trim()
    .split('\n')
    .map((line): Frame => {
      const [colorspace = '', profiles = ''] = line.split(' ').slice(3)
      const [width = 0, height = 0, depth = 8] = line.split(' ', 3).map(Number)
      return { width, height, depth, colorspace, profiles: profiles.split(',') }
    })
  if (!firstFrame || !(firstFrame.width > 0 && firstFrame.height > 0)) throw createCorruptImageError(from)
  return [firstFrame, ...rest]
}

/** Returns the frame that stands for the whole file if the target stores a single image. */
export function pickFrame(
  frames: readonly [Frame, ...Frame[]],
  from: MagickSourceId,
): { frame: Frame; index: number } {
  if (getMagickSource(from).only !== 'largest') return { frame: frames[0], index: 0 }
  const frame = frames.reduce((best, next) => (next.width > best.width ? next : best))
  return { frame, index: frames.indexOf(frame) }
}

/**
 * Whether the file contains metadata of a camera or author. In a PNG, only libvips finds such metadata, not
 * ImageMagick.
 */
export async function hasMetadata(path: string, frames: readonly Frame[]): Promise<boolean> {
  const kinds = ['exif', 'xmp', 'iptc']
  if (frames.some(({ profiles }) => kinds.some((kind) => profiles.includes(kind)))) return true
  const sharp = await loadSharp()
  const metadata = await sharp(path)
    .metadata()
    .catch(() => undefined)
  return metadata?.exif !== undefined || metadata?.xmp !== undefined || metadata?.iptc !== undefined
}
