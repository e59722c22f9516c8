import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { OutputFile, Tools } from './engine.ts'
import { drawByGhostscript } from './ghostscript-run.ts'
import { integer, numberFromText, quality, qualityNumber } from './options.ts'
import { type PageFile, packPages, pageFileName } from './page-files.ts'
import { pageRange } from './page-range.ts'
import type { OpenPdf, PageSize } from './pdf-open.ts'

export const openShape = {
  pages: pageRange.optional(),
  password: z.string().min(1).max(200).optional().describe('Opens a PDF that needs one.'),
}

const colorSpace = z
  .enum(['srgb', 'adobe-rgb', 'gray'])
  .default('srgb')
  .describe('adobe-rgb keeps more colors for print, gray makes shades of gray.')
const jpegQuality = z.preprocess(numberFromText, z.int().min(1).max(100))
const DrawOptions = z.object({
  ...openShape,
  dpi: integer(72, 600).default(150).describe('Pixels per inch.'),
  colorSpace,
  downscale: integer(16, 20_000)
    .optional()
    .describe('Longest side in pixels; larger pages are drawn smaller.'),
})

export const pageOptions = {
  jpg: DrawOptions.extend({
    quality: quality.optional(),
    jpegQuality: jpegQuality.optional().describe('1 to 100; the same as quality.'),
  }),
  png: DrawOptions,
  tiff: DrawOptions,
} as const
export type PageTarget = keyof typeof pageOptions

/** What is to be made of which pages, in this order. */
export interface Selection {
  readonly opened: OpenPdf
  readonly pages: readonly number[]
  readonly outDir: string
}

const devices = {
  jpg: { color: 'jpeg', gray: 'jpeggray' },
  png: { color: 'png16m', gray: 'pnggray' },
  tiff: { color: 'tiff24nc', gray: 'tiffgray' },
} as const

/** Of Debian's libgs9-common, as free as Ghostscript; viewers find it in the picture. */
const adobeRgb = '/usr/share/color/icc/ghostscript/a98.icc'
const maxPixels = 200_000_000
const words = { low: 50, medium: 70, high: 85, highest: 95 }

export async function toPagePictures(
  to: PageTarget,
  selection: Selection,
  given: unknown,
  tools: Tools,
): Promise<OutputFile> {
  const options = pageOptions.jpg.parse(given)
  const { pages, outDir } = selection
  const files = await draw(to, selection, options, tools)
  if (to === 'tiff') {
    const path = join(outDir, 'output.tiff')
    const ordered = pages.flatMap((page) => files.find((file) => file.page === page)?.path ?? [])
    await tools.exec('tiffcp', ['-c', 'lzw', ...ordered, path])
    return { path }
  }
  const [only] = files
  if (only && files.length === 1) return { path: only.path }
  const { dpi, colorSpace, downscale } = options
  const parameters = { format: to, dpi, colorSpace, ...(downscale !== undefined && { downscale }) }
  return { path: await packPages(outDir, files, parameters), format: 'zip' }
}

type Options = z.output<typeof pageOptions.jpg>

async function draw(
  to: PageTarget,
  { opened, pages, outDir }: Selection,
  options: Options,
  tools: Tools,
): Promise<PageFile[]> {
  const folder = to === 'tiff' ? tools.workDir : outDir
  const files: PageFile[] = []
  const wanted = [...new Set(pages)].sort((a, b) => a - b)
  for (const page of wanted) {
    const path = join(folder, pageFileName(page, opened.sizes.length, to))
    await drawByGhostscript(
      {
        device: devices[to][options.colorSpace === 'gray' ? 'gray' : 'color'],
        input: opened.path,
        format: 'pdf',
        output: path,
        switches: switchesOf(to, page, resolutionOf(page, opened.sizes[page - 1], options), options),
      },
      tools,
    )
    files.push({ page, path })
    tools.progress((files.length / wanted.length) * 0.95, 'pages')
  }
  return files
}

function switchesOf(to: PageTarget, page: number, dpi: number, options: Options): string[] {
  const { colorSpace, quality, jpegQuality } = options
  return [
    `-r${dpi}`,
    `-dFirstPage=${page}`,
    `-dLastPage=${page}`,
    ...['-dUseCropBox', '-dTextAlphaBits=4', '-dGraphicsAlphaBits=4'],
    ...(colorSpace === 'adobe-rgb' ? [`-sOutputICCProfile=${adobeRgb}`] : []),
    ...(to === 'jpg' ? [`-dJPEGQ=${jpegQuality ?? qualityNumber(quality, words)}`] : []),
  ]
}

/** Pixels per inch at which the page is no larger than asked for. @throws AppError INVALID_INPUT. */
function resolutionOf(
  page: number,
  { width, height }: PageSize = { width: 612, height: 792 },
  options: Options,
) {
  const { dpi, downscale } = options
  const fitting = downscale === undefined ? dpi : Math.min(dpi, (downscale * 72) / Math.max(width, height))
  const pixels = ((width * fitting) / 72) * ((height * fitting) / 72)
  if (pixels <= maxPixels) return fitting
  const sentence = `dpi: page ${page} would have ${Math.round(pixels / 1e6)} megapixels; at most ${maxPixels / 1e6} are drawn. Ask for a lower dpi or a downscale.`
  throw new AppError('INVALID_INPUT', sentence, { field: 'dpi', page })
}
