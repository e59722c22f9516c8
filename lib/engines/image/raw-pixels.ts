import type { Sharp } from 'sharp'
import type { InputFile } from '../engine.ts'
import { loadSharp } from '../vips/image.ts'
import { pictureError } from '../vips/image-error.ts'

/** Pixels that fit into memory at four bytes each. */
const maxPixels = 12_000 ** 2

/** How the pixels are wanted. */
export interface RawWish {
  /** Counted from 0. */
  readonly page: number
  readonly transparency: 'keep' | 'over white'
  /** Longest side; larger pictures are made smaller. */
  readonly maxSide?: number
  /** More to do with the picture, after it stands upright in sRGB. */
  readonly prepare?: (image: Sharp) => Sharp
}

export interface RawPixels {
  /** Rows from the top, a byte per channel. */
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: number
  /** Before it was made smaller. */
  readonly original: { readonly width: number; readonly height: number }
  /** Pixels per inch, where the file tells it. */
  readonly density: number | undefined
  /** Pages or frames in the file. */
  readonly pages: number
}

/** The pixels of one picture in a file that libvips reads. @throws AppError CORRUPT_FILE, FILE_TOO_LARGE. */
export async function rawPixels({ path, format }: InputFile, wish: RawWish): Promise<RawPixels> {
  const sharp = await loadSharp()
  try {
    const options = { limitInputPixels: maxPixels, failOn: 'error', page: wish.page } as const
    const { density, pages = 1, autoOrient } = await sharp(path, { limitInputPixels: maxPixels }).metadata()
    let image = sharp(path, options).autoOrient()
    if (wish.maxSide !== undefined) {
      const { maxSide } = wish
      image = image.resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
    }
    image = wish.transparency === 'keep' ? image.ensureAlpha() : image.flatten({ background: '#ffffff' })
    image = image.toColourspace('srgb')
    const { data, info } = await (wish.prepare?.(image) ?? image)
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    return { data, width, height, channels, original: autoOrient, density, pages }
  } catch (error) {
    throw pictureError(error, format)
  }
}
