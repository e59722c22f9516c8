import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import { defined } from '../validation/defined.ts'
import type {
  Capability,
  Chunk,
  ChunkResult,
  Engine,
  EngineResult,
  EngineWork,
  OutputFile,
  Tools,
  WorkerPool,
} from './engine.ts'
import { flag, integer, quality } from './options.ts'
import { canSplit, selectChunkPages, splitPdfIntoChunks } from './pdf/chunks.ts'
import { docxCapability, pdfToDocx } from './pdf/docx/convert.ts'
import { ocrImageFormats } from './pdf/ocr/image-to-pdf.ts'
import { ocrCapabilities, runOcr, runOcrChunk, splitOcr } from './pdf/ocr.ts'
import { type OpenPdf, openPdf } from './pdf/open-pdf.ts'
import { joinPageArchives } from './pdf/pack-pages.ts'
import { openPdfOptionShape, type PageSelection, resolutionOptionShape } from './pdf/page-options.ts'
import { resolvePages } from './pdf/page-range.ts'
import { toImages, toJpeg, toSvg, toTiff } from './pdf/pages-to-images.ts'
import { sheetsCapability } from './pdf/sheets/capability.ts'
import { slidesCapability } from './pdf/slides/capability.ts'
import { toText } from './pdf/text.ts'
import { pageThumbnailCapabilities, renderPageThumbnails } from './pdf/thumbnail.ts'
import { pdfToolCapabilities } from './pdf/tools/capabilities.ts'
import { isXps, xpsCapability, xpsToPdf } from './pdf/xps.ts'
import { rejectWhenAborted } from './sandbox/until-aborted.ts'
import { jpegQuality, renderedColorSpace, renderedColorSpaceWithoutProfile } from './shared/image/options.ts'
import { LastFile } from './shared/last-file.ts'
import { metadataCapabilities } from './shared/metadata/capabilities.ts'

const rasterOptionShape = {
  ...openPdfOptionShape,
  ...resolutionOptionShape,
  colorSpace: renderedColorSpaceWithoutProfile,
}
const RasterOptions = z.object(rasterOptionShape)
const ColorRasterOptions = RasterOptions.extend({ colorSpace: renderedColorSpace })

const targetOptions = {
  jpg: ColorRasterOptions.extend({
    quality: quality.optional(),
    jpegQuality,
    progressive: flag()
      .default(false)
      .describe('The image appears coarse at first and sharpens while it loads.'),
  }),
  png: ColorRasterOptions.extend({
    compressionLevel: integer(0, 9)
      .optional()
      .describe('0 is fastest, 9 makes the smallest file; the pixels do not change.'),
    palette: flag()
      .optional()
      .describe(
        'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.',
      ),
  }),
  webp: ColorRasterOptions.extend({ quality: quality.optional() }),
  avif: ColorRasterOptions.extend({ quality: quality.optional() }),
  tiff: RasterOptions,
  svg: z.object(openPdfOptionShape),
  txt: z.object(openPdfOptionShape),
} as const

const createCapability = (to: FormatId, schema: z.ZodObject, cost: number): Capability => ({
  operation: 'convert',
  from: ['pdf'],
  to: [to],
  options: schema,
  cost,
})

/** Whether the work is OCR: this engine converts images only by reading their text. */
const isOcr = ({ operation, from }: Pick<EngineWork, 'operation' | 'from'>) =>
  operation === 'ocr-pdf' || (operation === 'convert' && ocrImageFormats.some((id) => id === from))

/**
 * Converts PDF pages to images, text and office documents, recognizes text, reads XPS, and runs the tools that change a
 * PDF.
 */
export const pdf: Engine = {
  id: 'pdf',
  image: 'pdf',
  capabilities: [
    createCapability('jpg', targetOptions.jpg, 0.2),
    createCapability('png', targetOptions.png, 0.4),
    createCapability('webp', targetOptions.webp, 0.4),
    createCapability('avif', targetOptions.avif, 1),
    createCapability('tiff', targetOptions.tiff, 0.4),
    createCapability('svg', targetOptions.svg, 0.3),
    createCapability('txt', targetOptions.txt, 0.1),
    docxCapability,
    sheetsCapability,
    slidesCapability,
    xpsCapability,
    ...ocrCapabilities,
    ...pageThumbnailCapabilities,
    ...pdfToolCapabilities,
    ...metadataCapabilities,
  ],
  limits: { memoryMb: 3008, diskMb: 4096, timeoutS: 600 },
  version: ['pdftoppm', '-v'],
  run,
  split,
  join,
  joinNeedsInputs: isOcr,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  // Modules are imported on demand here, because the planner and the API import this engine but never run it.
  if (work.operation === 'metadata') {
    const { readMetadataAsJson: readMetadata } = await import('./shared/metadata/read.ts')
    return rejectWhenAborted(readMetadata(work, tools), tools.signal)
  }
  if (work.operation === 'metadata/write') {
    const { writeFileMetadata: writeMetadata } = await import('./shared/metadata/write.ts')
    return rejectWhenAborted(writeMetadata(work, tools), tools.signal)
  }
  if (isXps(work.from)) return rejectWhenAborted(xpsToPdf(work, tools), tools.signal)
  if (isOcr(work)) {
    return rejectWhenAborted(work.chunk ? runOcrChunk(work, tools) : runOcr(work, tools), tools.signal)
  }
  if (work.operation === 'thumbnail')
    return rejectWhenAborted(renderPageThumbnails(work, tools), tools.signal)
  if (work.operation !== 'convert') {
    // Imported on demand: the planner and the API never run a tool.
    const { runPdfTool } = await import('./pdf/tools/run.ts')
    return rejectWhenAborted(runPdfTool(work, tools), tools.signal)
  }
  if (work.to === 'xlsx' || work.to === 'csv') {
    const { pdfToSheets } = await import('./pdf/sheets/convert.ts')
    return rejectWhenAborted(pdfToSheets(work, tools), tools.signal)
  }
  if (work.to === 'pptx') {
    const { pdfToSlides } = await import('./pdf/slides/convert.ts')
    return rejectWhenAborted(pdfToSlides(work, tools), tools.signal)
  }
  if (work.to === 'docx') return rejectWhenAborted(pdfToDocx(work, tools), tools.signal)
  const { openedPdf, pages } = await openRequestedPages(work, tools)
  const selection = {
    openedPdf,
    outDir: work.outDir,
    total: pages.length,
    pages: selectChunkPages(pages, work.chunk),
  }
  const file = await rejectWhenAborted(convert(selection, work, tools), tools.signal)
  tools.progress(1)
  return { files: [file], details: { pages: pages.length } }
}

const lastPdf = new LastFile<OpenPdf>()

async function openRequestedPages(
  work: EngineWork,
  tools: Tools,
): Promise<{ openedPdf: OpenPdf; pages: number[] }> {
  const [input] = work.inputs
  if (!input) throw new Error('pdf was called without an input.')
  const { pages: range, password } = z.object(openPdfOptionShape).parse(work.options)
  const { path } = input
  const openedPdf = await lastPdf.read(
    path,
    () => openPdf(path, password, tools),
    // A decrypted copy is not reused, because it is deleted with its step.
    (pdf) => pdf.path === path,
  )
  const pages = resolvePages(range, openedPdf.sizes.length)
  return { openedPdf, pages: singleFileTargets.includes(work.to) ? pages : [...new Set(pages)] }
}

/** Targets that store all pages in one file, in which a page may appear twice; other targets have a file per page. */
const singleFileTargets: readonly FormatId[] = ['tiff', 'txt']

async function split(
  work: EngineWork,
  tools: Tools,
  pool: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  const { operation, from, to } = work
  const { workers } = pool
  if (isOcr(work)) return rejectWhenAborted(splitOcr(work, tools, pool), tools.signal)
  if (operation !== 'convert' || from !== 'pdf' || !canSplit(to, workers)) return undefined
  const { openedPdf, pages } = await openRequestedPages(work, tools)
  const resolution = z.object(resolutionOptionShape).partial().parse(work.options)
  return splitPdfIntoChunks(openedPdf, pages, to, resolution, workers)?.map((spec) => ({ spec }))
}

async function join(work: EngineWork, results: readonly ChunkResult[], tools: Tools): Promise<EngineResult> {
  if (isOcr(work)) return rejectWhenAborted(runOcr(work, tools, results), tools.signal)
  const archivePaths = results.flatMap(({ files }) => files.map(({ path }) => path))
  const path = await rejectWhenAborted(joinPageArchives(work.outDir, archivePaths), tools.signal)
  const details = results[0]?.details
  return { files: [{ path, format: 'zip' }], ...defined({ details }) }
}

function convert(selection: PageSelection, { to, options }: EngineWork, tools: Tools): Promise<OutputFile> {
  switch (to) {
    case 'txt':
      return toText(selection, tools)
    case 'svg':
      return toSvg(selection, tools)
    case 'tiff':
      return toTiff(selection, targetOptions.tiff.parse(options), tools)
    case 'jpg':
      return toJpeg(selection, targetOptions.jpg.parse(options), tools)
    case 'png':
      return toImages('png', selection, targetOptions.png.parse(options), tools)
    case 'webp':
      return toImages('webp', selection, targetOptions.webp.parse(options), tools)
    case 'avif':
      return toImages('avif', selection, targetOptions.avif.parse(options), tools)
    default:
      throw new Error(`pdf does not support the target ${to}.`)
  }
}
