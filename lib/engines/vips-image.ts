import { join, parse } from 'node:path'
import type { Metadata, Sharp, SharpOptions } from 'sharp'
import { AppError } from '../errors.ts'
import type { FormatId } from '../formats/index.ts'
import type { InputFile, Tools } from './engine.ts'
import { ProcessFailure } from './exec.ts'
import { type PixelTargetId, pixelTargets, type Size } from './vips-targets.ts'

/** Width × height of one picture, or of all frames of an animation together. */
const maxPixels = 16_383 ** 2
const timeoutS = 120

/** A file that libvips can read, and what is known about it. */
export interface Picture {
  readonly path: string
  readonly format: FormatId
  readonly metadata: Metadata
  readonly pages: number
}

/** Loaded when first needed: the planner and the API know this engine and never open a picture. */
export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Every file is new, and names come back: a cache by name would only hold memory.
  sharp.cache(false)
  return sharp
}

export async function openPicture(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  tools: Tools,
): Promise<Picture> {
  const sharp = await loadSharp()
  const read = async (path: string) => sharp(path, { limitInputPixels: maxPixels }).metadata()
  const seen = await read(input.path).catch((error: unknown) => {
    throw pictureError(error, input.format)
  })
  const path = input.format === 'heic' ? await decodeHeic(input, to, seen, tools) : input.path
  const metadata = path === input.path ? seen : await read(path)
  return { path, format: path.endsWith('.jpg') ? 'jpg' : input.format, metadata, pages: metadata.pages ?? 1 }
}

/** libvips in Node has no HEVC decoder. JPEG is six times faster to write than PNG where the target is lossy too. */
async function decodeHeic(
  input: InputFile,
  to: PixelTargetId | 'pdf',
  seen: Metadata,
  tools: Tools,
): Promise<string> {
  const lossless = seen.hasAlpha === true || to === 'png' || to === 'tiff' || to === 'gif'
  const path = join(tools.workDir, `${parse(input.path).name}-decoded.${lossless ? 'png' : 'jpg'}`)
  try {
    await tools.exec('heif-convert', ['-q', '97', input.path, path])
  } catch (error) {
    if (error instanceof ProcessFailure) throw corrupt('heic', error)
    throw error
  }
  return path
}

export interface View {
  /** Which pages or frames: -1 is all of them in one picture. */
  readonly page: number
  readonly size: Size
}

/** The pixels upright, in sRGB, in the asked size, with no more than the target can hold. */
export async function pixels(picture: Picture, to: PixelTargetId, { page, size }: View): Promise<Sharp> {
  const sharp = await loadSharp()
  const { metadata } = picture
  const options: SharpOptions = { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true }
  if (picture.pages > 1) options.pages = page === -1 ? -1 : 1
  if (page > 0) options.page = page
  if (metadata.format === 'svg') options.density = svgDensity(metadata, size)
  let image = sharp(picture.path, options).timeout({ seconds: timeoutS }).autoOrient()
  image = resized(image, size)
  const { opaque, deep } = pixelTargets[to]
  if (opaque) image = image.flatten({ background: '#ffffff' })
  if (deep && metadata.depth === 'ushort') return image.toColourspace('rgb16')
  return image.toColourspace('srgb')
}

function resized(image: Sharp, { width, height, fit }: Size): Sharp {
  if (width === undefined && height === undefined) return image
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
  if (fit === 'crop') return image.resize({ ...size, fit: 'cover' })
  return image.resize({ ...size, fit: 'inside', withoutEnlargement: fit === 'max' })
}

/** Shapes are drawn at the size that is asked for, not enlarged as pixels. */
function svgDensity(metadata: Metadata, { width, height, fit }: Size): number {
  const usual = 72
  if (fit === 'max' || !metadata.width || !metadata.height) return usual
  const scale = Math.max((width ?? 0) / metadata.width, (height ?? 0) / metadata.height, 1)
  return Math.min(usual * scale, 10_000)
}

/** Turns libvips' words into what the client can do something about. */
export function pictureError(error: unknown, format: FormatId): unknown {
  if (!(error instanceof Error) || error instanceof AppError || error instanceof ProcessFailure) return error
  const { message } = error
  if (/pixel limit/i.test(message)) {
    const sentence = `The image has more pixels than the limit of ${Math.floor(maxPixels / 1e6)} megapixels.`
    return new AppError('FILE_TOO_LARGE', sentence, { maxPixels }, { cause: error })
  }
  if (/too large for|maximum .*dimension|dimensions? (is|are) too large/i.test(message)) {
    const sentence = 'The image is too large for the target format; ask for a smaller width or height.'
    return new AppError('CONVERSION_FAILED', sentence, undefined, { cause: error })
  }
  if (/timeout/i.test(message)) {
    return new AppError(
      'TIMEOUT',
      `The image took longer than its limit of ${timeoutS} seconds.`,
      undefined,
      {
        cause: error,
      },
    )
  }
  return corrupt(format, error)
}

function corrupt(format: FormatId, cause: Error): AppError {
  return new AppError('CORRUPT_FILE', `The ${format} image is damaged or incomplete.`, { format }, { cause })
}
