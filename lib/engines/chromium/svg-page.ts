import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { resizeBoxOf, dpi, parseImageOptions } from '../image/options.ts'
import { enlargingBox, scaleInto, thumbnailBox } from '../image/thumbnail-options.ts'
import { decimal } from '../options.ts'
import { targetExtension, writeImage } from '../vips/convert.ts'
import { loadSharp, openImage, warnAboutLosses } from '../vips/image.ts'
import { svgWithPixelLengths, pixelsPerInch, svgDefaults } from '../vips/svg-lengths.ts'
import { pixelTargetOf } from '../vips/targets.ts'
import { thumbnailTargetOf, writeThumbnail } from '../vips/thumbnail.ts'
import type { Page, PageArea } from './page.ts'
import { photographDrawing } from './screenshot.ts'

/** Drawings, which a browser shows as any page may hold them; what comes of the pixels is done where all pictures are. */

const targets = ['png', 'jpg', 'webp'] as const
type Target = (typeof targets)[number]

const shape = {
  dpi,
  scale: decimal(0.5, 4).default(1).describe('Pixels of the picture per pixel of the drawing, 0.5 to 4.'),
}
const DrawingOptions = z.object(shape)

export const drawingOptions = (to: Target): z.ZodObject => pixelTargetOf(to).options.extend(shape)

export const isDrawing = (id: FormatId) => id === 'svg' || id === 'svgz'

/**
 * Pixels, as librsvg takes them: a browser makes 300 by 150 of a drawing that says only how its own units run.
 * Undefined for what it cannot read; a browser may.
 */
export async function sizeByLibrsvg(input: InputFile, tools: Tools): Promise<PageArea | undefined> {
  const sharp = await loadSharp()
  const path = await svgWithPixelLengths(input, tools)
  const { width, height } = await sharp(path, { limitInputPixels: false, ...svgDefaults })
    .metadata()
    .catch(() => ({ width: 0, height: 0 }))
  return width > 0 && height > 0 ? { width, height } : undefined
}

/**
 * Movements are as long ago as makes many that never end begin anew, and the others have ended: much is not seen before.
 */
const standStill =
  '<style xmlns="http://www.w3.org/2000/svg">*{animation-delay:-3600000s!important;animation-play-state:paused!important}</style>'

function stillDrawing(svg: Buffer): Buffer {
  const end = svg.lastIndexOf('</')
  if (end < 0 || !svg.includes('keyframes')) return svg
  return Buffer.concat([svg.subarray(0, end), Buffer.from(standStill), svg.subarray(end)])
}

/** As a picture in a page: browsers run no script and follow no link of one (SVG Integration, secure static mode). */
export function pageWith(moving: Buffer, size: PageArea | undefined): Buffer {
  const svg = stillDrawing(moving)
  const sides = size ? `width:${size.width}px;height:${size.height}px` : ''
  const style = `html,body{margin:0}img{display:block;${sides}}`
  const picture = `<img src="data:image/svg+xml;base64,${svg.toString('base64')}">`
  return Buffer.from(`<!doctype html><style>${style}</style>${picture}`)
}

/** Pixels of the page, as the browser lays the only picture out. @throws AppError CORRUPT_FILE when it is none. */
export async function sizeOnPage(page: Page): Promise<PageArea> {
  const expression =
    '(({ naturalWidth, width, height }) => [naturalWidth, width, height])(document.images[0])'
  const Answer = z.looseObject({ result: z.looseObject({ value: z.array(z.number()) }) })
  const { result } = await page.call(Answer, 'Runtime.evaluate', { expression, returnByValue: true })
  const [natural = 0, width = 0, height = 0] = result.value
  if (!(natural > 0 && width > 0 && height > 0)) throw damagedDrawing(undefined)
  return { width, height }
}

/** @throws AppError as `sizeOnPage` does, and FILE_TOO_LARGE. */
export async function drawingAsPicture(page: Page, work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('A drawing was to be shown, and there is none.')
  const area = await sizeOnPage(page)
  const path = join(tools.workDir, 'drawn.png')
  const drawn: InputFile = { ...input, path, format: 'png' }
  tools.progress(0.6, 'drawn')
  if (work.operation === 'thumbnail') {
    const box = enlargingBox(thumbnailBox(work.options))
    await photographDrawing(page, area, Math.max(1, scaleInto(area, box)), path)
    return asThumbnail(drawn, work, tools)
  }
  await photographDrawing(page, area, scaleFor(area, work.options), path)
  return asPicture(drawn, work, tools)
}

/** Shapes are drawn at the size that is asked for, not enlarged as pixels. */
function scaleFor({ width, height }: PageArea, options: unknown): number {
  const { dpi: asked, scale } = DrawingOptions.parse(options)
  if (asked !== undefined) return (asked / pixelsPerInch) * scale
  const box = resizeBoxOf(parseImageOptions(options))
  if (!box || box.fit === 'max') return scale
  return scale * Math.max((box.width ?? 0) / width, (box.height ?? 0) / height, 1)
}

async function asPicture(
  drawn: InputFile,
  { to: id, outDir, options }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const to = targets.find((target) => target === id)
  if (!to) throw new Error(`A drawing was asked for as ${id}, which the browser does not declare.`)
  const picture = await openImage(drawn, to, tools, options)
  await warnAboutLosses(picture, to, { options: parseImageOptions(options) }, tools)
  const path = join(outDir, `output.${targetExtension(to)}`)
  const { width, height } = await writeImage(picture, to, { page: 0, path, options }, tools)
  return { files: [{ path }], details: { width, height } }
}

async function asThumbnail(
  drawn: InputFile,
  { to: id, outDir, options }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const to = thumbnailTargetOf(id)
  const path = join(outDir, `output.${to}`)
  const box = enlargingBox(thumbnailBox(options))
  const details = await writeThumbnail(drawn, { to, path, options, box }, tools)
  return { files: [{ path }], details: { ...details } }
}

export function damagedDrawing(cause: unknown): AppError {
  const sentence = 'The SVG drawing is damaged or has no size.'
  return new AppError('CORRUPT_FILE', sentence, { field: 'file' }, { cause })
}
