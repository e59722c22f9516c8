import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { quality } from '../options.ts'
import { imageOptionShape, parseImageOptions } from '../shared/image/options.ts'
import type { Size } from '../shared/image/svg-layout.ts'
import { createOverlay, createWatermark, type Watermark } from '../shared/image/watermark.ts'
import {
  parseWatermarkOptions,
  stampInputs,
  watermarkOptionShape,
} from '../shared/image/watermark-options.ts'
import { getExtension, hasPages, joinPageFiles } from './convert.ts'
import { getEncoder } from './encoders.ts'
import { loadSharp, openImage, renderImage, type SourceImage, warnAboutMetadata } from './image.ts'
import { getPixelTarget, type PixelTargetId } from './targets.ts'

const formats = [
  'jpg',
  'png',
  'webp',
  'gif',
  'apng',
  'tiff',
  'avif',
  'heic',
  'jxl',
  'bmp',
] as const satisfies readonly (FormatId & PixelTargetId)[]

const { metadata } = imageOptionShape
const LosslessOptions = z.object({ ...watermarkOptionShape, metadata })
const LossyOptions = LosslessOptions.extend({ quality: quality.optional() })

export const watermarkImageRows: readonly Capability[] = formats.map((id) => ({
  operation: 'watermark',
  from: [id],
  to: [id],
  same: true,
  more: stampInputs,
  options: 'quality' in getPixelTarget(id).options.shape ? LossyOptions : LosslessOptions,
  cost: 0.3,
}))

interface WatermarkJob {
  readonly source: SourceImage
  readonly to: PixelTargetId
  readonly watermark: Watermark
  readonly options: unknown
  readonly tools: Tools
}

/**
 * Draws a text or another image over an image, over each page of a TIFF and over each frame of an animation.
 * @throws AppError INVALID_INPUT, CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function watermarkImage(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input, stamp] = work.inputs
  const to = formats.find((id) => id === work.to)
  if (!input || !to) throw new Error(`vips does not support watermarks on ${work.to}.`)
  const watermark = await createWatermark(parseWatermarkOptions(work.options), stamp)
  const source = await openImage(input, to, tools)
  if (parseImageOptions(work.options).metadata === 'keep') warnAboutMetadata(source, to, tools)
  tools.progress(0.3)
  const job = { source, to, watermark, options: work.options, tools }
  const path = join(work.outDir, `output.${getExtension(to)}`)
  if (hasPages(source)) {
    await writePages(job, path)
    return { files: [{ path }], details: { pages: source.pages } }
  }
  const isAnimated = source.pages > 1 && getPixelTarget(to).stores === 'frames'
  const { width, height } = await writeWithWatermark(job, isAnimated ? -1 : 0, path)
  return { files: [{ path }], details: { width, height, ...(isAnimated && { frames: source.pages }) } }
}

async function writePages(job: WatermarkJob, path: string): Promise<void> {
  const { source, to, tools } = job
  const paths: string[] = []
  for (let page = 0; page < source.pages; page++) {
    tools.signal.throwIfAborted()
    const file = join(tools.workDir, `marked-${page}.${getExtension(to)}`)
    await writeWithWatermark(job, page, file)
    paths.push(file)
    tools.progress(0.3 + (0.6 * (page + 1)) / source.pages, 'pages')
  }
  await joinPageFiles(to, paths, path, tools)
}

/** Writes the image with the watermark. @param page index of the page; -1 selects all frames, as a vertical strip. */
async function writeWithWatermark(
  { source, to, watermark, options, tools }: WatermarkJob,
  page: number,
  path: string,
): Promise<Size> {
  const isAnimated = page === -1
  const surface = await readPageSize(source, isAnimated ? 0 : page)
  const imageOptions = parseImageOptions({ metadata: LosslessOptions.parse(options).metadata })
  const plainImage = await renderImage(source, to, { page, options: imageOptions })
  const overlay = createOverlay(surface, watermark)
  const { svg, left, top } = overlay ?? { svg: '', left: 0, top: 0 }
  // An embedded image may exceed librsvg's limits for untrusted XML, but this SVG is generated here.
  const layers = Array.from({ length: isAnimated ? source.pages : 1 }, (_, frame) => ({
    input: Buffer.from(svg),
    unlimited: true,
    left,
    top: top + frame * surface.height,
  }))
  const markedImage = overlay ? plainImage.composite(layers) : plainImage
  // Compositing the watermark added an alpha channel.
  const imageWithOriginalAlpha = source.metadata.hasAlpha ? markedImage : markedImage.removeAlpha()
  const encodedImage = getPixelTarget(to).encode(imageWithOriginalAlpha, options)
  // Creates a new palette, because the original one does not contain the colors of the watermark.
  const image = to === 'gif' ? encodedImage.gif({ reuse: false }) : encodedImage
  return getEncoder(to)({ image, source, isAnimated, path, options, tools })
}

/** Returns the size of the upright page. */
async function readPageSize({ path }: SourceImage, page: number): Promise<Size> {
  const sharp = await loadSharp()
  const { autoOrient } = await sharp(path, page > 0 ? { page } : {}).metadata()
  return autoOrient
}
