import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { EngineResult } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import { resolvePages } from '../page-range.ts'
import { runQpdf } from '../qpdf.ts'
import { renderPages } from '../render.ts'
import { assemblePdf } from './assemble.ts'
import {
  createInvalidOptionError,
  finishPdf,
  type PdfTool,
  type PdfToolJob,
  warnAboutRemovedTags,
} from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

export const rotatePdfPages: PdfTool<ToolOptions<'rotate-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const pages = resolvePages(options.pages, pdf.sizes.length)
  const degrees = (options.rotate + 360) % 360
  const rotatedPath = join(tools.workDir, 'turned.pdf')
  const range = [...new Set(pages)].join(',')
  await runQpdf({ inputFile: pdf.path, rotate: `+${degrees}:${range}`, outputFile: rotatedPath }, tools)
  return finishPdf(job, rotatedPath, { pages: pdf.sizes.length })
}

export const extractPages: PdfTool<ToolOptions<'extract-pdf-pages'>> = (job) =>
  selectPages(job, resolvePages(job.options.pages, job.pdf.sizes.length))

export const removePages: PdfTool<ToolOptions<'remove-pdf-pages'>> = (job) => {
  const { length } = job.pdf.sizes
  const removedPages = new Set(resolvePages(job.options.pages, length))
  const remainingPages = resolvePages(undefined, length).filter((page) => !removedPages.has(page))
  if (remainingPages.length === 0)
    throw createInvalidOptionError(
      'pages',
      'all pages of the document would be removed; leave at least one.',
      {
        reason: 'all-pages',
      },
    )
  return selectPages(job, remainingPages)
}

export const reorderPages: PdfTool<ToolOptions<'reorder-pdf-pages'>> = (job) => {
  const { length } = job.pdf.sizes
  const firstPages = resolvePages(job.options.pages, length)
  const namedPages = new Set(firstPages)
  if (namedPages.size < firstPages.length)
    throw createInvalidOptionError('pages', 'a page appears twice in the new order.')
  return selectPages(job, [
    ...firstPages,
    ...resolvePages(undefined, length).filter((page) => !namedPages.has(page)),
  ])
}

async function selectPages(job: PdfToolJob<unknown>, pages: readonly number[]): Promise<EngineResult> {
  const { pdf, tools } = job
  if (pages.length !== pdf.sizes.length) warnAboutRemovedTags(pdf, tools)
  return finishPdf(job, await assemblePdf([{ path: pdf.path, pages }], tools), { pages: pages.length })
}

/** Pixels with a lower gray level (0 to 255) are darker than paper. */
const minWhiteLevel = 225
const blankDpi = 50

export const removeBlankPages: PdfTool<ToolOptions<'remove-blank-pages-pdf'>> = async (job) => {
  const { pdf, options, tools } = job
  const allPages = resolvePages(undefined, pdf.sizes.length)
  const sharp = await loadSharp()
  const blankPages = new Set<number>()
  const args = ['-tiff', '-tiffcompression', 'none']
  const renderOptions = {
    pages: allPages,
    dpi: blankDpi,
    downscale: 2000,
    gray: true,
    extension: 'tif',
    args,
  } as const
  await renderPages(pdf, renderOptions, tools, async ({ page, path }) => {
    // The page is grayscale, so one channel contains all of it.
    const pixels = await sharp(path).toColourspace('b-w').extractChannel(0).raw().toBuffer()
    const darkPixelCount = pixels.reduce((count, level) => (level < minWhiteLevel ? count + 1 : count), 0)
    if ((darkPixelCount / pixels.length) * 100 <= options.blankThreshold) blankPages.add(page)
    await rm(path)
  })
  const remainingPages = allPages.filter((page) => !blankPages.has(page))
  if (remainingPages.length === 0) {
    throw new AppError('INVALID_INPUT', 'Every page of the PDF is blank, so none would be left.', {
      field: 'file',
    })
  }
  const removedPages = [...blankPages].sort((a, b) => a - b)
  if (removedPages.length === 0) tools.warn('NOTHING_TO_DO', 'No page of the PDF is blank.')
  else warnAboutRemovedTags(pdf, tools)
  const path = await assemblePdf([{ path: pdf.path, pages: remainingPages }], tools)
  return finishPdf(job, path, { pages: remainingPages.length, removed: removedPages })
}
