import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { parseImageOptions } from '../shared/image/options.ts'
import { convertToPdf, getExtension, toVipsTarget, warnAboutDroppedFrames, writeImage } from './convert.ts'
import { hasMetadata, loadSharp, openImage, renderImage, type SourceImage } from './image.ts'
import { maxPixels } from './limits.ts'
import { PdfPaperOptions } from './pdf-paper.ts'
import { getPixelTarget } from './targets.ts'

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
  .describe('How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.')
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
      options: getPixelTarget(id).options.extend({ layout }),
      cost: 1,
    }),
  ),
  // Writes one page per image, in order.
  {
    operation: 'merge',
    from: sources,
    to: ['pdf'],
    more: { from: sources, min: 0, max: 99 },
    options: PdfPaperOptions,
    cost: 0.5,
  },
]

/**
 * Combines several images into one, or into the pages of a PDF.
 * @throws AppError INVALID_INPUT, CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function mergeImages(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const to = toVipsTarget(work.to)
  const images: SourceImage[] = []
  for (const [index, input] of work.inputs.entries()) {
    tools.signal.throwIfAborted()
    images.push(await openImage(input, to === 'pdf' ? 'pdf' : 'png', tools))
    tools.progress((0.4 * (index + 1)) / work.inputs.length)
  }
  if (to === 'pdf') return convertToPdf(images, work, tools)
  if (parseImageOptions(work.options).metadata === 'keep' && images.some(hasMetadata))
    tools.warn(
      'METADATA_NOT_KEPT',
      'metadata=keep has no effect: an image that combines several images has no metadata.',
    )
  const mergedImage = await arrangeImages(images, LayoutOptions.parse(work.options).layout, tools)
  tools.progress(0.8)
  const path = join(work.outDir, `output.${getExtension(to)}`)
  const size = await writeImage(mergedImage, to, { page: 0, path, options: work.options }, tools)
  return { files: [{ path }], details: { ...size, pictures: images.length } }
}

interface Cell {
  readonly path: string
  readonly width: number
  readonly height: number
}

/** Places each image in the center of its cell, without scaling it. */
async function arrangeImages(
  images: readonly SourceImage[],
  layout: Layout,
  tools: Tools,
): Promise<SourceImage> {
  const columns = countColumns(layout, images.length)
  // A grid of a fixed size includes its empty rows.
  const rows = layout === 'grid2x2' || layout === 'grid3x3' ? columns : Math.ceil(images.length / columns)
  const cells: Cell[] = []
  for (const [index, source] of images.entries()) cells.push(await renderCell(source, index, tools))
  const widths = measureCellSides(
    cells,
    layout,
    { side: 'width', count: columns },
    (index) => index % columns,
  )
  const heights = measureCellSides(cells, layout, { side: 'height', count: rows }, (index) =>
    Math.floor(index / columns),
  )
  const [width, height] = [sum(widths), sum(heights)]
  requireAllowedSize(width, height)
  const placedCells = cells.map((source, index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)]
    return {
      input: source.path,
      left: sum(widths.slice(0, column)) + Math.floor(((widths[column] ?? 0) - source.width) / 2),
      top: sum(heights.slice(0, row)) + Math.floor(((heights[row] ?? 0) - source.height) / 2),
    }
  })
  const sharp = await loadSharp()
  const path = join(tools.workDir, 'merged.png')
  await sharp({ create: { width, height, channels: 4, background: '#00000000' } })
    .composite(placedCells)
    .png({ compressionLevel: 1 })
    .toFile(path)
  const metadata = await sharp(path).metadata()
  return { path, format: 'png', sourceFormat: 'png', metadata, hasUnreadMetadata: false, pages: 1 }
}

async function renderCell(source: SourceImage, index: number, tools: Tools): Promise<Cell> {
  tools.signal.throwIfAborted()
  warnAboutDroppedFrames(source, 'png', tools)
  const path = join(tools.workDir, `cell-${index}.png`)
  // All cells need the same bit depth and color space.
  const image = await renderImage(source, 'webp', {
    page: 0,
    options: parseImageOptions({}),
    colorSpace: 'srgb',
  })
  const { width, height } = await image.png({ compressionLevel: 1 }).toFile(path)
  return { path, width, height }
}

function countColumns(layout: Layout, count: number): number {
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
  const message = `layout: ${layout} has ${side ** 2} places, got ${count} images. Send fewer images, or set layout to grid.`
  throw new AppError('INVALID_INPUT', message, {
    field: 'layout',
    reason: 'too-many-images',
    max: side ** 2,
    got: count,
  })
}

/**
 * Returns the sides of the cells. In a grid, all have the same size; in a single row or column, each is as large as its
 * image.
 */
function measureCellSides(
  cells: readonly Cell[],
  layout: Layout,
  { side, count }: { readonly side: 'width' | 'height'; readonly count: number },
  getCellIndex: (cellIndex: number) => number,
): number[] {
  const sides = Array.from({ length: count }, () => 0)
  for (const [cellIndex, source] of cells.entries()) {
    const index = getCellIndex(cellIndex)
    sides[index] = Math.max(sides[index] ?? 0, source[side])
  }
  if (layout === 'vertical' || layout === 'horizontal') return sides
  return sides.map(() => Math.max(...sides))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function requireAllowedSize(width: number, height: number): void {
  if (width <= maxSide && height <= maxSide && width * height <= maxPixels) return
  const message = `The combined image would be ${width} × ${height} pixels, which exceeds the limit. Send smaller or fewer images.`
  throw new AppError('FILE_TOO_LARGE', message, { width, height, maxSide, maxPixels })
}
