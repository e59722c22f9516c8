import type { Sharp } from 'sharp'
import type { InputFile } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import { toImageError } from '../../vips/image-error.ts'

/** Maximum number of pixels; at four bytes each, they fit in memory. */
const maxPixels = 12_000 ** 2

/** Which pixels to read, and how. */
interface RawPixelsRequest {
  /** Zero-based index of the page. */
  readonly page: number
  readonly transparency: 'keep' | 'over white'
  /** Maximum length of the longest side; larger images are scaled down. */
  readonly maxSide?: number
  /** Further processing, after the image was rotated upright and converted to sRGB. */
  readonly prepare?: (image: Sharp) => Sharp
}

export interface RawPixels {
  /** Rows from top to bottom, one byte per channel. */
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Size before scaling down. */
  readonly original: { readonly width: number; readonly height: number }
  /** Pixels per inch, if the file states it. */
  readonly density: number | undefined
  /** Pages or frames in the file. */
  readonly pages: number
}

/** Reads the pixels of one image in a file that libvips supports. @throws AppError CORRUPT_FILE, FILE_TOO_LARGE. */
export async function readRawPixels(
  { path, format }: InputFile,
  request: RawPixelsRequest,
): Promise<RawPixels> {
  const sharp = await loadSharp()
  try {
    const options = { limitInputPixels: maxPixels, failOn: 'error', page: request.page } as const
    const { density, pages = 1, autoOrient } = await sharp(path, { limitInputPixels: maxPixels }).metadata()
    let image = sharp(path, options).autoOrient()
    if (request.maxSide !== undefined) {
      const { maxSide } = request
      image = image.resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    }
    image = request.transparency === 'keep' ? image.ensureAlpha() : image.flatten({ background: '#ffffff' })
    image = image.toColourspace('srgb')
    const { data, info } = await (request.prepare?.(image) ?? image)
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    return { data, width, height, channels, original: autoOrient, density, pages }
  } catch (error) {
    throw toImageError(error, format)
  }
}
