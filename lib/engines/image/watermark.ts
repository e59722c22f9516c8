import { AppError } from '../../errors.ts'
import type { InputFile } from '../engine.ts'
import { loadSharp } from '../vips/image.ts'
import { maxPixels } from '../vips/limits.ts'
import { type Box, framed, middleAt, type Size, xmlText } from './svg-layout.ts'
import type { WatermarkOptions } from './watermark-options.ts'

/** Something to place: as large as it is, drawn around its own middle. */
interface Mark extends Size {
  readonly drawing: string
}

/** A text or a picture for surfaces of any size. */
export interface Watermark {
  readonly options: WatermarkOptions
  readonly position: NonNullable<WatermarkOptions['watermarkPosition']>
  markFor(surface: Size): Mark
}

const maxStampSide = 2000
/** Of the shorter side. */
const usualMargin = 0.04
const largestLetter = 0.16

/** @throws AppError INVALID_INPUT (no watermark, or two), CORRUPT_FILE. */
export async function watermarkOf(
  options: WatermarkOptions,
  stamp: InputFile | undefined,
): Promise<Watermark> {
  const { watermarkText: text, watermarkPosition: asked } = options
  if (stamp && text !== undefined) {
    throw invalid('a picture came as a further file too; send one of them.')
  }
  if (stamp) return { options, position: asked ?? 'center', markFor: await stampMark(stamp, options) }
  if (text === undefined) {
    throw invalid('expected the text of the watermark, or a picture as a further file.')
  }
  return { options, position: asked ?? 'diagonal', markFor: await textMark(text, options) }
}

function invalid(sentence: string, cause?: unknown): AppError {
  const field = 'watermarkText'
  return new AppError('INVALID_INPUT', `${field}: ${sentence}`, { field }, { cause })
}

async function textMark(text: string, options: WatermarkOptions): Promise<Watermark['markFor']> {
  const lines = text.split(/\r?\n/)
  const breadth = await breadthOf(text)
  const leading = 1.25
  return ({ width, height }) => {
    const side = Math.min(width, height)
    const share = options.watermarkPosition === 'tile' ? 0.3 : 0.8
    const fitting = Math.min((side * share) / breadth, side * largestLetter)
    const size = options.watermarkFontSize ?? Math.max(4, fitting)
    const top = -((lines.length - 1) * leading * size) / 2 + size * 0.35
    const rows = lines.map(
      (line, index) => `<text x="0" y="${top + index * leading * size}">${xmlText(line)}</text>`,
    )
    const look = `font-family="sans-serif" font-weight="bold" font-size="${size}" text-anchor="middle"`
    const paint = `fill="${options.watermarkColor}" fill-opacity="${options.watermarkOpacity}"`
    const drawing = `<g ${look} ${paint} xml:space="preserve">${rows.join('')}</g>`
    return { width: breadth * size, height: lines.length * leading * size, drawing }
  }
}

/** Breadth of the longest line in units of the size of its letters, as the system's fonts have it. */
async function breadthOf(text: string): Promise<number> {
  const sharp = await loadSharp()
  const size = 100
  const drawn = sharp({ text: { text: xmlText(text), font: `sans-serif bold ${size}`, dpi: 72 } })
  const { width } = await drawn.metadata().catch((cause: unknown) => {
    throw invalid('expected text that shows.', cause)
  })
  return Math.max(1, width / size)
}

async function stampMark({ path }: InputFile, options: WatermarkOptions): Promise<Watermark['markFor']> {
  const sharp = await loadSharp()
  const side = { width: maxStampSide, height: maxStampSide }
  const { data, info } = await sharp(path, { limitInputPixels: maxPixels })
    .autoOrient()
    .resize({ ...side, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      const sentence = 'The picture for the watermark is damaged or incomplete.'
      throw new AppError('CORRUPT_FILE', sentence, { field: 'additionalFile' }, { cause })
    })
  const href = `data:image/png;base64,${data.toString('base64')}`
  return (surface) => {
    const scale = Math.min(
      (surface.width * options.watermarkScale) / 100 / info.width,
      Math.max(1, surface.height - 2 * marginOn(surface, options)) / info.height,
    )
    const [width, height] = [info.width * scale, info.height * scale]
    const box = `x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}"`
    const drawing = `<image ${box} opacity="${options.watermarkOpacity}" xlink:href="${href}"/>`
    return { width, height, drawing }
  }
}

const marginOn = ({ width, height }: Size, { watermarkMargin }: WatermarkOptions) =>
  watermarkMargin ?? Math.min(width, height) * usualMargin

/** What lies over a surface, from its top left corner. */
export const drawnOn = (surface: Size, watermark: Watermark): string => placed(surface, watermark).drawing

interface Placed {
  readonly drawing: string
  /** Outside of it nothing is drawn. */
  readonly box: Box
}

function placed(surface: Size, { options, position, markFor }: Watermark): Placed {
  const mark = markFor(surface)
  const margin = marginOn(surface, options)
  if (position === 'tile')
    return { drawing: tiled(surface, mark, margin), box: { left: 0, top: 0, ...surface } }
  const { x, y } = middleAt(surface, mark, position === 'diagonal' ? 'center' : position, margin)
  const angle = position === 'diagonal' ? Math.atan2(surface.height, surface.width) : 0
  const turn = angle === 0 ? '' : ` rotate(${(-angle * 180) / Math.PI})`
  return {
    drawing: `<g transform="translate(${x} ${y})${turn}">${mark.drawing}</g>`,
    box: boxAround({ x, y }, mark, angle),
  }
}

function boxAround(middle: { x: number; y: number }, { width, height }: Size, angle: number): Box {
  // Letters reach out of their lines here and there.
  const [along, over] = [width + height / 2, height * 2]
  const across = along * Math.cos(angle) + over * Math.sin(angle)
  const down = along * Math.sin(angle) + over * Math.cos(angle)
  return { left: middle.x - across / 2, top: middle.y - down / 2, width: across, height: down }
}

const maxTiles = 400

function tiled(surface: Size, { width, height, drawing }: Mark, margin: number): string {
  const crowd = Math.sqrt(((surface.width + width) * (surface.height + width)) / maxTiles)
  const across = Math.max(width * 1.2 + margin, crowd)
  const down = Math.max(height * 2 + width * 0.5, crowd)
  // Told once and shown often: a picture is megabytes.
  const tiles = [`<defs><g id="mark">${drawing}</g></defs>`]
  for (let y = down / 2; y < surface.height + down; y += down) {
    for (let x = across / 2; x < surface.width + across; x += across) {
      tiles.push(`<use xlink:href="#mark" transform="translate(${x} ${y}) rotate(-30)"/>`)
    }
  }
  return tiles.join('')
}

/** The part of a surface, in whole pixels, that a watermark covers, and an SVG of just that part. */
export interface Sheet extends Box {
  readonly svg: string
}

/** For a picture or a film; nothing where the watermark lies beside it. */
export function sheetOn(surface: Size, watermark: Watermark): Sheet | undefined {
  const { drawing, box } = placed(surface, watermark)
  const left = Math.max(0, Math.floor(box.left))
  const top = Math.max(0, Math.floor(box.top))
  const width = Math.min(surface.width, Math.ceil(box.left + box.width)) - left
  const height = Math.min(surface.height, Math.ceil(box.top + box.height)) - top
  if (width < 1 || height < 1) return undefined
  return { left, top, width, height, svg: framed({ left, top, width, height }, 'px', drawing) }
}
