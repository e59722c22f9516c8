import { loadSharp, type SourceImage } from './image.ts'
import { maxPixels } from './limits.ts'

const maxColors = 256
/** Larger images are usually photographs, and scanning them takes long. */
const maxScannedPixels = 16_000_000
const topRowCount = 8
const middleRowCount = 64

/**
 * Whether an image, such as an icon, a diagram or a screenshot, has so few colors that a lossy format with chroma
 * subsampling would visibly change them. Lossy sources are not checked.
 */
export async function hasFewColors({ path, format, metadata }: SourceImage): Promise<boolean> {
  if (metadata.isPalette) return true
  const { width, height } = metadata
  if (!['png', 'tiff'].includes(format) || width * height > maxScannedPixels) return false
  const seenColors = new Set<number>()
  // Most photographs can be recognized by their first rows, and nearly all by the middle rows, so only these are read.
  const firstMiddleRow = (height - middleRowCount) >> 1
  if (firstMiddleRow > 0) {
    if (!(await hasFewColorsIn(path, seenColors, { left: 0, top: 0, width, height: topRowCount })))
      return false
    if (
      !(await hasFewColorsIn(path, seenColors, {
        left: 0,
        top: firstMiddleRow,
        width,
        height: middleRowCount,
      }))
    )
      return false
  }
  return hasFewColorsIn(path, seenColors)
}

async function hasFewColorsIn(
  path: string,
  seenColors: Set<number>,
  band?: { left: number; top: number; width: number; height: number },
): Promise<boolean> {
  const sharp = await loadSharp()
  const image = sharp(path, { limitInputPixels: maxPixels, sequentialRead: true })
  const data = await (band ? image.extract(band) : image)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer()
  for (let at = 0; at < data.length; at += 4) {
    seenColors.add(data.readUInt32LE(at))
    if (seenColors.size > maxColors) return false
  }
  return true
}
