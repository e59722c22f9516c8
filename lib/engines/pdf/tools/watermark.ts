import { AppError } from '../../../errors.ts'
import type { InputFile } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import type { PageSize } from '../open.ts'
import { pagesOf } from '../page-range.ts'
import { finish, invalid, type Tool } from './document.ts'
import type { Position, ToolOptions } from './options.ts'
import { breadthOf, stampPages, xmlText } from './stamp.ts'

type Options = ToolOptions<'add-watermark-pdf'>

/** Something to place: as large as it is, drawn around its own middle. */
interface Mark {
  readonly width: number
  readonly height: number
  readonly drawing: string
}

type MarkFor = (page: PageSize) => Mark

const edge = 24
const maxPictureSide = 2000

/** A text or a picture over pages. */
export const addWatermark: Tool<Options> = async (job) => {
  const { pdf, options, work, tools } = job
  const [, picture] = work.inputs
  const { watermarkText: text } = options
  if (picture && text !== undefined) {
    throw invalid('watermarkText', 'a picture came as a further file too; send one of them.')
  }
  const markFor = picture ? await pictureMark(picture, options) : textMark(text, options)
  const position = options.watermarkPosition ?? (picture ? 'center' : 'diagonal')
  const pages = pagesOf(options.pages, pdf.sizes.length)
  const draw = (size: PageSize) => placedOn(size, markFor(size), position)
  const stamped = await stampPages(pdf, draw, [...new Set(pages)], tools)
  return finish(job, stamped, { pages: pdf.sizes.length })
}

function textMark(text: string | undefined, options: Options): MarkFor {
  if (text === undefined) {
    throw invalid('watermarkText', 'expected the text of the watermark, or a picture as a further file.')
  }
  const lines = text.split(/\r?\n/)
  const breadth = Math.max(1, ...lines.map(breadthOf))
  const leading = 1.25
  return ({ width, height }) => {
    const share = options.watermarkPosition === 'tile' ? 0.3 : 0.8
    const fitting = Math.min((Math.min(width, height) * share) / breadth, 96)
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

/** @throws AppError CORRUPT_FILE. */
async function pictureMark({ path }: InputFile, options: Options): Promise<MarkFor> {
  const sharp = await loadSharp()
  const side = { width: maxPictureSide, height: maxPictureSide }
  const { data, info } = await sharp(path, { limitInputPixels: 16_383 ** 2 })
    .rotate()
    .resize({ ...side, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png()
    .toBuffer({ resolveWithObject: true })
    .catch((cause: unknown) => {
      const sentence = 'The picture for the watermark is damaged or incomplete.'
      throw new AppError('CORRUPT_FILE', sentence, { field: 'additionalFile' }, { cause })
    })
  const href = `data:image/png;base64,${data.toString('base64')}`
  return (page) => {
    const scale = Math.min(
      (page.width * options.watermarkScale) / 100 / info.width,
      Math.max(1, page.height - 2 * edge) / info.height,
    )
    const [width, height] = [info.width * scale, info.height * scale]
    const box = `x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}"`
    const drawing = `<image ${box} opacity="${options.watermarkOpacity}" xlink:href="${href}"/>`
    return { width, height, drawing }
  }
}

function placedOn(page: PageSize, mark: Mark, position: Position | 'diagonal' | 'tile'): string {
  if (position === 'tile') return tiled(page, mark)
  const { x, y } = middleAt(page, mark, position === 'diagonal' ? 'center' : position)
  const turn = position === 'diagonal' ? ` rotate(${-degrees(Math.atan2(page.height, page.width))})` : ''
  return `<g transform="translate(${x} ${y})${turn}">${mark.drawing}</g>`
}

const degrees = (radians: number) => (radians * 180) / Math.PI

export function middleAt(
  page: PageSize,
  { width, height }: Pick<Mark, 'width' | 'height'>,
  position: Position,
  margin = edge,
): { x: number; y: number } {
  const x = position.endsWith('left')
    ? margin + width / 2
    : position.endsWith('right')
      ? page.width - margin - width / 2
      : page.width / 2
  const y = position.startsWith('top')
    ? margin + height / 2
    : position.startsWith('bottom')
      ? page.height - margin - height / 2
      : page.height / 2
  return { x, y }
}

const maxTiles = 400

function tiled(page: PageSize, mark: Mark): string {
  const crowd = Math.sqrt(((page.width + mark.width) * (page.height + mark.width)) / maxTiles)
  const across = Math.max(mark.width * 1.2 + edge, crowd)
  const down = Math.max(mark.height * 2 + mark.width * 0.5, crowd)
  const tiles: string[] = []
  for (let y = down / 2; y < page.height + down; y += down) {
    for (let x = across / 2; x < page.width + across; x += across) {
      tiles.push(`<g transform="translate(${x} ${y}) rotate(-30)">${mark.drawing}</g>`)
    }
  }
  return tiles.join('')
}
