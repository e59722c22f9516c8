import { join } from 'node:path'
import type { Sharp } from 'sharp'
import * as z from 'zod'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, Tools } from '../engine.ts'
import { colorSpace, pictureOptions } from '../image/options.ts'
import { integer } from '../options.ts'
import { packPages } from '../pdf/pack-pages.ts'
import { type PageFile, pageFileName } from '../pdf/page-files.ts'
import { framesAsWebp, framesOf, turned } from './animation-frames.ts'
import { type Pixels, usualDensity, writerOf } from './encoders.ts'
import { hasFewColors } from './few-colors.ts'
import { loadSharp, openPicture, type Picture, pixels, type View, warnOfLosses } from './image.ts'
import { picturesToPdf } from './image-pdf.ts'
import { isExact, isOpenToLoss, type PixelTargetId, pixelTargetIds, pixelTargetOf } from './targets.ts'
import { isLargeForWebp } from './webp-effort.ts'

/** @throws when the engine does not declare the format. */
export function targetOf(to: FormatId): PixelTargetId | 'pdf' {
  const target = pixelTargetIds.find((id) => id === to)
  if (!target && to !== 'pdf') throw new Error(`vips was asked for ${to}, which it does not declare.`)
  return target ?? 'pdf'
}

/** Options that affect how an image is rendered; each is supported by some targets only. */
const ViewOptions = z.object({ colorSpace, dpi: integer(18, 1200).optional() })
export const viewOf = (raw: unknown): Omit<View, 'page'> => ({
  ...ViewOptions.parse(raw),
  options: pictureOptions(raw),
})

/**
 * Converts an image, an animation or the pages of a TIFF to another format.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function convertPicture(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const to = targetOf(work.to)
  const [input] = work.inputs
  if (!input) throw new Error('vips was called without an input.')
  const picture = await openPicture(input, to, tools, work.options)
  tools.progress(0.3)
  if (to === 'pdf') return toPdf([picture], work, tools)
  if (!isPaged(picture)) return toPicture(picture, to, work, tools)
  return pixelTargetOf(to).holds === 'pages'
    ? toPages(picture, to, work, tools)
    : toZip(picture, to, work, tools)
}

/** Several images in a TIFF are pages; in a GIF or WebP they are an animation. */
export function isPaged(picture: Picture): boolean {
  return picture.format === 'tiff' && picture.pages > 1
}

export async function toPdf(
  pictures: readonly Picture[],
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const path = await picturesToPdf(pictures, work.outDir, tools)
  for (const picture of pictures) if (!isPaged(picture)) warnOfFrames(picture, 'pdf', tools)
  const pages = pictures.reduce((sum, picture) => sum + (isPaged(picture) ? picture.pages : 1), 0)
  return { files: [{ path }], details: { pages } }
}

async function toZip(
  picture: Picture,
  to: PixelTargetId,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const files = await pageFiles(picture, to, work.outDir, work.options, tools)
  const path = await packPages(work.outDir, files, { format: to, options: work.options })
  return { files: [{ path, format: 'zip' }], details: { pages: picture.pages } }
}

/** Pages may differ in size, so each is written separately and then joined. */
async function toPages(
  picture: Picture,
  to: PixelTargetId,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const files = await pageFiles(picture, to, tools.workDir, work.options, tools)
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  const paths = files.map((file) => file.path)
  await joinPages(to, paths, path, tools)
  return { files: [{ path }], details: { pages: picture.pages, frames: picture.pages } }
}

export async function joinPages(
  to: PixelTargetId,
  pages: readonly string[],
  path: string,
  tools: Tools,
): Promise<void> {
  if (to === 'djvu') await tools.exec('djvm', ['-c', path, ...pages])
  else await tools.exec('tiffcp', ['-c', 'zip:2', ...pages, path])
}

async function pageFiles(
  picture: Picture,
  to: PixelTargetId,
  folder: string,
  options: unknown,
  tools: Tools,
): Promise<PageFile[]> {
  const files: PageFile[] = []
  for (let page = 1; page <= picture.pages; page++) {
    tools.signal.throwIfAborted()
    const path = join(folder, pageFileName(page, picture.pages, extensionOf(to)))
    await writePicture(picture, to, { page: page - 1, path, options }, tools)
    files.push({ page, path })
    tools.progress(0.3 + (0.6 * page) / picture.pages, 'pages')
  }
  return files
}

async function toPicture(
  picture: Picture,
  to: PixelTargetId,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const moving = picture.pages > 1 && pixelTargetOf(to).holds === 'frames'
  if (!moving) warnOfFrames(picture, to, tools)
  await warnOfLosses(picture, to, viewOf(work.options), tools)
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  const { width, height } = await writePicture(
    picture,
    to,
    { page: moving ? -1 : 0, path, options: work.options },
    tools,
  )
  return { files: [{ path }], details: { width, height, ...(moving && { frames: picture.pages }) } }
}

export function warnOfFrames({ pages }: Picture, to: FormatId, tools: Tools): void {
  if (pages < 2) return
  tools.warn('ANIMATION_DROPPED', `Only the first of ${pages} frames was kept: ${to} holds one picture.`)
}

export const extensionOf = (to: PixelTargetId) => formatById(to).extensions[0] ?? to

interface Written {
  /** Page index; -1 selects all frames. */
  readonly page: number
  readonly path: string
  readonly options: unknown
}

/** Writes one page, or all frames, of an image to a file. */
export async function writePicture(
  picture: Picture,
  to: PixelTargetId,
  { page, path, options }: Written,
  tools: Tools,
): Promise<Pixels> {
  const view = viewOf(options)
  const moving = page === -1
  const { rotate } = view.options
  if (moving && rotate) {
    const still = { ...view, page, options: { ...view.options, rotate: undefined } }
    return encode(await turnedFrames(picture, rotate, tools), to, still, { path, options, moving }, tools)
  }
  return encode(picture, to, { ...view, page }, { path, options, moving }, tools)
}

async function encode(
  picture: Picture,
  to: PixelTargetId,
  view: View,
  { path, options, moving }: Pick<Written, 'path' | 'options'> & { moving: boolean },
  tools: Tools,
): Promise<Pixels> {
  const few = isOpenToLoss(to, options) && (await hasFewColors(picture))
  const wanted = few ? { ...Object(options), lossless: true } : options
  const image = pixelTargetOf(to).encode(await pixels(picture, to, view), wanted)
  if (to === 'jpg' && picture.metadata.isPalette) image.jpeg({ chromaSubsampling: '4:4:4' })
  if (to === 'webp' && isLargeForWebp(picture) && !isExact(to, wanted)) image.webp({ effort: 2 })
  const density = densityOf(picture, view)
  const isDrawing = picture.metadata.format === 'svg'
  if (density !== undefined || !isDrawing) setDensity(image, to, density ?? usualDensity)
  return writerOf(to)({ image, picture, moving, path, density, options, tools })
}

/** Pixels per inch: the source's own density, or for vector drawings the density at which they are rendered. */
const densityOf = ({ metadata }: Picture, { dpi }: View) =>
  metadata.format === 'svg' ? dpi : metadata.density

const mmPerInch = 25.4

/** Avoids sharp's `withMetadata({ density })`, which would also keep EXIF data such as the location. */
function setDensity(image: Sharp, to: PixelTargetId, density: number): void {
  const perMm = density / mmPerInch
  // A TIFF needs it set explicitly; a PNG takes it from the source, and the JPEG encoder adds it on writing.
  if (to === 'tiff' || to === 'jxr') image.tiff({ xres: perMm, yres: perMm, resolutionUnit: 'inch' })
}

async function turnedFrames(picture: Picture, degrees: number, tools: Tools): Promise<Picture> {
  const sharp = await loadSharp()
  const { metadata, pages } = picture
  const { data, info } = await sharp(picture.path, { pages: -1 })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width } = info
  const height = info.height / pages
  const animation = {
    width,
    height,
    frames: framesOf(data, { width, height, pages }),
    delaysMs: metadata.delay ?? [],
    loop: metadata.loop ?? 0,
  }
  const { path } = await framesAsWebp(await turned(animation, degrees, sharp), sharp, tools)
  return { ...picture, path, metadata: await sharp(path).metadata() }
}
