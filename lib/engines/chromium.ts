import { isAscii } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { FormatId } from '../formats/index.ts'
import { createBrowser } from './chromium/browser.ts'
import { BrowserCrash } from './chromium/cdp-pipe.ts'
import { evaluate } from './chromium/evaluate.ts'
import { nowhere, type Page, type PageArea, type PageSource, pageJob } from './chromium/page.ts'
import { bookMargin, PrintOptions, sheetOf } from './chromium/paper.ts'
import { print } from './chromium/print.ts'
import { type Photo, type PictureTarget, photograph, pictureOptions, viewOf } from './chromium/screenshot.ts'
import {
  damagedDrawing,
  drawingAsPicture,
  drawingOptions,
  isDrawing,
  pageWith,
  sizeByLibrsvg,
  sizeOnPage,
} from './chromium/svg-page.ts'
import { readWebArchive } from './chromium/web-archive.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { thumbnailRows } from './image/thumbnail-options.ts'
import { encoding } from './text/charsets.ts'
import type { Charset } from './text/detect-charset.ts'
import { charsetOfFile } from './text/read-text.ts'
import { readingAny } from './text/text-options.ts'

const webPages = ['html', 'mhtml'] as const satisfies readonly FormatId[]
const drawings = ['svg', 'svgz'] as const satisfies readonly FormatId[]

const row = (from: readonly FormatId[], to: FormatId, options: z.ZodObject, cost: number): Capability => ({
  operation: 'convert',
  from,
  to: [to],
  options,
  cost,
})

/**
 * Warm seconds. Printed, a page is below what the office makes of a document of the same text, so that marked up text goes
 * this way; a book is a little above, so that no other text becomes one first.
 */
const cost = { print: 0.25, book: 0.34 }

/** For drawings above those of librsvg, which is faster; it shows those that hold more than that one knows. */
const capabilities: readonly Capability[] = [
  row(webPages, 'pdf', PrintOptions, cost.print),
  row(['epub'], 'pdf', PrintOptions, cost.book),
  row(webPages, 'png', pictureOptions.png, 0.4),
  row(webPages, 'jpg', pictureOptions.jpg, 0.4),
  row(webPages, 'webp', pictureOptions.webp, 0.4),
  row(drawings, 'pdf', z.object({}), 0.8),
  row(drawings, 'png', drawingOptions('png'), 0.8),
  row(drawings, 'jpg', drawingOptions('jpg'), 0.8),
  row(drawings, 'webp', drawingOptions('webp'), 0.8),
  ...thumbnailRows(drawings, {}, 0.8),
  // A web page archive says of each of its parts how it is encoded.
].flatMap(readingAny(['html']))

const limits = { memoryMb: 3008, diskMb: 2048, timeoutS: 120 }

/** Larger ones would not fit through the pipe in one piece. */
const maxPageBytes = 128 * 1024 * 1024

/** `baseDir` is where the browser's own folder goes; best on the disk of the work folders. */
export function createChromium({ baseDir = tmpdir() }: { readonly baseDir?: string } = {}): Engine {
  const browser = createBrowser(baseDir)
  return {
    id: 'chromium',
    image: 'browser',
    capabilities,
    limits,
    version: ['chromium', '--version'],
    warm: () => browser.warm(),
    close: () => browser.close(),
    async run(work, tools) {
      const [input] = work.inputs
      if (!input) throw new Error('Chromium was called without an input.')
      const source = await sourceOf(input, work, tools)
      const limit = AbortSignal.timeout(limits.timeoutS * 1000)
      const job = pageJob(source, viewFor(work), (page) => convert(page, work, tools))
      tools.progress(0.1)
      try {
        const result = await browser.run(job, AbortSignal.any([tools.signal, limit]))
        tools.progress(1)
        return result
      } catch (error) {
        if (limit.aborted && !tools.signal.aborted) throw timedOut(error)
        throw error instanceof BrowserCrash ? crashed(work, error) : error
      }
    },
  }
}

export const chromium = createChromium()

/** The window; a drawing is shown alone, at its own size, whatever that is. */
function viewFor({ from, to, options }: EngineWork) {
  return to === 'pdf' || isDrawing(from) ? { width: 1280, height: 1024, scale: 1 } : viewOf(options)
}

async function sourceOf(input: InputFile, work: EngineWork, tools: Tools): Promise<PageSource> {
  const { to, options } = work
  const { path, filename, format, size } = input
  // Of a book only its documents go through whole.
  if (format !== 'epub' && size > maxPageBytes) {
    const sentence = `The page is larger than ${maxPageBytes / 1024 ** 2} MB, too large to be shown.`
    throw new AppError('FILE_TOO_LARGE', sentence, { maxBytes: maxPageBytes })
  }
  const title = parse(filename).name
  if (format === 'epub') {
    // Reading books takes an XML parser that nothing else here needs.
    const { bookSource } = await import('./chromium/ebook-page.ts')
    return bookSource(input, title, sheetOf(options, bookMargin))
  }
  const bytes = await readFile(path)
  if (format === 'mhtml') {
    const { parts, isWhole, ...archive } = readWebArchive(bytes, nowhere) ?? noPage()
    if (!isWhole)
      tools.warn('MAY_BE_DAMAGED', 'The web page archive has no end: look whether anything is missing.')
    return { title, ...archive, part: (key) => parts.get(key) }
  }
  if (!isDrawing(format)) {
    const { encoding: named } = z.object({ encoding }).parse(options)
    const charset = await charsetOfFile(input, named, tools)
    return { title, url: nowhere, page: { bytes, contentType: typeOfPage(bytes, charset) } }
  }
  const svg = format === 'svgz' ? await unpacked(bytes) : bytes
  // On paper it has the size that it says, in inches.
  const page = pageWith(svg, to === 'pdf' ? undefined : await sizeByLibrsvg(input, tools))
  return { title, url: nowhere, page: { bytes: page, contentType: 'text/html; charset=utf-8' } }
}

function noPage(): never {
  const sentence = 'The web page archive is damaged: there is no page in it.'
  throw new AppError('CORRUPT_FILE', sentence, { field: 'file', format: 'mhtml' })
}

/** What is in plain letters alone, and what says how it is encoded, is left to the browser. */
function typeOfPage(bytes: Buffer, { name, by }: Charset): string {
  const isXml = /^\s*<\?xml\b/.test(bytes.toString('latin1', 0, 200))
  const type = isXml ? 'application/xhtml+xml' : 'text/html'
  // Letters of 16 bits may all be bytes of ASCII.
  const isPlain = by === 'bytes' && name === 'utf-8' && isAscii(bytes)
  return isPlain || by === 'declaration' ? type : `${type}; charset=${name}`
}

async function unpacked(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: maxPageBytes })
  } catch (cause) {
    throw damagedDrawing(cause)
  }
}

async function convert(page: Page, work: EngineWork, tools: Tools): Promise<EngineResult> {
  tools.progress(0.5, 'loaded')
  const { from, to, outDir, options } = work
  const path = join(outDir, `output.${to}`)
  if (isDrawing(from) && to !== 'pdf') return drawingAsPicture(page, work, tools)
  let unseen = ''
  if (to === 'pdf') {
    const margin = from === 'epub' ? bookMargin : undefined
    const sheet = isDrawing(from) ? inInches(await sizeOnPage(page)) : undefined
    await print(page, path, options, { sheet, margin })
    if (!isDrawing(from)) unseen = await evaluate(page.call, z.string(), ['unseen', 'unseen'], {})
  }
  // Declared above.
  else await toPicture(page, { to: to as PictureTarget, path, options }, tools)
  if (page.missing > 0) {
    const files = page.missing === 1 ? 'One linked file was' : `${page.missing} linked files were`
    tools.warn('LINKS_DROPPED', `${files} not loaded: a page is converted alone, without the network.`)
  }
  return { files: [{ path }], ...(unseen !== '' && { hiddenText: unseen }) }
}

async function toPicture(page: Page, photo: Photo, tools: Tools): Promise<void> {
  const { height, cut } = await photograph(page, photo)
  if (!cut) return
  const sentence = `The picture ends after ${height} pixels; the page is longer. A PDF holds all.`
  tools.warn('PAGE_CUT', sentence)
}

const inInches = ({ width, height }: PageArea): PageArea => ({ width: width / 96, height: height / 96 })

function timedOut(cause: unknown): AppError {
  const sentence = `The page took longer than the limit of ${limits.timeoutS} seconds. Send a smaller one, or a part of it.`
  return new AppError('TIMEOUT', sentence, { timeoutS: limits.timeoutS }, { cause })
}

function crashed({ from, to }: EngineWork, cause: Error): AppError {
  const sentence = `The page could not be converted to ${to}: it crashes the browser.`
  return new AppError('CONVERSION_FAILED', sentence, { from, to }, { cause })
}
