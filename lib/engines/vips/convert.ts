import { join } from 'node:path'
import type { Sharp } from 'sharp'
import * as z from 'zod'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { integer } from '../options.ts'
import { packPages } from '../pdf/pack-pages.ts'
import { createPageFileName, type PageFile } from '../pdf/page-files.ts'
import { warnAboutDepth } from '../shared/image/depth.ts'
import { colorSpace, parseImageOptions } from '../shared/image/options.ts'
import { rotateFrames, splitFrames, writeFramesAsWebp } from './animation-frames.ts'
import { defaultDensity, type EncodedSize, getEncoder } from './encoders.ts'
import { hasFewColors } from './few-colors.ts'
import {
  type ImageView,
  loadSharp,
  openImage,
  renderImage,
  type SourceImage,
  warnAboutLosses,
} from './image.ts'
import { imagesToPdf } from './image-pdf.ts'
import {
  getPixelTarget,
  isLossless,
  isLosslessUnspecified,
  type PixelTargetId,
  pixelTargetIds,
} from './targets.ts'
import { isLargeForWebp } from './webp-effort.ts'

/** Checks that libvips writes the format. @throws when the engine does not declare it. */
export function toVipsTarget(to: FormatId): PixelTargetId | 'pdf' {
  const target = pixelTargetIds.find((id) => id === to)
  if (!target && to !== 'pdf') throw new Error(`vips does not support the target ${to}.`)
  return target ?? 'pdf'
}

/** Options that affect how an image is rendered; each is supported by some targets only. */
const ViewOptions = z.object({ colorSpace, dpi: integer(18, 1200).optional() })
export const parseImageView = (rawOptions: unknown): Omit<ImageView, 'page'> => ({
  ...ViewOptions.parse(rawOptions),
  options: parseImageOptions(rawOptions),
})

/**
 * Converts an image, an animation or the pages of a TIFF to another format.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function convertImage(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const to = toVipsTarget(work.to)
  const [input] = work.inputs
  if (!input) throw new Error('vips was called without an input.')
  const source = await openImage(input, to, tools, work.options)
  tools.progress(0.3)
  if (to === 'pdf') return convertToPdf([source], work, tools)
  if (source.metadata.depth !== 'uchar' && !getPixelTarget(to).hasDeepColor) warnAboutDepth(to, tools)
  if (!hasPages(source)) return convertToImage(source, to, work, tools)
  return getPixelTarget(to).stores === 'pages'
    ? convertToPagedFile(source, to, work, tools)
    : convertToZip(source, to, work, tools)
}

/** Whether the images of a file are pages, as in a TIFF; in a GIF or WebP, they are an animation. */
export function hasPages(source: SourceImage): boolean {
  return source.format === 'tiff' && source.pages > 1
}

export async function convertToPdf(
  images: readonly SourceImage[],
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const path = await imagesToPdf(images, work, tools)
  for (const source of images) if (!hasPages(source)) warnAboutDroppedFrames(source, 'pdf', tools)
  const pages = images.reduce((sum, source) => sum + (hasPages(source) ? source.pages : 1), 0)
  return { files: [{ path }], details: { pages } }
}

async function convertToZip(
  source: SourceImage,
  to: PixelTargetId,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const files = await writePageFiles(source, to, work.outDir, work.options, tools)
  const path = await packPages(work.outDir, files, { format: to, options: work.options })
  return { files: [{ path, format: 'zip' }], details: { pages: source.pages } }
}

/** Writes each page separately, because pages may differ in size, and joins the files. */
async function convertToPagedFile(
  source: SourceImage,
  to: PixelTargetId,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const files = await writePageFiles(source, to, tools.workDir, work.options, tools)
  const path = join(work.outDir, `output.${getExtension(to)}`)
  const paths = files.map((file) => file.path)
  await joinPageFiles(to, paths, path, tools)
  return { files: [{ path }], details: { pages: source.pages, frames: source.pages } }
}

export async function joinPageFiles(
  to: PixelTargetId,
  pages: readonly string[],
  path: string,
  tools: Tools,
): Promise<void> {
  if (to === 'djvu') await tools.exec('djvm', ['-c', path, ...pages])
  else await tools.exec('tiffcp', ['-c', 'zip:2', ...pages, path])
}

async function writePageFiles(
  source: SourceImage,
  to: PixelTargetId,
  folder: string,
  options: unknown,
  tools: Tools,
): Promise<PageFile[]> {
  const files: PageFile[] = []
  for (let page = 1; page <= source.pages; page++) {
    tools.signal.throwIfAborted()
    const path = join(folder, createPageFileName(page, source.pages, getExtension(to)))
    await writeImage(source, to, { page: page - 1, path, options }, tools)
    files.push({ page, path })
    tools.progress(0.3 + (0.6 * page) / source.pages, 'pages')
  }
  return files
}

async function convertToImage(
  source: SourceImage,
  to: PixelTargetId,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const isAnimated = source.pages > 1 && getPixelTarget(to).stores === 'frames'
  if (!isAnimated) warnAboutDroppedFrames(source, to, tools)
  await warnAboutLosses(source, to, parseImageView(work.options), tools)
  const path = join(work.outDir, `output.${getExtension(to)}`)
  const { width, height } = await writeImage(
    source,
    to,
    { page: isAnimated ? -1 : 0, path, options: work.options },
    tools,
  )
  return { files: [{ path }], details: { width, height, ...(isAnimated && { frames: source.pages }) } }
}

export function warnAboutDroppedFrames({ pages }: SourceImage, to: FormatId, tools: Tools): void {
  if (pages < 2) return
  tools.warn('ANIMATION_DROPPED', `Only the first of ${pages} frames was kept: ${to} stores a single image.`)
}

export const getExtension = (to: PixelTargetId) => formatById(to).extensions[0] ?? to

interface WriteRequest {
  /** Index of the page; -1 selects all frames. */
  readonly page: number
  readonly path: string
  readonly options: unknown
}

/** Writes one page, or all frames, of an image to a file. */
export async function writeImage(
  source: SourceImage,
  to: PixelTargetId,
  { page, path, options }: WriteRequest,
  tools: Tools,
): Promise<EncodedSize> {
  const view = parseImageView(options)
  const isAnimated = page === -1
  const { rotate } = view.options
  if (isAnimated && rotate) {
    const stillView = { ...view, page, options: { ...view.options, rotate: undefined } }
    return encode(
      await rotateAnimation(source, rotate, tools),
      to,
      stillView,
      { path, options, isAnimated },
      tools,
    )
  }
  return encode(source, to, { ...view, page }, { path, options, isAnimated }, tools)
}

async function encode(
  source: SourceImage,
  to: PixelTargetId,
  view: ImageView,
  { path, options, isAnimated }: Pick<WriteRequest, 'path' | 'options'> & { isAnimated: boolean },
  tools: Tools,
): Promise<EncodedSize> {
  const isPaletteLike = isLosslessUnspecified(to, options) && (await hasFewColors(source))
  const effectiveOptions = isPaletteLike ? { ...Object(options), lossless: true } : options
  const image = getPixelTarget(to).encode(await renderImage(source, to, view), effectiveOptions)
  if (to === 'jpg' && source.metadata.isPalette) image.jpeg({ chromaSubsampling: '4:4:4' })
  if (to === 'webp' && isLargeForWebp(source) && !isLossless(to, effectiveOptions)) image.webp({ effort: 2 })
  const density = chooseDensity(source, view)
  const isDrawing = source.metadata.format === 'svg'
  if (density !== undefined || !isDrawing) setTiffDensity(image, to, density ?? defaultDensity)
  return getEncoder(to)({ image, source, isAnimated, path, density, options, tools })
}

/** Returns pixels per inch: the source's own density, or for vector drawings the density at which they are rendered. */
const chooseDensity = ({ metadata }: SourceImage, { dpi }: ImageView) =>
  metadata.format === 'svg' ? dpi : metadata.density

const mmPerInch = 25.4

/** Sets the density. Avoids sharp's `withMetadata({ density })`, which would also keep EXIF data like the location. */
function setTiffDensity(image: Sharp, to: PixelTargetId, density: number): void {
  const pixelsPerMm = density / mmPerInch
  // A TIFF needs the density set explicitly; a PNG takes it from the source, and the JPEG encoder adds it on writing.
  if (to === 'tiff' || to === 'jxr')
    image.tiff({ xres: pixelsPerMm, yres: pixelsPerMm, resolutionUnit: 'inch' })
}

async function rotateAnimation(source: SourceImage, degrees: number, tools: Tools): Promise<SourceImage> {
  const sharp = await loadSharp()
  const { metadata, pages } = source
  const { data, info } = await sharp(source.path, { pages: -1 })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width } = info
  const height = info.height / pages
  const animation = {
    width,
    height,
    frames: splitFrames(data, { width, height, pages }),
    delaysMs: metadata.delay ?? [],
    loop: metadata.loop ?? 0,
  }
  const { path } = await writeFramesAsWebp(await rotateFrames(animation, degrees, sharp), sharp, tools)
  return { ...source, path, metadata: await sharp(path).metadata() }
}
