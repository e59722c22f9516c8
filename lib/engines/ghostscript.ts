import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, OutputFile, Tools } from './engine.ts'
import { pageOptions, toPageImages } from './ghostscript/pages.ts'
import { imageToPostScript } from './ghostscript/postscript-image.ts'
import { createUnreadableDrawingError, runGhostscript } from './ghostscript/run.ts'
import { svgToPdf } from './ghostscript/svg-pdf.ts'
import { integer } from './options.ts'
import { openPdf } from './pdf/open-pdf.ts'
import { packPages } from './pdf/pack-pages.ts'
import { createPageFileName } from './pdf/page-files.ts'
import { openPdfOptionShape, type PageSelection } from './pdf/page-options.ts'
import { resolvePages } from './pdf/page-range.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { rejectWhenAborted } from './sandbox/until-aborted.ts'

const RasterOptions = z.object({
  dpi: integer(18, 1200).default(150).describe('Pixels per inch of the drawing.'),
})
const PdfOptions = z.object(openPdfOptionShape)
const noOptions = z.object({})

/** Vector drawings are converted with librsvg, not with a browser. */
const unsupportedDrawingTraits = ['browser-drawing', 'browser-pdf-drawing'] as const

/**
 * Costs are higher than those of poppler for conversions that both support, so Ghostscript renders pages only when
 * requested.
 */
const capabilities: readonly Capability[] = [
  createConversion(['eps', 'ai', 'ps'], ['pdf'], noOptions, 0.15),
  createConversion(['eps', 'ai'], ['png'], RasterOptions, 0.15),
  createConversion(['eps', 'ai'], ['jpg', 'tiff'], RasterOptions, 0.2),
  createConversion(['eps', 'ai'], ['svg', 'svgz', 'ps', 'eps'], noOptions, 0.2),
  {
    ...createConversion(['svg', 'svgz'], ['pdf'], noOptions, 0.1),
    unsupportedTraits: unsupportedDrawingTraits,
  },
  {
    ...createConversion(['svg', 'svgz'], ['eps', 'ps'], noOptions, 0.3),
    unsupportedTraits: unsupportedDrawingTraits,
  },
  createConversion(['jpg', 'png', 'tiff'], ['eps', 'ps'], noOptions, 0.3),
  createConversion(['pdf'], ['eps', 'ps'], PdfOptions, 0.3),
  createConversion(['pdf'], ['jpg'], pageOptions.jpg, 1),
  createConversion(['pdf'], ['png'], pageOptions.png, 1),
  createConversion(['pdf'], ['tiff'], pageOptions.tiff, 1),
]

function createConversion(
  from: readonly FormatId[],
  to: readonly FormatId[],
  options: z.ZodObject,
  cost: number,
): Capability {
  return { operation: 'convert', from, to, options, cost }
}

/** Converts PostScript and SVG drawings, writes PostScript, and renders PDF pages. */
export const ghostscript: Engine = {
  id: 'ghostscript',
  image: 'pdf',
  capabilities,
  limits: { memoryMb: 3008, diskMb: 4096, timeoutS: 600 },
  version: ['gs', '--version'],
  run,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('Ghostscript was called without an input.')
  const result = await rejectWhenAborted(convert(input, work, tools), tools.signal)
  tools.progress(1)
  return result
}

async function convert(input: InputFile, work: EngineWork, tools: Tools): Promise<EngineResult> {
  switch (work.from) {
    case 'pdf':
      return convertPdf(input, work, tools)
    case 'svg':
    case 'svgz':
      return convertSvg(input, work, tools)
    case 'jpg':
    case 'png':
    case 'tiff':
      return convertImage(input, work, tools)
    default:
      return convertPostScript(input.path, work, tools)
  }
}

/**
 * Converts a single drawing. Its bounding box becomes the page, because content outside it was not meant to be visible.
 */
async function convertPostScript(inputPath: string, work: EngineWork, tools: Tools): Promise<EngineResult> {
  const { from, to, outDir } = work
  if (to === 'png' || to === 'jpg' || to === 'tiff') {
    return takeFirstPage(await rasterize(inputPath, to, work, tools), to, tools)
  }
  const pdfPath = join(to === 'pdf' ? outDir : tools.workDir, 'drawing.pdf')
  const cropSwitches = from === 'ps' ? [] : ['-dEPSCrop']
  const switches = [...cropSwitches, ...losslessImageSwitches, '-dAutoRotatePages=/None']
  await runGhostscript(
    { device: 'pdfwrite', input: inputPath, format: from, output: pdfPath, switches },
    tools,
  )
  return { files: [{ path: to === 'pdf' ? pdfPath : await convertDrawing(pdfPath, work, tools) }] }
}

/** Embeds images losslessly: by default the device encodes photos as JPEG. */
const losslessImageSwitches = [
  ...['-dAutoFilterColorImages=false', '-dColorImageFilter=/FlateEncode'],
  ...['-dAutoFilterGrayImages=false', '-dGrayImageFilter=/FlateEncode'],
] as const

/** Converts a PDF with one drawing to another vector format. */
async function convertDrawing(pdfPath: string, { to, outDir }: EngineWork, tools: Tools): Promise<string> {
  const path = join(outDir, `output.${to}`)
  if (to === 'eps' || to === 'ps') await writePostScript(pdfPath, path, to === 'eps' ? 1 : undefined, tools)
  else await tools.exec('pdftocairo', ['-svg', '-f', '1', '-l', '1', pdfPath, path])
  if (to === 'svgz') await writeFile(path, await promisify(gzip)(await readFile(path)))
  return path
}

/**
 * Writes all pages of a PDF as PostScript, or a single page as EPS. Uses poppler: Ghostscript's own writers rasterize
 * every page that names a transparency group, and most programs write such groups.
 */
async function writePostScript(
  pdfPath: string,
  path: string,
  page: number | undefined,
  tools: Tools,
): Promise<void> {
  const singlePageArgs = page === undefined ? [] : ['-eps', '-f', String(page), '-l', String(page)]
  try {
    await tools.exec('pdftops', ['-q', '-level3', ...singlePageArgs, pdfPath, path])
  } catch (error) {
    throw error instanceof ProcessFailure ? createUnreadableDrawingError('pdf', error) : error
  }
}

async function rasterize(
  inputPath: string,
  to: 'png' | 'jpg' | 'tiff',
  { from, outDir, options }: EngineWork,
  tools: Tools,
): Promise<string[]> {
  const { dpi } = RasterOptions.parse(options)
  const device = { png: 'pngalpha', jpg: 'jpeg', tiff: 'tiff24nc' }[to]
  const rasterSwitches = ['-dTextAlphaBits=4', '-dGraphicsAlphaBits=4', '-dEPSCrop', `-r${dpi}`]
  const deviceSwitches = { png: [], jpg: ['-dJPEGQ=90'], tiff: ['-sCompression=lzw'] }[to]
  // The device writes one file per page. Without a page number, a second page would overwrite the first one.
  const outputPath = join(outDir, `page-%d.${to}`)
  await runGhostscript(
    {
      device,
      input: inputPath,
      format: from,
      output: outputPath,
      switches: [...rasterSwitches, ...deviceSwitches],
    },
    tools,
  )
  const names = await readdir(outDir)
  if (names.length === 0) throw createUnreadableDrawingError(from)
  const getPageNumber = (name: string) => Number(/\d+/.exec(name)?.[0])
  return names.toSorted((a, b) => getPageNumber(a) - getPageNumber(b)).map((name) => join(outDir, name))
}

function takeFirstPage(paths: readonly string[], to: FormatId, tools: Tools): EngineResult {
  const [path] = paths
  if (path === undefined) throw new Error('Ghostscript wrote no page.')
  if (paths.length > 1) {
    tools.warn(
      'PAGES_DROPPED',
      `Only the first of ${paths.length} pages was converted: ${to} stores a single drawing.`,
      { kept: 1, total: paths.length },
    )
  }
  return { files: [{ path }] }
}

async function convertSvg(input: InputFile, work: EngineWork, tools: Tools): Promise<EngineResult> {
  const pdfPath = join(work.to === 'pdf' ? work.outDir : tools.workDir, 'drawing.pdf')
  await svgToPdf(input, pdfPath, tools)
  return { files: [{ path: work.to === 'pdf' ? pdfPath : await convertDrawing(pdfPath, work, tools) }] }
}

async function convertImage(input: InputFile, work: EngineWork, tools: Tools): Promise<EngineResult> {
  const maxPages = work.to === 'eps' ? 1 : 500
  const { path, pages } = await imageToPostScript(input, maxPages, tools)
  if (pages > maxPages) {
    const convertedRange = maxPages === 1 ? 'the first page' : `the first ${maxPages} pages`
    tools.warn('PAGES_DROPPED', `Of ${pages} pages, only ${convertedRange} could be converted.`, {
      kept: maxPages,
      total: pages,
    })
  }
  return convertPostScript(path, { ...work, from: 'ps' }, tools)
}

async function convertPdf(input: InputFile, work: EngineWork, tools: Tools): Promise<EngineResult> {
  const { pages: range, password } = PdfOptions.parse(work.options)
  const openedPdf = await openPdf(input.path, password, tools)
  const requestedPages = resolvePages(range, openedPdf.sizes.length)
  const pages = singleFileTargets.includes(work.to) ? requestedPages : [...new Set(requestedPages)]
  const pageSelection = { openedPdf, pages, outDir: work.outDir }
  const file = await convertPages(pageSelection, work, tools)
  return { files: [file], details: { pages: pages.length } }
}

/** Targets that store all pages in one file, in which a page may appear twice; other targets have a file per page. */
const singleFileTargets: readonly FormatId[] = ['tiff', 'ps']

async function convertPages(
  pageSelection: PageSelection,
  work: EngineWork,
  tools: Tools,
): Promise<OutputFile> {
  switch (work.to) {
    case 'ps':
      return toPostScript(pageSelection, tools)
    case 'eps':
      return toEpsFiles(pageSelection, tools)
    case 'jpg':
    case 'png':
    case 'tiff':
      return toPageImages(work.to, pageSelection, work.options, tools)
    default:
      throw new Error(`Ghostscript does not support the target ${work.to}.`)
  }
}

async function toPostScript({ openedPdf, pages, outDir }: PageSelection, tools: Tools): Promise<OutputFile> {
  const path = join(outDir, 'output.ps')
  // Lets qpdf arrange the pages, because pdftops can only write pages in ascending order.
  const orderedPdfPath = join(tools.workDir, 'ordered.pdf')
  const pageSelectionArgs = ['--empty', '--pages', openedPdf.path, pages.join(','), '--', orderedPdfPath]
  await tools.exec('qpdf', pageSelectionArgs, { okCodes: [0, 3] })
  await writePostScript(orderedPdfPath, path, undefined, tools)
  return { path }
}

/** Writes one file per page, because an EPS contains a single drawing. */
async function toEpsFiles({ openedPdf, pages, outDir }: PageSelection, tools: Tools): Promise<OutputFile> {
  const files = []
  for (const page of new Set(pages)) {
    const path = join(outDir, createPageFileName(page, openedPdf.sizes.length, 'eps'))
    await writePostScript(openedPdf.path, path, page, tools)
    files.push({ page, path })
    tools.progress((files.length / pages.length) * 0.95, 'pages')
  }
  const [onlyFile] = files
  if (onlyFile && files.length === 1) return { path: onlyFile.path }
  files.sort((a, b) => a.page - b.page)
  return { path: await packPages(outDir, files, { format: 'eps' }), format: 'zip' }
}
