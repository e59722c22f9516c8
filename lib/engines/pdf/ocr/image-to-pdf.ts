import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { InputFile, Tools } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'

/** Formats of images that can be read by OCR. */
export const ocrImageFormats = ['png', 'jpg', 'tiff', 'webp', 'gif'] as const

interface ImagePdf {
  readonly path: string
  /** Number of pages. */
  readonly pages: number
  /** Pixels per inch that the page size is based on, which may differ from the image's metadata. */
  readonly dpi: number
}

const maxPages = 500
/** Limit per page; OCRmyPDF skips larger pages without an error (`--skip-big`). */
const maxPixels = 150_000_000

/**
 * Creates a PDF with one page per image, in the size of a plausible scan. @throws AppError CORRUPT_FILE,
 * FILE_TOO_LARGE.
 */
export async function imageToPdf(input: InputFile, tools: Tools): Promise<ImagePdf> {
  try {
    return await convertImage(input, tools)
  } catch (error) {
    if (error instanceof AppError || tools.signal.aborted) throw error
    const message = `The ${input.format} image is damaged or has an unsupported encoding.`
    throw new AppError('CORRUPT_FILE', message, { format: input.format }, { cause: error })
  }
}

async function convertImage(input: InputFile, tools: Tools): Promise<ImagePdf> {
  const path = join(tools.workDir, 'image.pdf')
  const { files, dpi } = await writePngs(input, tools)
  const pageSizeArg = `${Math.round(dpi)}dpix${Math.round(dpi)}dpi`
  await tools.exec('img2pdf', ['--imgsize', pageSizeArg, '--output', path, '--', ...files])
  return { path, pages: files.length, dpi }
}

async function writePngs(input: InputFile, tools: Tools): Promise<{ files: string[]; dpi: number }> {
  const sharp = await loadSharp()
  const { pages = 1, width, height, density, format } = await sharp(input.path).metadata()
  if (width * height > maxPixels || pages > maxPages) {
    const message = `The image has ${Math.round((width * height) / 1e6)} megapixels and ${pages} pages; OCR accepts at most ${maxPixels / 1e6} megapixels and ${maxPages} pages.`
    throw new AppError('FILE_TOO_LARGE', message, { maxPixels, maxPages })
  }
  const files: string[] = []
  // Only the first frame of an animation is read.
  for (let page = 0; page < (format === 'tiff' ? pages : 1); page++) {
    const path = join(tools.workDir, `image-${page}.png`)
    const image = sharp(input.path, { page, limitInputPixels: maxPixels })
    await image
      .autoOrient()
      .flatten({ background: 'white' })
      .toColourspace('srgb')
      .png({ compressionLevel: 3 })
      // img2pdf divides by the density, which may be 0 in the source.
      .withMetadata({ density: 72 })
      .toFile(path)
    files.push(path)
  }
  return { files, dpi: choosePlausibleDpi(width, height, density) }
}

/**
 * Returns plausible pixels per inch. Cameras and screenshots contain arbitrary numbers; when the page would not be 2 to
 * 24 inches long, its longer side becomes 11 inches, as on US Letter.
 */
function choosePlausibleDpi(width: number, height: number, density = 72): number {
  const longSideInches = Math.max(width, height) / density
  if (density >= 100 && longSideInches >= 2 && longSideInches <= 24) return density
  return Math.min(600, Math.max(72, Math.max(width, height) / 11))
}
