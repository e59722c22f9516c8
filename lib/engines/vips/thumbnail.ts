import { join } from 'node:path'
import type { Metadata, Sharp } from 'sharp'
import type { FormatId } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { parseImageOptions } from '../shared/image/options.ts'
import type { Size } from '../shared/image/svg-layout.ts'
import {
  allowEnlargement,
  computeScale,
  parseThumbnailBox,
  type ThumbnailBox,
  type ThumbnailTarget,
  thumbnailTargets,
} from '../shared/image/thumbnail-options.ts'
import { loadSharp, openImage, renderImage } from './image.ts'
import { getPixelTarget } from './targets.ts'

/** Makes a thumbnail of the image, or of the first of several. @throws AppError CORRUPT_FILE, FILE_TOO_LARGE. */
export async function makeThumbnail(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('The thumbnail operation was called without an input.')
  const to = toThumbnailTarget(work.to)
  const path = join(work.outDir, `output.${to}`)
  const details = await writeThumbnail(input, { to, path, options: work.options }, tools)
  return { files: [{ path }], details: { ...details } }
}

/** Checks that thumbnails can have the format. @throws when no engine declares it. */
export function toThumbnailTarget(id: FormatId): ThumbnailTarget {
  const to = thumbnailTargets.find((target) => target === id)
  if (!to) throw new Error(`Thumbnails do not support the format ${id}.`)
  return to
}

interface ThumbnailRequest {
  readonly to: ThumbnailTarget
  readonly path: string
  /** Options as parsed with the capability's schema. */
  readonly options: unknown
  /** Box of the thumbnail; by default, it is computed from the options. */
  readonly box?: ThumbnailBox
}

export async function writeThumbnail(
  input: InputFile,
  { to, path, options, box: requestedBox = parseThumbnailBox(options) }: ThumbnailRequest,
  tools: Tools,
): Promise<Size> {
  const source = await openImage(input, to, tools)
  const isDrawing = source.metadata.format === 'svg'
  const box = isDrawing ? allowEnlargement(requestedBox) : requestedBox
  const fullSizeImage = await renderImage(source, to, { page: 0, options: parseImageOptions({}) })
  const image =
    isDrawing && isTooThinToRender(source.metadata, box) ? await rasterize(fullSizeImage) : fullSizeImage
  // Converts to sRGB, because a thumbnail needs no more than 8 bits per channel.
  const smallImage = fitInto(image, box).toColourspace('srgb')
  const { width, height } = await getPixelTarget(to).encode(smallImage, options).toFile(path)
  return { width, height }
}

async function rasterize(image: Sharp): Promise<Sharp> {
  const sharp = await loadSharp()
  return sharp(await image.png().toBuffer())
}

function fitInto(image: Sharp, { width, height, fit }: ThumbnailBox): Sharp {
  switch (fit) {
    case 'max':
      return image.resize({ width, height, fit: 'inside', withoutEnlargement: true })
    case 'grow':
      return image.resize({ width, height, fit: 'inside' })
    case 'crop':
      return image.resize({ width, height, fit: 'cover' })
    case 'scale':
      return image.resize({ width, height, fit: 'fill' })
  }
}

/** Longest side, in pixels, at which libvips renders vector drawings for a requested size. */
const maxRenderedSide = 32_767

/** Whether a drawing is so long and thin that it cannot be rendered at full size; its pixels are then enlarged. */
function isTooThinToRender({ width = 1, height = 1 }: Metadata, box: ThumbnailBox): boolean {
  return Math.max(width, height) * computeScale({ width, height }, box) > maxRenderedSide
}
