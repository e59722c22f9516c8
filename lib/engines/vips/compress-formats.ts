import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import type { FormatId } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { parseImageOptions } from '../shared/image/options.ts'
import { renderImage, type SourceImage } from './image.ts'
import { isLargeForWebp } from './webp-effort.ts'

export const compressedFormats = [
  'jpg',
  'png',
  'webp',
  'gif',
  'avif',
  'heic',
  'tiff',
] as const satisfies readonly FormatId[]
type CompressedId = (typeof compressedFormats)[number]

export interface Effort {
  /** Quality from 1 to 100. */
  readonly quality: number
  /** Factor by which each side is scaled; 1 keeps all pixels. */
  readonly scale: number
}

interface CompressJob {
  readonly source: SourceImage
  readonly input: InputFile
  readonly to: CompressedId
  readonly path: string
  readonly effort: Effort
  readonly tools: Tools
}

/** Encodes an image for a small size, whereas conversions encode for speed. */
export async function recompressImage(job: CompressJob): Promise<void> {
  const { to, path, effort, tools } = job
  const { quality } = effort
  switch (to) {
    case 'gif':
      return compressGif(job)
    case 'jpg':
      await (await scaleImage(job)).jpeg({ quality, mozjpeg: true }).toFile(path)
      return
    case 'png':
      // From quality 90 on, the pixels stay exact. Below that, the image is reduced to a palette of at most 256 colors.
      await (await scaleImage(job))
        .png(
          quality >= 90
            ? { compressionLevel: 9, effort: 10, adaptiveFiltering: true }
            : { palette: true, quality, effort: 8 },
        )
        .toFile(path)
      return
    case 'webp':
      await (await scaleImage(job))
        .webp({ quality, effort: isLargeForWebp(job.source) ? 2 : 5, smartSubsample: true })
        .toFile(path)
      return
    case 'avif':
      await (await scaleImage(job)).avif({ quality: Math.round(quality * 0.8), effort: 5 }).toFile(path)
      return
    case 'heic': {
      const file = join(tools.workDir, 'compress.png')
      await (await scaleImage(job)).png({ compressionLevel: 1 }).toFile(file)
      await tools.exec('heif-enc', ['-q', String(Math.round(quality * 0.8)), '-o', path, file])
      await rm(file)
      return
    }
    case 'tiff':
      await (await scaleImage(job))
        .tiff(
          quality >= 90
            ? { compression: 'deflate', predictor: 'horizontal' }
            : { compression: 'jpeg', quality },
        )
        .toFile(path)
  }
}

async function scaleImage({ source, to, effort }: CompressJob): Promise<Sharp> {
  const { metadata, pages } = source
  const { width = 1, height = 1 } = metadata.autoOrient
  const resizeOptions =
    effort.scale < 1
      ? {
          width: Math.max(1, Math.round(width * effort.scale)),
          height: Math.max(1, Math.round(height * effort.scale)),
        }
      : {}
  const isAnimated = pages > 1 && (to === 'webp' || to === 'tiff')
  // JPEG compression inside TIFF has no transparency.
  const backgroundOptions = to === 'tiff' && effort.quality < 90 ? { background: '#ffffff' } : {}
  return renderImage(source, to, {
    page: isAnimated ? -1 : 0,
    options: parseImageOptions({ ...resizeOptions, ...backgroundOptions }),
  })
}

/** Uses gifsicle, which keeps frames, delays and palettes; encoding again would double the size. */
async function compressGif({ input, path, effort, tools }: CompressJob): Promise<void> {
  const { quality, scale } = effort
  const lossyArgs = quality >= 90 ? [] : [`--lossy=${Math.round((90 - quality) * 2.5)}`]
  const colors = quality >= 60 ? [] : ['--colors', String(Math.max(16, Math.round(quality * 4)))]
  const scaleArgs = scale < 1 ? ['--scale', scale.toFixed(3)] : []
  await tools.exec('gifsicle', [
    '-O3',
    '--no-comments',
    ...lossyArgs,
    ...colors,
    ...scaleArgs,
    '-o',
    path,
    input.path,
  ])
}
