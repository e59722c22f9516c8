import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import type {
  Capability,
  Chunk,
  ChunkResult,
  Engine,
  EngineResult,
  EngineWork,
  InputFile,
  OutputFile,
  Tools,
  WorkerPool,
} from './engine.ts'
import { drawnColorSpace, drawnGray, jpegQuality } from './image/options.ts'
import { metadataRows } from './metadata/capabilities.ts'
import { flag, integer, quality } from './options.ts'
import { mayShare, pagesOfShare, sharesOf } from './pdf/chunks.ts'
import { docxCapability, pdfToDocx } from './pdf/docx/convert.ts'
import { readablePictures } from './pdf/ocr/image-to-pdf.ts'
import { ocr, runOcr, runOcrShare, splitOcr } from './pdf/ocr.ts'
import { type OpenPdf, openPdf } from './pdf/open-pdf.ts'
import { joinPages } from './pdf/pack-pages.ts'
import { openShape, type PageSelection, resolutionShape } from './pdf/page-options.ts'
import { pagesOf } from './pdf/page-range.ts'
import { toJpeg, toPictures, toSvg, toTiff } from './pdf/pages-to-images.ts'
import { sheetsCapability } from './pdf/sheets/capability.ts'
import { slidesCapability } from './pdf/slides/capability.ts'
import { toText } from './pdf/text.ts'
import { pageThumbnailRows, thumbnailPages } from './pdf/thumbnail.ts'
import { pdfTools } from './pdf/tools/capabilities.ts'
import { isXps, xpsCapability, xpsToPdf } from './pdf/xps.ts'
import { untilAborted } from './sandbox/until-aborted.ts'

const drawShape = {
  ...openShape,
  ...resolutionShape,
  colorSpace: drawnGray,
}
const draw = z.object(drawShape)
const drawInColor = draw.extend({ colorSpace: drawnColorSpace })

const options = {
  jpg: drawInColor.extend({
    quality: quality.optional(),
    jpegQuality,
    progressive: flag().default(false).describe('Shows coarse at first, then finer while it loads.'),
  }),
  png: drawInColor.extend({
    compressionLevel: integer(0, 9).optional().describe('0 is fastest, 9 smallest; the pixels are the same.'),
    palette: flag().optional().describe('At most 256 colors: much smaller, not exact.'),
  }),
  webp: drawInColor.extend({ quality: quality.optional() }),
  avif: drawInColor.extend({ quality: quality.optional() }),
  tiff: draw,
  svg: z.object(openShape),
  txt: z.object(openShape),
} as const

const capability = (to: FormatId, schema: z.ZodObject, cost: number): Capability => ({
  operation: 'convert',
  from: ['pdf'],
  to: [to],
  options: schema,
  cost,
})

/** What else is converted here from pictures is their text. */
const isOcr = ({ operation, from }: Pick<EngineWork, 'operation' | 'from'>) =>
  operation === 'ocr-pdf' || (operation === 'convert' && readablePictures.some((id) => id === from))

/** Pages of a PDF as pictures, text and Word documents, text in pictures, XPS, and the tools that change a PDF. */
export const pdf: Engine = {
  id: 'pdf',
  image: 'pdf',
  capabilities: [
    capability('jpg', options.jpg, 0.2),
    capability('png', options.png, 0.4),
    capability('webp', options.webp, 0.4),
    capability('avif', options.avif, 1),
    capability('tiff', options.tiff, 0.4),
    capability('svg', options.svg, 0.3),
    capability('txt', options.txt, 0.1),
    docxCapability,
    sheetsCapability,
    slidesCapability,
    xpsCapability,
    ...ocr,
    ...pageThumbnailRows,
    ...pdfTools,
    ...metadataRows,
  ],
  limits: { memoryMb: 3008, diskMb: 4096, timeoutS: 600 },
  version: ['pdftoppm', '-v'],
  run,
  split,
  join,
  joinNeedsInputs: isOcr,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  // Loaded when wanted, as are the tools below: the planner and the API know them and never run one.
  if (work.operation === 'metadata') {
    const { readMetadata } = await import('./metadata/read.ts')
    return untilAborted(readMetadata(work, tools), tools.signal)
  }
  if (work.operation === 'metadata/write') {
    const { writeMetadata } = await import('./metadata/write.ts')
    return untilAborted(writeMetadata(work, tools), tools.signal)
  }
  if (isXps(work.from)) return untilAborted(xpsToPdf(work, tools), tools.signal)
  if (isOcr(work)) {
    return untilAborted(work.chunk ? runOcrShare(work, tools) : runOcr(work, tools), tools.signal)
  }
  if (work.operation === 'thumbnail') return untilAborted(thumbnailPages(work, tools), tools.signal)
  if (work.operation !== 'convert') {
    // Loaded when a tool is wanted: the planner and the API know them and never run one.
    const { runPdfTool } = await import('./pdf/tools/run.ts')
    return untilAborted(runPdfTool(work, tools), tools.signal)
  }
  if (work.to === 'xlsx' || work.to === 'csv') {
    const { pdfToSheets } = await import('./pdf/sheets/convert.ts')
    return untilAborted(pdfToSheets(work, tools), tools.signal)
  }
  if (work.to === 'pptx') {
    const { pdfToSlides } = await import('./pdf/slides/convert.ts')
    return untilAborted(pdfToSlides(work, tools), tools.signal)
  }
  if (work.to === 'docx') return untilAborted(pdfToDocx(work, tools), tools.signal)
  const { opened, pages } = await openPages(work, tools)
  const selection = {
    ...{ opened, outDir: work.outDir, total: pages.length },
    pages: pagesOfShare(pages, work.chunk),
  }
  const file = await untilAborted(convert(selection, work, tools), tools.signal)
  tools.progress(1)
  return { files: [file], details: { pages: pages.length } }
}

/** What `split` has looked into, for `run` when it was not split. */
const openedBefore = new WeakMap<InputFile, OpenPdf>()

async function openPages(work: EngineWork, tools: Tools): Promise<{ opened: OpenPdf; pages: number[] }> {
  const [input] = work.inputs
  if (!input) throw new Error('pdf was called without an input.')
  const { pages: range, password } = z.object(openShape).parse(work.options)
  const opened = openedBefore.get(input) ?? (await openPdf(input.path, password, tools))
  openedBefore.set(input, opened)
  const pages = pagesOf(range, opened.sizes.length)
  return { opened, pages: joined.includes(work.to) ? pages : [...new Set(pages)] }
}

/** One file of all pages, in which a page may stand twice; elsewhere each page is a file. */
const joined: readonly FormatId[] = ['tiff', 'txt']

async function split(
  work: EngineWork,
  tools: Tools,
  crew: WorkerPool,
): Promise<readonly Chunk[] | undefined> {
  const { operation, from, to } = work
  const { workers } = crew
  if (isOcr(work)) return untilAborted(splitOcr(work, tools, crew), tools.signal)
  if (operation !== 'convert' || from !== 'pdf' || !mayShare(to, workers)) return undefined
  const { opened, pages } = await openPages(work, tools)
  const drawing = z.object(resolutionShape).partial().parse(work.options)
  return sharesOf(opened, pages, to, drawing, workers)?.map((spec) => ({ spec }))
}

async function join(work: EngineWork, results: readonly ChunkResult[], tools: Tools): Promise<EngineResult> {
  if (isOcr(work)) return untilAborted(runOcr(work, tools, results), tools.signal)
  const archives = results.flatMap(({ files }) => files.map(({ path }) => path))
  const path = await untilAborted(joinPages(work.outDir, archives), tools.signal)
  const details = results[0]?.details
  return { files: [{ path, format: 'zip' }], ...(details && { details }) }
}

function convert(
  selection: PageSelection,
  { to, options: given }: EngineWork,
  tools: Tools,
): Promise<OutputFile> {
  switch (to) {
    case 'txt':
      return toText(selection, tools)
    case 'svg':
      return toSvg(selection, tools)
    case 'tiff':
      return toTiff(selection, options.tiff.parse(given), tools)
    case 'jpg':
      return toJpeg(selection, options.jpg.parse(given), tools)
    case 'png':
      return toPictures('png', selection, options.png.parse(given), tools)
    case 'webp':
      return toPictures('webp', selection, options.webp.parse(given), tools)
    case 'avif':
      return toPictures('avif', selection, options.avif.parse(given), tools)
    default:
      throw new Error(`pdf was asked for ${to}, which it does not declare.`)
  }
}
