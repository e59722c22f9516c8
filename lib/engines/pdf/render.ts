import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import type { Tools } from '../engine.ts'
import type { OpenPdf, PageSize } from './open-pdf.ts'
import type { PageFile } from './page-files.ts'
import { resolutionOf } from './page-options.ts'
import { unreadablePdf } from './qpdf.ts'

/** Which pages, and as what. */
export interface Rendering {
  /** Counted from 1. */
  readonly pages: readonly number[]
  readonly dpi: number | ((page: PageSize) => number)
  /** Longest side in pixels; larger pages are drawn smaller. */
  readonly downscale?: number | undefined
  readonly gray: boolean
  /** What pdftoppm writes, and its arguments for that. */
  readonly extension: 'jpg' | 'tif'
  readonly args: readonly string[]
}

/** Pages in a row that are drawn at one resolution by one process. */
interface Batch {
  readonly first: number
  readonly last: number
  readonly dpi: number
}

/** A batch is done soon enough to show progress, and its raw pictures fit on a small disk. */
const batchPixels = 100_000_000
/** Programs at a time, each of which keeps a processor busy. */
export const parallel = 2

/**
 * Draws pages, two batches at a time, and hands each over as soon as it is there.
 * @throws AppError CORRUPT_FILE, INVALID_INPUT.
 */
export async function renderPages(
  pdf: OpenPdf,
  rendering: Rendering,
  tools: Tools,
  use: (file: PageFile) => Promise<void>,
): Promise<void> {
  const batches = batchesOf(pdf, rendering)
  let done = 0
  const next = batches.values()
  const draw = async (batch: Batch) => {
    const prefix = join(tools.workDir, `render-${batch.first}-${batch.last}`)
    for (const file of await drawBatch(pdf.path, batch, prefix, rendering, tools)) {
      await use(file)
      done++
      tools.progress((done / rendering.pages.length) * 0.95, 'pages')
    }
  }
  const worker = async () => {
    for (const batch of next) await draw(batch)
  }
  await Promise.all(Array.from({ length: Math.min(parallel, batches.length) }, worker))
}

function batchesOf(pdf: OpenPdf, rendering: Rendering): Batch[] {
  const pages = [...new Set(rendering.pages)]
    .sort((a, b) => a - b)
    .map((page) => ({ page, ...resolutionOf(pdf, page, rendering) }))
  const most = shareOf(pages.map(({ pixels }) => pixels))
  const batches: { first: number; last: number; dpi: number; pixels: number }[] = []
  for (const { page, dpi, pixels } of pages) {
    const last = batches.at(-1)
    if (last && last.last === page - 1 && last.dpi === dpi && last.pixels + pixels <= most) {
      last.last = page
      last.pixels += pixels
    } else batches.push({ first: page, last: page, dpi, pixels })
  }
  return batches
}

/** Pixels of one batch when all have about the same, so that no core is left idle at the end. */
function shareOf(pixels: readonly number[]): number {
  const total = pixels.reduce((sum, more) => sum + more, 0)
  const needed = Math.ceil(total / batchPixels)
  // For a page or two a second process takes longer to start than it saves.
  const count = pixels.length < 4 ? needed : Math.ceil(needed / parallel) * parallel
  return total / count + Math.max(...pixels) / 2
}

async function drawBatch(
  path: string,
  { first, last, dpi }: Batch,
  prefix: string,
  { gray, args }: Rendering,
  tools: Tools,
): Promise<PageFile[]> {
  const range = ['-f', String(first), '-l', String(last), '-r', String(dpi)]
  try {
    await tools.exec('pdftoppm', [
      '-q',
      // What readers show; poppler would draw what is cropped off as well.
      '-cropbox',
      ...range,
      ...(gray ? ['-gray'] : []),
      ...args,
      '-forcenum',
      path,
      prefix,
    ])
  } catch (error) {
    throw unreadablePdf(error)
  }
  const names = await readdir(tools.workDir)
  const files = names.flatMap((name) => {
    const number = join(tools.workDir, name).startsWith(`${prefix}-`)
      ? /-(\d+)\.\w+$/.exec(name)?.[1]
      : undefined
    return number === undefined ? [] : [{ page: Number(number), path: join(tools.workDir, name) }]
  })
  if (files.length !== last - first + 1) {
    throw new AppError(
      'CORRUPT_FILE',
      `The PDF is damaged: of the pages ${first} to ${last} some cannot be drawn.`,
    )
  }
  return files.sort((a, b) => a.page - b.page)
}
