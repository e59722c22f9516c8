import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { decimal } from '../options.ts'
import { dpi, getDrawingBox, parseImageOptions } from '../shared/image/options.ts'
import { allowEnlargement, computeScale, parseThumbnailBox } from '../shared/image/thumbnail-options.ts'
import { getExtension, writeImage } from '../vips/convert.ts'
import { loadSharp, openImage, warnAboutLosses } from '../vips/image.ts'
import { pixelsPerInch, svgDefaults, writeSvgWithPixelLengths } from '../vips/svg-lengths.ts'
import { getPixelTarget } from '../vips/targets.ts'
import { toThumbnailTarget, writeThumbnail } from '../vips/thumbnail.ts'
import type { BrowserPage, PageSize } from './page.ts'
import { captureDrawing } from './screenshot.ts'

/** Renders SVG drawings in a browser page; vips then converts the pixels. */

const targets = ['png', 'jpg', 'webp'] as const
type ImageTarget = (typeof targets)[number]

const drawingOptionShape = {
  dpi,
  scale: decimal(0.5, 4).default(1).describe('Pixels of the image per pixel of the drawing, 0.5 to 4.'),
}
const DrawingOptions = z.object(drawingOptionShape)

export const createDrawingOptions = (to: ImageTarget): z.ZodObject =>
  getPixelTarget(to).options.extend(drawingOptionShape)

export const isSvg = (id: FormatId) => id === 'svg' || id === 'svgz'

/**
 * Returns the size in pixels according to librsvg: a browser would render a drawing that has only a viewBox at 300 by
 * 150. Returns undefined if librsvg cannot read the drawing, even though a browser may be able to.
 */
export async function readLibrsvgSize(input: InputFile, tools: Tools): Promise<PageSize | undefined> {
  const sharp = await loadSharp()
  const path = await writeSvgWithPixelLengths(input, tools)
  const { width, height } = await sharp(path, { limitInputPixels: false, ...svgDefaults })
    .metadata()
    .catch(() => ({ width: 0, height: 0 }))
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** Whether the root element has a width or a height that doesn't depend on a window. */
export function declaresSize(svg: Buffer): boolean {
  const [rootTag = ''] = /<(?:\w{1,40}:)?svg\b[^<>]{0,8000}/.exec(svg.toString('latin1')) ?? []
  return /\s(?:width|height)\s{0,9}=\s{0,9}["']\s{0,9}[\d.]{1,40}\s{0,9}[a-z"']/i.test(rootTag)
}

/**
 * Pauses animations after an hour. Finite animations have ended by that time (content often appears only at their end),
 * and most endless animations are at the start of a cycle.
 */
const pausedAnimationsStyle =
  '<style xmlns="http://www.w3.org/2000/svg">*{animation-delay:-3600000s!important;animation-play-state:paused!important}</style>'

function stopAnimations(svg: Buffer): Buffer {
  const end = svg.lastIndexOf('</')
  if (end < 0 || !svg.includes('keyframes')) return svg
  return Buffer.concat([svg.subarray(0, end), Buffer.from(pausedAnimationsStyle), svg.subarray(end)])
}

/** Embeds the SVG as an image: browsers then run no scripts and load no links (SVG Integration, secure static mode). */
export function buildDrawingPage(svgFile: Buffer, size: PageSize | undefined): Buffer {
  const svg = stopAnimations(svgFile)
  const sizeStyle = size ? `width:${size.width}px;height:${size.height}px` : ''
  const style = `html,body{margin:0}img{display:block;${sizeStyle}}`
  const imageHtml = `<img src="data:image/svg+xml;base64,${svg.toString('base64')}">`
  return Buffer.from(`<!doctype html><style>${style}</style>${imageHtml}`)
}

/** Returns the drawing's layout size in CSS pixels. @throws AppError CORRUPT_FILE when it is not a valid drawing. */
export async function measureLayout(page: BrowserPage): Promise<PageSize> {
  const expression =
    '(({ naturalWidth, width, height }) => [naturalWidth, width, height])(document.images[0])'
  const Reply = z.looseObject({ result: z.looseObject({ value: z.array(z.number()) }) })
  const { result } = await page.call(Reply, 'Runtime.evaluate', { expression, returnByValue: true })
  const [natural = 0, width = 0, height = 0] = result.value
  if (!(natural > 0 && width > 0 && height > 0)) throw createCorruptDrawingError(undefined)
  return { width, height }
}

/** @throws AppError as `measureLayout` does, and FILE_TOO_LARGE. */
export async function drawingToImage(
  page: BrowserPage,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('No drawing to convert.')
  const area = await measureLayout(page)
  const path = join(tools.workDir, 'drawn.png')
  const capture: InputFile = { ...input, path, format: 'png' }
  tools.progress(0.6, 'drawn')
  if (work.operation === 'thumbnail') {
    const box = allowEnlargement(parseThumbnailBox(work.options))
    await captureDrawing(page, area, Math.max(1, computeScale(area, box)), path)
    return createCaptureThumbnail(capture, work, tools)
  }
  await captureDrawing(page, area, chooseScale(area, work.options), path)
  return convertCapture(capture, work, tools)
}

/**
 * Returns the scale for the requested size, so that the drawing itself is rendered at that size instead of enlarging
 * its pixels.
 */
function chooseScale({ width, height }: PageSize, options: unknown): number {
  const { dpi: requestedDpi, scale } = DrawingOptions.parse(options)
  if (requestedDpi !== undefined) return (requestedDpi / pixelsPerInch) * scale
  const box = getDrawingBox(parseImageOptions(options))
  if (!box || box.fit === 'max') return scale
  return scale * Math.max((box.width ?? 0) / width, (box.height ?? 0) / height, 1)
}

async function convertCapture(
  capture: InputFile,
  { to: id, outDir, options }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const to = targets.find((target) => target === id)
  if (!to) throw new Error(`The browser does not support the target ${id} for drawings.`)
  const image = await openImage(capture, to, tools, options)
  await warnAboutLosses(image, to, { options: parseImageOptions(options) }, tools)
  const path = join(outDir, `output.${getExtension(to)}`)
  const { width, height } = await writeImage(image, to, { page: 0, path, options }, tools)
  return { files: [{ path }], details: { width, height } }
}

async function createCaptureThumbnail(
  capture: InputFile,
  { to: id, outDir, options }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const to = toThumbnailTarget(id)
  const path = join(outDir, `output.${to}`)
  const box = allowEnlargement(parseThumbnailBox(options))
  const details = await writeThumbnail(capture, { to, path, options, box }, tools)
  return { files: [{ path }], details: { ...details } }
}

export function createCorruptDrawingError(cause: unknown): AppError {
  const message = 'The SVG drawing is damaged or has no size.'
  return new AppError('CORRUPT_FILE', message, { field: 'file' }, { cause })
}
