import { AppError } from '../../../errors.ts'
import type { InputFile } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import { maxPixels } from '../../vips/limits.ts'
import { computeCenter, createSvgDocument, escapeXml, type PlacedBox, type Size } from './svg-layout.ts'
import type { WatermarkOptions } from './watermark-options.ts'

/** SVG content to place on a surface, with its size; it is centered on the origin. */
interface Mark extends Size {
  readonly drawing: string
}

/** A text or image watermark that fits surfaces of any size. */
export interface Watermark {
  readonly options: WatermarkOptions
  readonly position: NonNullable<WatermarkOptions['watermarkPosition']>
  createMark(surface: Size): Mark
}

const maxStampSide = 2000
/** Share of the shorter side of the surface. */
const defaultMarginShare = 0.04
const maxFontSizeShare = 0.16

/** Creates the requested watermark. @throws AppError INVALID_INPUT (neither text nor image, or both), CORRUPT_FILE. */
export async function createWatermark(
  options: WatermarkOptions,
  stamp: InputFile | undefined,
): Promise<Watermark> {
  const { watermarkText: text, watermarkPosition: requestedPosition } = options
  if (stamp && text !== undefined) {
    throw createInvalidWatermarkError('got a text and an image as an additional file; send only one of them.')
  }
  if (stamp)
    return {
      options,
      position: requestedPosition ?? 'center',
      createMark: await createStampMark(stamp, options),
    }
  if (text === undefined) {
    throw createInvalidWatermarkError(
      'expected the text of the watermark, or an image as an additional file.',
    )
  }
  return {
    options,
    position: requestedPosition ?? 'diagonal',
    createMark: await createTextMark(text, options),
  }
}

function createInvalidWatermarkError(message: string, cause?: unknown): AppError {
  const field = 'watermarkText'
  return new AppError('INVALID_INPUT', `${field}: ${message}`, { field }, { cause })
}

async function createTextMark(text: string, options: WatermarkOptions): Promise<Watermark['createMark']> {
  const lines = text.split(/\r?\n/)
  const textWidth = await measureTextWidth(text)
  const lineHeight = 1.25
  return ({ width, height }) => {
    const side = Math.min(width, height)
    const share = options.watermarkPosition === 'tile' ? 0.3 : 0.8
    const fittingSize = Math.min((side * share) / textWidth, side * maxFontSizeShare)
    const size = options.watermarkFontSize ?? Math.max(4, fittingSize)
    const top = -((lines.length - 1) * lineHeight * size) / 2 + size * 0.35
    const rows = lines.map(
      (line, index) => `<text x="0" y="${top + index * lineHeight * size}">${escapeXml(line)}</text>`,
    )
    const fontAttributes = `font-family="sans-serif" font-weight="bold" font-size="${size}" text-anchor="middle"`
    const fillAttributes = `fill="${options.watermarkColor}" fill-opacity="${options.watermarkOpacity}"`
    const drawing = `<g ${fontAttributes} ${fillAttributes} xml:space="preserve">${rows.join('')}</g>`
    return { width: textWidth * size, height: lines.length * lineHeight * size, drawing }
  }
}

/** Returns the width of the longest line in multiples of the font size, measured with the installed fonts. */
async function measureTextWidth(text: string): Promise<number> {
  const sharp = await loadSharp()
  const size = 100
  const drawnText = sharp({ text: { text: escapeXml(text), font: `sans-serif bold ${size}`, dpi: 72 } })
  const { width } = await drawnText.metadata().catch((cause: unknown) => {
    throw createInvalidWatermarkError('expected visible text.', cause)
  })
  return Math.max(1, width / size)
}

async function createStampMark(
  { path }: InputFile,
  options: WatermarkOptions,
): Promise<Watermark['createMark']> {
  const sharp = await loadSharp()
  const maxSize = { width: maxStampSide, height: maxStampSide }
  const { data, info } = await sharp(path, { limitInputPixels: maxPixels })
    .autoOrient()
    .resize({ ...maxSize, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      const message = 'The watermark image is damaged or incomplete.'
      throw new AppError('CORRUPT_FILE', message, { field: 'additionalFile' }, { cause })
    })
  const href = `data:image/png;base64,${data.toString('base64')}`
  return (surface) => {
    const scale = Math.min(
      (surface.width * options.watermarkScale) / 100 / info.width,
      Math.max(1, surface.height - 2 * computeMargin(surface, options)) / info.height,
    )
    const [width, height] = [info.width * scale, info.height * scale]
    const boxAttributes = `x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}"`
    const drawing = `<image ${boxAttributes} opacity="${options.watermarkOpacity}" xlink:href="${href}"/>`
    return { width, height, drawing }
  }
}

const computeMargin = ({ width, height }: Size, { watermarkMargin }: WatermarkOptions) =>
  watermarkMargin ?? Math.min(width, height) * defaultMarginShare

/** Returns the SVG content of the watermark; the origin is the top left corner of the surface. */
export const drawWatermark = (surface: Size, watermark: Watermark): string =>
  placeMark(surface, watermark).drawing

interface PlacedDrawing {
  readonly drawing: string
  /** Bounding box of the drawing. */
  readonly box: PlacedBox
}

function placeMark(surface: Size, { options, position, createMark }: Watermark): PlacedDrawing {
  const mark = createMark(surface)
  const margin = computeMargin(surface, options)
  if (position === 'tile')
    return { drawing: tileMark(surface, mark, margin), box: { left: 0, top: 0, ...surface } }
  const { x, y } = computeCenter(surface, mark, position === 'diagonal' ? 'center' : position, margin)
  const angle = position === 'diagonal' ? Math.atan2(surface.height, surface.width) : 0
  const rotation = angle === 0 ? '' : ` rotate(${(-angle * 180) / Math.PI})`
  return {
    drawing: `<g transform="translate(${x} ${y})${rotation}">${mark.drawing}</g>`,
    box: computeRotatedBox({ x, y }, mark, angle),
  }
}

function computeRotatedBox(
  center: { x: number; y: number },
  { width, height }: Size,
  angle: number,
): PlacedBox {
  // Some glyphs extend beyond the line box.
  const [length, thickness] = [width + height / 2, height * 2]
  const rotatedWidth = length * Math.cos(angle) + thickness * Math.sin(angle)
  const rotatedHeight = length * Math.sin(angle) + thickness * Math.cos(angle)
  return {
    left: center.x - rotatedWidth / 2,
    top: center.y - rotatedHeight / 2,
    width: rotatedWidth,
    height: rotatedHeight,
  }
}

const maxTiles = 400

function tileMark(surface: Size, { width, height, drawing }: Mark, margin: number): string {
  const minSpacing = Math.sqrt(((surface.width + width) * (surface.height + height)) / maxTiles)
  const spacingX = Math.max(width * 1.2 + margin, minSpacing)
  const spacingY = Math.max(height * 2 + width * 0.5, minSpacing)
  // Defined once and referenced by each tile, because an image can be megabytes.
  const tiles = [`<defs><g id="mark">${drawing}</g></defs>`]
  for (let y = spacingY / 2; y < surface.height + spacingY; y += spacingY) {
    for (let x = spacingX / 2; x < surface.width + spacingX; x += spacingX) {
      tiles.push(`<use xlink:href="#mark" transform="translate(${x} ${y}) rotate(-30)"/>`)
    }
  }
  return tiles.join('')
}

/** A part of a surface, in whole pixels, that a watermark covers, with an SVG of that part. */
export interface WatermarkOverlay extends PlacedBox {
  readonly svg: string
}

/** Returns the overlay for an image or a video; undefined if the watermark is entirely outside the surface. */
export function createOverlay(surface: Size, watermark: Watermark): WatermarkOverlay | undefined {
  const { drawing, box } = placeMark(surface, watermark)
  const left = Math.max(0, Math.floor(box.left))
  const top = Math.max(0, Math.floor(box.top))
  const width = Math.min(surface.width, Math.ceil(box.left + box.width)) - left
  const height = Math.min(surface.height, Math.ceil(box.top + box.height)) - top
  if (width < 1 || height < 1) return undefined
  return { left, top, width, height, svg: createSvgDocument({ left, top, width, height }, 'px', drawing) }
}
