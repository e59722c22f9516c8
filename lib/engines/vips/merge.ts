import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { pictureOptions } from '../image/options.ts'
import { extensionOf, targetOf, toPdf, warnOfFrames, writePicture } from './convert.ts'
import { loadSharp, openPicture, type Picture, pixels } from './image.ts'
import { maxPixels } from './limits.ts'
import { pixelTargetOf } from './targets.ts'

const sources = [
  'jpg',
  'png',
  'webp',
  'gif',
  'bmp',
  'tiff',
  'avif',
  'heic',
] as const satisfies readonly FormatId[]
const maxSide = 30_000

const layout = z
  .enum(['vertical', 'horizontal', 'grid', 'grid2x2', 'grid3x3'])
  .default('vertical')
  .describe('How the pictures lie: below each other, beside each other, or in rows and columns.')
const LayoutOptions = z.object({ layout })
type Layout = z.output<typeof layout>

export const mergeRows: readonly Capability[] = [
  ...(['png', 'jpg', 'webp'] as const).map(
    (id): Capability => ({
      operation: 'merge',
      from: sources,
      to: [id],
      same: true,
      more: { from: sources, min: 1, max: 19 },
      options: pixelTargetOf(id).options.extend({ layout }),
      cost: 1,
    }),
  ),
  // One page per image, in order.
  {
    operation: 'merge',
    from: sources,
    to: ['pdf'],
    more: { from: sources, min: 0, max: 99 },
    options: z.object({}),
    cost: 0.5,
  },
]

/**
 * Combines several images into one, or into the pages of a PDF.
 * @throws AppError INVALID_INPUT, CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function mergePictures(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const to = targetOf(work.to)
  const pictures: Picture[] = []
  for (const [index, input] of work.inputs.entries()) {
    tools.signal.throwIfAborted()
    pictures.push(await openPicture(input, to === 'pdf' ? 'pdf' : 'png', tools))
    tools.progress((0.4 * (index + 1)) / work.inputs.length)
  }
  if (to === 'pdf') return toPdf(pictures, work, tools)
  const merged = await laidOut(pictures, LayoutOptions.parse(work.options).layout, tools)
  tools.progress(0.8)
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  const size = await writePicture(merged, to, { page: 0, path, options: work.options }, tools)
  return { files: [{ path }], details: { ...size, pictures: pictures.length } }
}

interface Drawn {
  readonly path: string
  readonly width: number
  readonly height: number
}

/** Places each image unscaled in the center of its cell. */
async function laidOut(pictures: readonly Picture[], layout: Layout, tools: Tools): Promise<Picture> {
  const columns = columnsOf(layout, pictures.length)
  // A grid of a fixed size includes its empty rows.
  const rows = layout === 'grid2x2' || layout === 'grid3x3' ? columns : Math.ceil(pictures.length / columns)
  const drawn: Drawn[] = []
  for (const [index, picture] of pictures.entries()) drawn.push(await upright(picture, index, tools))
  const widths = sidesOf(drawn, layout, { side: 'width', places: columns }, (index) => index % columns)
  const heights = sidesOf(drawn, layout, { side: 'height', places: rows }, (index) =>
    Math.floor(index / columns),
  )
  const [width, height] = [sum(widths), sum(heights)]
  requireRoom(width, height)
  const placed = drawn.map((picture, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)]
    return {
      input: picture.path,
      left: sum(widths.slice(0, column)) + Math.floor(((widths[column] ?? 0) - picture.width) / 2),
      top: sum(heights.slice(0, row)) + Math.floor(((heights[row] ?? 0) - picture.height) / 2),
    }
  })
  const sharp = await loadSharp()
  const path = join(tools.workDir, 'merged.png')
  await sharp({ create: { width, height, channels: 4, background: '#00000000' } })
    .composite(placed)
    .png({ compressionLevel: 1 })
    .toFile(path)
  return { path, format: 'png', source: 'png', metadata: await sharp(path).metadata(), pages: 1 }
}

async function upright(picture: Picture, index: number, tools: Tools): Promise<Drawn> {
  tools.signal.throwIfAborted()
  warnOfFrames(picture, 'png', tools)
  const path = join(tools.workDir, `cell-${index}.png`)
  // All cells need the same bit depth and color space.
  const image = await pixels(picture, 'webp', { page: 0, options: pictureOptions({}), colorSpace: 'srgb' })
  const { width, height } = await image.png({ compressionLevel: 1 }).toFile(path)
  return { path, width, height }
}

function columnsOf(layout: Layout, count: number): number {
  switch (layout) {
    case 'vertical':
      return 1
    case 'horizontal':
      return count
    case 'grid':
      return Math.ceil(Math.sqrt(count))
    case 'grid2x2':
      return requireCells(layout, 2, count)
    case 'grid3x3':
      return requireCells(layout, 3, count)
  }
}

function requireCells(layout: Layout, side: number, count: number): number {
  if (count <= side ** 2) return side
  const sentence = `layout: ${layout} has ${side ** 2} places, but ${count} pictures came. Send fewer, or ask for grid.`
  throw new AppError('INVALID_INPUT', sentence, { field: 'layout', max: side ** 2, got: count })
}

/** All cells of a grid have the same size; in a single row or column each cell is as large as its image. */
function sidesOf(
  drawn: readonly Drawn[],
  layout: Layout,
  { side, places }: { readonly side: 'width' | 'height'; readonly places: number },
  placeOf: (index: number) => number,
): number[] {
  const sides = Array.from({ length: places }, () => 0)
  for (const [index, picture] of drawn.entries()) {
    const place = placeOf(index)
    sides[place] = Math.max(sides[place] ?? 0, picture[side])
  }
  if (layout === 'vertical' || layout === 'horizontal') return sides
  return sides.map(() => Math.max(...sides))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function requireRoom(width: number, height: number): void {
  if (width <= maxSide && height <= maxSide && width * height <= maxPixels) return
  const sentence = `The pictures together would be ${width} × ${height} pixels, which is more than an image may have. Send smaller ones, or fewer.`
  throw new AppError('FILE_TOO_LARGE', sentence, { width, height, maxSide, maxPixels })
}
