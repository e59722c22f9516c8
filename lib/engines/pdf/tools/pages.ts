import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { EngineResult } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import { pagesOf } from '../page-range.ts'
import { qpdf } from '../qpdf.ts'
import { renderPages } from '../render.ts'
import { assemble } from './assemble.ts'
import { finish, invalid, type Tool, type ToolJob, warnUntagged } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

export const rotatePages: Tool<ToolOptions<'rotate-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const pages = pagesOf(options.pages, pdf.sizes.length)
  const degrees = (options.rotate + 360) % 360
  const turned = join(tools.workDir, 'turned.pdf')
  const range = [...new Set(pages)].join(',')
  await qpdf({ inputFile: pdf.path, rotate: `+${degrees}:${range}`, outputFile: turned }, tools)
  return finish(job, turned, { pages: pdf.sizes.length })
}

export const extractPages: Tool<ToolOptions<'extract-pdf-pages'>> = (job) =>
  withPages(job, pagesOf(job.options.pages, job.pdf.sizes.length))

export const removePages: Tool<ToolOptions<'remove-pdf-pages'>> = (job) => {
  const { length } = job.pdf.sizes
  const without = new Set(pagesOf(job.options.pages, length))
  const left = pagesOf(undefined, length).filter((page) => !without.has(page))
  if (left.length === 0) throw invalid('pages', 'all pages of the document are named; leave at least one.')
  return withPages(job, left)
}

export const reorderPages: Tool<ToolOptions<'reorder-pdf-pages'>> = (job) => {
  const { length } = job.pdf.sizes
  const first = pagesOf(job.options.pages, length)
  const named = new Set(first)
  if (named.size < first.length) throw invalid('pages', 'a page is named twice in the new order.')
  return withPages(job, [...first, ...pagesOf(undefined, length).filter((page) => !named.has(page))])
}

async function withPages(job: ToolJob<unknown>, pages: readonly number[]): Promise<EngineResult> {
  const { pdf, tools } = job
  if (pages.length !== pdf.sizes.length) warnUntagged(pdf, tools)
  return finish(job, await assemble([{ path: pdf.path, pages }], tools), { pages: pages.length })
}

/** Darker than this is not the color of paper, of 255. */
const paperShade = 225
const blankDpi = 50

export const removeBlankPages: Tool<ToolOptions<'remove-blank-pages-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const all = pagesOf(undefined, pdf.sizes.length)
  const sharp = await loadSharp()
  const blank = new Set<number>()
  const args = ['-tiff', '-tiffcompression', 'none']
  const rendering = {
    pages: all,
    dpi: blankDpi,
    downscale: 2000,
    gray: true,
    extension: 'tif',
    args,
  } as const
  await renderPages(pdf, rendering, tools, async ({ page, path }) => {
    // Only levels of gray are left, so the histogram of the one channel is the whole picture.
    const pixels = await sharp(path).toColourspace('b-w').extractChannel(0).raw().toBuffer()
    const dark = pixels.reduce((count, level) => (level < paperShade ? count + 1 : count), 0)
    if ((dark / pixels.length) * 100 <= options.blankThreshold) blank.add(page)
    await rm(path)
  })
  const left = all.filter((page) => !blank.has(page))
  if (left.length === 0) {
    throw new AppError('INVALID_INPUT', 'Every page of the PDF is blank, so none would be left.', {
      field: 'file',
    })
  }
  const removed = [...blank].sort((a, b) => a - b)
  if (removed.length === 0) tools.warn('NOTHING_TO_DO', 'No page of the PDF is blank.')
  else warnUntagged(pdf, tools)
  const path = await assemble([{ path: pdf.path, pages: left }], tools)
  return finish(job, path, { pages: left.length, removed })
}
