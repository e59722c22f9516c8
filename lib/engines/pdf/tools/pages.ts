import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Result, Tools } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import { packPages } from '../pack-pages.ts'
import { type PageFile, pageFileName } from '../page-files.ts'
import { pagesOf } from '../page-range.ts'
import { qpdf } from '../qpdf.ts'
import { renderPages } from '../render.ts'
import { assemble } from './assemble.ts'
import {
  type EditablePdf,
  finish,
  invalid,
  lockAgain,
  type Tool,
  type ToolJob,
  warnUntagged,
} from './document.ts'
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

async function withPages(job: ToolJob<unknown>, pages: readonly number[]): Promise<Result> {
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

const maxParts = 2000

/** A file for each part of the range, or for each page. */
export const splitPages: Tool<ToolOptions<'split-pdf'>> = async ({ pdf, options, work, tools }) => {
  const { length } = pdf.sizes
  warnUntagged(pdf, tools)
  const parts = options.pages?.split(',') ?? pagesOf(undefined, length).map(String)
  if (parts.length > maxParts) {
    throw invalid(
      'pages',
      `the PDF would become ${parts.length} files; at most ${maxParts} are made at once.`,
    )
  }
  const ranges = parts.map((part) => pagesOf(part, length))
  const hides = await hidesLayers(pdf.path, tools)
  const cuts = options.pages === undefined && !hides ? await everyPage(pdf, tools) : undefined
  const taken = (pages: readonly number[]) =>
    hides ? assemble([{ path: pdf.path, pages }], tools) : cut(pdf, pages, tools)
  const files: PageFile[] = []
  for (const [index, pages] of ranges.entries()) {
    const [first = 1] = pages
    const name = pages.length === 1 ? pageFileName(first, length, 'pdf') : rangeName(pages, length)
    const path = join(work.outDir, ranges.length === 1 ? 'output.pdf' : uniqueName(name, files))
    await lockAgain(pdf, cuts?.[index] ?? (await taken(pages)), path, tools)
    files.push({ page: first, path })
    tools.progress((0.9 * (index + 1)) / parts.length, 'pages')
  }
  const details = { pages: length, files: files.length }
  const [only] = files
  const single = only && files.length === 1 && work.to === 'pdf'
  const path = single
    ? only.path
    : await packPages(work.outDir, files, { format: 'pdf', pages: options.pages ?? 'each' })
  tools.progress(1)
  return { files: [single ? { path } : { path, format: 'zip' }], details }
}

/** Which layers are hidden stands in the catalog, which pages that are only cut out do not take along. */
async function hidesLayers(path: string, tools: Tools): Promise<boolean> {
  const args = ['show', path, 'trailer/Root/OCProperties/D']
  // A ruin that only qpdf can read has none that anybody could find.
  const { stdout } = await tools.exec('mutool', args, { okCodes: [0, 1] })
  return /\/OFF\s*\[\s*\d|\/BaseState\s*\/OFF/.test(stdout)
}

/** Nothing of the other pages comes along, as it would with the outline of the whole. */
async function cut(pdf: EditablePdf, pages: readonly number[], tools: Tools): Promise<string> {
  const path = join(tools.workDir, 'cut.pdf')
  const taken = [{ file: pdf.path, range: pages.join(',') }]
  await qpdf({ empty: '', pages: taken, objectStreams: 'generate', outputFile: path }, tools)
  return path
}

/** One call for all pages reads the document once. */
async function everyPage(pdf: EditablePdf, tools: Tools): Promise<string[]> {
  const name = join(tools.workDir, 'cut-%d.pdf')
  const how = { splitPages: '1', objectStreams: 'generate' }
  await qpdf({ inputFile: pdf.path, ...how, outputFile: name }, tools)
  const digits = String(pdf.sizes.length).length
  return pdf.sizes.map((_, index) => name.replace('%d', String(index + 1).padStart(digits, '0')))
}

/** `pages-002-005.pdf`. */
function rangeName(pages: readonly number[], length: number): string {
  const [first = 1] = pages
  const digits = Math.max(3, String(length).length)
  const number = (page: number) => String(page).padStart(digits, '0')
  return `pages-${number(first)}-${number(pages.at(-1) ?? first)}.pdf`
}

function uniqueName(name: string, files: readonly PageFile[]): string {
  const taken = (candidate: string) => files.some(({ path }) => path.endsWith(`/${candidate}`))
  let candidate = name
  for (let copy = 2; taken(candidate); copy++) candidate = name.replace(/\.pdf$/, `-${copy}.pdf`)
  return candidate
}
