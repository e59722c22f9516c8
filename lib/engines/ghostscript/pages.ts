import { join } from 'node:path'
import * as z from 'zod'
import { defined } from '../../validation/defined.ts'
import type { OutputFile, Tools } from '../engine.ts'
import { quality, toQualityNumber } from '../options.ts'
import { packPages } from '../pdf/pack-pages.ts'
import { createPageFileName, type PageFile } from '../pdf/page-files.ts'
import {
  computeResolution,
  openPdfOptionShape,
  type PageSelection,
  resolutionOptionShape,
} from '../pdf/page-options.ts'
import { pageAdobeRgbProfile } from '../shared/image/color-profiles.ts'
import { chooseJpegQuality, jpegQuality, qualityScales, renderedColorSpace } from '../shared/image/options.ts'
import { runGhostscript } from './run.ts'

const PlainOptions = z.object({
  ...openPdfOptionShape,
  ...resolutionOptionShape,
  colorSpace: renderedColorSpace,
})

export const pageOptions = {
  jpg: PlainOptions.extend({
    quality: quality.optional(),
    jpegQuality,
  }),
  png: PlainOptions,
  tiff: PlainOptions,
} as const
type PageTarget = keyof typeof pageOptions

const devicesByFormat = {
  jpg: { color: 'jpeg', gray: 'jpeggray' },
  png: { color: 'png16m', gray: 'pnggray' },
  tiff: { color: 'tiff24nc', gray: 'tiffgray' },
} as const

/** Renders pages: a single page becomes an image, several become a ZIP of images or one multi-page TIFF. */
export async function toPageImages(
  to: PageTarget,
  selection: PageSelection,
  sizeOptions: unknown,
  tools: Tools,
): Promise<OutputFile> {
  const options = pageOptions.jpg.parse(sizeOptions)
  const { pages, outDir } = selection
  const files = await renderPageFiles(to, selection, options, tools)
  if (to === 'tiff') {
    const path = join(outDir, 'output.tiff')
    const orderedPaths = pages.flatMap((page) => files.find((file) => file.page === page)?.path ?? [])
    await tools.exec('tiffcp', ['-c', 'lzw', ...orderedPaths, path])
    return { path }
  }
  const [onlyFile] = files
  if (onlyFile && files.length === 1) return { path: onlyFile.path }
  const { dpi, colorSpace, downscale } = options
  const parameters = { format: to, dpi, colorSpace, ...defined({ downscale }) }
  return { path: await packPages(outDir, files, parameters), format: 'zip' }
}

type PageRenderOptions = z.output<typeof pageOptions.jpg>

async function renderPageFiles(
  to: PageTarget,
  { openedPdf, pages, outDir }: PageSelection,
  options: PageRenderOptions,
  tools: Tools,
): Promise<PageFile[]> {
  const folder = to === 'tiff' ? tools.workDir : outDir
  const files: PageFile[] = []
  const sortedPages = [...new Set(pages)].sort((a, b) => a - b)
  for (const page of sortedPages) {
    const path = join(folder, createPageFileName(page, openedPdf.sizes.length, to))
    await runGhostscript(
      {
        device: devicesByFormat[to][options.colorSpace === 'gray' ? 'gray' : 'color'],
        input: openedPdf.path,
        format: 'pdf',
        output: path,
        switches: toPageSwitches(to, page, computeResolution(openedPdf, page, options).dpi, options),
      },
      tools,
    )
    files.push({ page, path })
    tools.progress((files.length / sortedPages.length) * 0.95, 'pages')
  }
  return files
}

/** Returns the Ghostscript switches for a page, except those for the output device. */
export function toPageSwitches(
  to: PageTarget,
  page: number,
  dpi: number,
  options: PageRenderOptions,
): string[] {
  const { colorSpace } = options
  return [
    `-r${dpi}`,
    `-dFirstPage=${page}`,
    `-dLastPage=${page}`,
    ...['-dUseCropBox', '-dTextAlphaBits=4', '-dGraphicsAlphaBits=4'],
    ...(colorSpace === 'adobe-rgb' ? [`-sOutputICCProfile=${pageAdobeRgbProfile}`] : []),
    ...(to === 'jpg' ? [`-dJPEGQ=${toQualityNumber(chooseJpegQuality(options), qualityScales.jpg)}`] : []),
  ]
}
