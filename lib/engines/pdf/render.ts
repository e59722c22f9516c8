import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Tools } from '../engine.ts'
import type { OpenPdf, PdfPageSize } from './open-pdf.ts'
import type { PageFile } from './page-files.ts'
import { computeResolution } from './page-options.ts'
import { toPdfError } from './qpdf.ts'

/** Which pages to render, and how. */
export interface RenderSettings {
  /** Numbers of the pages, counted from 1. */
  readonly pages: readonly number[]
  readonly dpi: number | ((page: PdfPageSize) => number)
  /** Longest side in pixels; larger pages are scaled down. */
  readonly downscale?: number | undefined
  readonly gray: boolean
  /** Output format of pdftoppm, and the arguments that select it. */
  readonly extension: 'jpg' | 'tif'
  readonly args: readonly string[]
}

/** Consecutive pages that one process renders at one resolution. */
interface PageBatch {
  readonly first: number
  readonly last: number
  readonly dpi: number
}

/** Pixels per batch, few enough to report progress often, and to store the raw images on a small disk. */
const targetBatchPixels = 100_000_000
/** Number of processes that run at once; each keeps a core busy. */
export const maxProcesses = 2

/**
 * Renders pages, two batches at a time, and passes each page on as soon as it is ready.
 * @throws AppError CORRUPT_FILE, INVALID_INPUT.
 */
export async function renderPages(
  pdf: OpenPdf,
  settings: RenderSettings,
  tools: Tools,
  onPage: (file: PageFile) => Promise<void>,
): Promise<void> {
  const batches = planBatches(pdf, settings)
  let donePages = 0
  const nextBatches = batches.values()
  const render = async (batch: PageBatch) => {
    const pathPrefix = join(tools.workDir, `render-${batch.first}-${batch.last}`)
    for (const file of await renderBatch(pdf.path, batch, pathPrefix, settings, tools)) {
      await onPage(file)
      donePages++
      tools.progress((donePages / settings.pages.length) * 0.95, 'pages')
    }
  }
  const renderNextBatches = async () => {
    for (const batch of nextBatches) await render(batch)
  }
  await Promise.all(Array.from({ length: Math.min(maxProcesses, batches.length) }, renderNextBatches))
}

function planBatches(pdf: OpenPdf, settings: RenderSettings): PageBatch[] {
  const pages = [...new Set(settings.pages)]
    .sort((a, b) => a - b)
    .map((page) => ({ page, ...computeResolution(pdf, page, settings) }))
  const maxPixels = computeBatchPixels(pages.map(({ pixels }) => pixels))
  const batches: { first: number; last: number; dpi: number; pixels: number }[] = []
  for (const { page, dpi, pixels } of pages) {
    const lastBatch = batches.at(-1)
    if (
      lastBatch &&
      lastBatch.last === page - 1 &&
      lastBatch.dpi === dpi &&
      lastBatch.pixels + pixels <= maxPixels
    ) {
      lastBatch.last = page
      lastBatch.pixels += pixels
    } else batches.push({ first: page, last: page, dpi, pixels })
  }
  return batches
}

/** Returns the number of pixels per batch for batches of about equal size, so that no core is idle at the end. */
function computeBatchPixels(pixels: readonly number[]): number {
  const totalPixels = pixels.reduce((sum, pixelCount) => sum + pixelCount, 0)
  const neededBatches = Math.ceil(totalPixels / targetBatchPixels)
  // With fewer than four pages, starting a second process takes longer than it saves.
  const batchCount =
    pixels.length < 4 ? neededBatches : Math.ceil(neededBatches / maxProcesses) * maxProcesses
  return totalPixels / batchCount + Math.max(...pixels) / 2
}

async function renderBatch(
  path: string,
  { first, last, dpi }: PageBatch,
  pathPrefix: string,
  { gray, args }: RenderSettings,
  tools: Tools,
): Promise<PageFile[]> {
  const rangeArgs = ['-f', String(first), '-l', String(last), '-r', String(dpi)]
  try {
    await tools.exec('pdftoppm', [
      '-q',
      // Renders the visible area, as viewers do; by default, poppler includes the cropped area.
      '-cropbox',
      ...rangeArgs,
      ...(gray ? ['-gray'] : []),
      ...args,
      '-forcenum',
      path,
      pathPrefix,
    ])
  } catch (error) {
    throw toPdfError(error)
  }
  const names = await readdir(tools.workDir)
  const files = names.flatMap((name) => {
    const pageNumber = join(tools.workDir, name).startsWith(`${pathPrefix}-`)
      ? /-(\d+)\.\w+$/.exec(name)?.[1]
      : undefined
    return pageNumber === undefined ? [] : [{ page: Number(pageNumber), path: join(tools.workDir, name) }]
  })
  if (files.length !== last - first + 1) {
    throw new AppError(
      'CORRUPT_FILE',
      `The PDF is damaged: some of the pages ${first} to ${last} cannot be rendered.`,
    )
  }
  return files.sort((a, b) => a.page - b.page)
}
