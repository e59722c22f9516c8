import { writeFile } from 'node:fs/promises'
import { loadSharp } from '../vips/image.ts'
import { maxPixels } from '../vips/limits.ts'
import { PngOptions } from './targets.ts'

/**
 * Reduces a PNG to a palette if the options ask for one. ImageMagick would fail for photos ("colormap is NULL") or, as
 * PNG8, make half-transparent pixels opaque.
 */
export async function reduceToPalette(path: string, options: unknown): Promise<void> {
  const { palette, compressionLevel, progressive = false } = PngOptions.parse(options)
  if (!palette) return
  const sharp = await loadSharp()
  const image = sharp(path, { limitInputPixels: maxPixels }).keepMetadata()
  await writeFile(path, await image.png({ palette, compressionLevel, progressive }).toBuffer())
}
