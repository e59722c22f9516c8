import { isAscii } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { FormatId } from '../formats/index.ts'
import { Browser } from './chromium/browser.ts'
import { BrowserCrash } from './chromium/cdp-pipe.ts'
import { EvaluationFailure, evaluate } from './chromium/evaluate.ts'
import { createBrowserHost } from './chromium/host.ts'
import { runInBrowser } from './chromium/hosted-browser.ts'
import { type BrowserPage, invalidUrl, type PageSize, type PageSource, showPage } from './chromium/page.ts'
import { ebookMargin, PrintOptions, parsePaperSheet } from './chromium/paper.ts'
import { printToPdf } from './chromium/print.ts'
import {
  parseScreenshotView,
  type ScreenshotRequest,
  type ScreenshotTarget,
  screenshotOptions,
  takeScreenshot,
} from './chromium/screenshot.ts'
import {
  buildDrawingPage,
  createCorruptDrawingError,
  createDrawingOptions,
  declaresSize,
  drawingToImage,
  isSvg,
  measureLayout,
  readLibrsvgSize,
} from './chromium/svg-page.ts'
import { readWebArchive } from './chromium/web-archive.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { flag, inputOption } from './options.ts'
import { warnAboutMissingFiles } from './shared/image/svg-references.ts'
import { createThumbnailRows } from './shared/image/thumbnail-options.ts'
import { encodingOption } from './shared/text/charsets.ts'
import type { Charset } from './shared/text/detect-charset.ts'
import { detectFileCharset } from './shared/text/read-text.ts'
import { withTextOptions } from './shared/text/text-options.ts'

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
 * Seconds in a warm process. Printing a page costs less than LibreOffice's conversion of the same text, so that
 * Chromium prints HTML. An ebook costs a little more, so that other text is not converted to an ebook first.
 */
const cost = { print: 0.25, book: 0.34 }

const pageScripts = flag()
  .default(true)
  .describe('Run the scripts of the page, such as those that draw charts. They have no network access.')
  .meta(inputOption)

/**
 * Adds options that only HTML needs: a web page archive declares its encodings, and its scripts had already run when it
 * was saved.
 */
const withPageOptions = (capability: Capability): Capability[] =>
  withTextOptions(['html'])(capability).map((splitCapability) =>
    splitCapability.from.includes('html')
      ? { ...splitCapability, options: splitCapability.options.extend({ scripts: pageScripts }) }
      : splitCapability,
  )

/**
 * Drawings cost more here than with librsvg, which is faster: the browser is for drawings with features that librsvg
 * lacks.
 */
const capabilities: readonly Capability[] = [
  row(webPages, 'pdf', PrintOptions, cost.print),
  row(['epub'], 'pdf', PrintOptions, cost.book),
  row(webPages, 'png', screenshotOptions.png, 0.4),
  row(webPages, 'jpg', screenshotOptions.jpg, 0.4),
  row(webPages, 'webp', screenshotOptions.webp, 0.4),
  row(drawings, 'pdf', z.object({}), 0.8),
  row(drawings, 'png', createDrawingOptions('png'), 0.8),
  row(drawings, 'jpg', createDrawingOptions('jpg'), 0.8),
  row(drawings, 'webp', createDrawingOptions('webp'), 0.8),
  ...createThumbnailRows(drawings, {}, 0.8),
].flatMap(withPageOptions)

const limits = { memoryMb: 3008, diskMb: 2048, timeoutS: 120 }

/** Larger pages do not fit in one message of the DevTools pipe. */
const maxPageBytes = 128 * 1024 * 1024

/** Creates the engine. @param baseDir parent of the browser's folder; best on the same disk as the work folders. */
export function createChromium({ baseDir = tmpdir() }: { readonly baseDir?: string } = {}): Engine {
  const browser = new Browser(baseDir)
  return {
    id: 'chromium',
    image: 'browser',
    capabilities,
    limits,
    version: ['chromium-headless-shell', '--version'],
    host: createBrowserHost(browser, limits),
    run,
    warm: () => browser.warm(),
    close: () => browser.close(),
  }
}

export const chromium = createChromium()

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('Chromium was called without an input.')
  const source = await createPageSource(input, work, tools)
  tools.progress(0.1)
  const convertSource = (shown: ShownPage) =>
    runInBrowser(
      (pipe) =>
        showPage(pipe, { ...shown, view: createPageView(work) }, (page) => convert(page, shown, work, tools)),
      tools.host,
      shown.runsScripts,
    )
  const convertInBrowser = (runsScripts: boolean) =>
    convertSource({ source, runsScripts }).catch((error: unknown) => {
      if (!(error instanceof XhtmlError)) throw error
      return convertSource({ source: toHtmlSource(source), runsScripts })
    })
  try {
    const result = mayRunScripts(input, work)
      ? await convertWithScripts(convertInBrowser, tools)
      : await convertInBrowser(false)
    tools.progress(1)
    return result
  } catch (error) {
    throw error instanceof BrowserCrash ? createCrashError(work, error) : error
  }
}

const allowsScripts = ({ options }: EngineWork) =>
  z.looseObject({ scripts: z.boolean().default(false) }).parse(options).scripts

/** Whether scripts may run: only in a file that the client sent, not in a page that an earlier step created. */
const mayRunScripts = ({ traits }: InputFile, work: EngineWork) =>
  traits?.includes('page-scripts') === true && allowsScripts(work)

/** Converts a page with scripts; if they break the browser, converts it without them. */
async function convertWithScripts(
  convertInBrowser: (runsScripts: boolean) => Promise<EngineResult>,
  tools: Tools,
): Promise<EngineResult> {
  try {
    return await convertInBrowser(true)
  } catch (error) {
    if (!(error instanceof BrowserCrash || error instanceof EvaluationFailure)) throw error
    const message =
      'The page was converted without its scripts, because they crash the browser, so what they draw or write is missing.'
    tools.warn('SCRIPTS_NOT_RUN', message)
    return convertInBrowser(false)
  }
}

/** Returns the view for a page. A drawing is shown alone and at its own size, whatever the size of the window is. */
function createPageView({ from, to, options }: EngineWork) {
  return to === 'pdf' || isSvg(from) ? { width: 1280, height: 1024, scale: 1 } : parseScreenshotView(options)
}

async function createPageSource(input: InputFile, work: EngineWork, tools: Tools): Promise<PageSource> {
  const { to, options } = work
  const { path, filename, format, size } = input
  // An ebook may be larger: its documents are sent one at a time.
  if (format !== 'epub' && size > maxPageBytes) {
    const message = `The page is larger than the limit of ${maxPageBytes / 1024 ** 2} MB.`
    throw new AppError('FILE_TOO_LARGE', message, { maxBytes: maxPageBytes })
  }
  const title = parse(filename).name
  if (format === 'epub') {
    // Loaded on first use: only ebooks need the XML parser.
    const { createEbookPageSource } = await import('./chromium/ebook-page.ts')
    return createEbookPageSource(input, title, parsePaperSheet(options, ebookMargin))
  }
  const bytes = await readFile(path)
  if (format === 'mhtml') {
    const { parts, isComplete, ...archive } = readWebArchive(bytes, invalidUrl) ?? throwMissingPage()
    if (!isComplete)
      tools.warn('MAY_BE_DAMAGED', 'The web page archive is truncated: check whether anything is missing.')
    return { title, ...archive, getPart: (key) => parts.get(key) }
  }
  if (!isSvg(format)) {
    const { encoding: requestedEncoding } = z.object({ encoding: encodingOption }).parse(options)
    const charset = await detectFileCharset(input, requestedEncoding, tools)
    return { title, url: invalidUrl, ...(await encodePage(bytes, charset)) }
  }
  const svg = format === 'svgz' ? await decompress(bytes) : bytes
  await warnAboutMissingFiles(svg, tools)
  // A PDF page takes the exact size that the drawing declares.
  const drawnSize = to === 'pdf' && declaresSize(svg) ? undefined : await readLibrsvgSize(input, tools)
  const page = buildDrawingPage(svg, drawnSize)
  return { title, url: invalidUrl, page: { bytes: page, contentType: 'text/html; charset=utf-8' } }
}

function throwMissingPage(): never {
  const message = 'The web page archive is damaged: it contains no page.'
  throw new AppError('CORRUPT_FILE', message, { field: 'file', format: 'mhtml' })
}

/** Number of bytes at the start of a page in which the root element must begin. */
const maxHeadBytes = 4096
const xhtmlNamespacePattern =
  /<(?:\w{1,40}:)?html\b[^<>]{0,2000}?\bxmlns(?::\w{1,40})?\s{0,9}=\s{0,9}["']http:\/\/www\.w3\.org\/1999\/xhtml["']/

/**
 * Returns the page with its encoding. Pages in encodings that browsers do not support, such as UTF-32, become UTF-8.
 */
async function encodePage(bytes: Buffer, charset: Charset): Promise<Pick<PageSource, 'page' | 'charset'>> {
  if (isBrowserCharset(charset.name))
    return { page: { bytes, contentType: detectContentType(bytes, charset) }, charset: charset.name }
  const { decodeText } = await import('./shared/text/decode.ts')
  const utf8Bytes = Buffer.from(decodeText(bytes, charset.name))
  const contentType = detectContentType(utf8Bytes, { name: 'utf-8', source: 'request' })
  return { page: { bytes: utf8Bytes, contentType }, charset: 'utf-8' }
}

/** Whether the Encoding Standard, which both Node and browsers implement, defines the encoding. */
function isBrowserCharset(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== ''
  } catch {
    return false
  }
}

/**
 * Returns the Content-Type of a page. The charset is omitted for pure ASCII and for pages that declare one, because the
 * browser detects it.
 */
function detectContentType(bytes: Buffer, { name, source }: Charset): string {
  const head = bytes.toString('latin1', 0, maxHeadBytes)
  // Without the namespace, elements have no meaning in XML; such pages are HTML with a needless declaration.
  const isXml = /^\s*<\?xml\b/.test(head) && xhtmlNamespacePattern.test(head)
  const type = isXml ? 'application/xhtml+xml' : 'text/html'
  // UTF-16 text can consist of ASCII bytes only.
  const isPureAscii = source === 'bytes' && name === 'utf-8' && isAscii(bytes)
  return isPureAscii || source === 'declaration' ? type : `${type}; charset=${name}`
}

/** A page that claims to be XHTML is not well-formed: the browser shows an error message in its place. */
class XhtmlError extends Error {
  override readonly name = 'XhtmlError'
}

/** @throws XhtmlError */
async function requireWellFormed(page: BrowserPage, { source }: ShownPage): Promise<void> {
  if (!source.page.contentType.startsWith('application/xhtml+xml')) return
  const expression = "document.querySelector('parsererror') !== null"
  const Reply = z.looseObject({ result: z.looseObject({ value: z.unknown().optional() }) })
  const { result } = await page.call(Reply, 'Runtime.evaluate', { expression, returnByValue: true })
  if (result.value === true) throw new XhtmlError('The page is not well-formed XHTML.')
}

/** Returns the page as HTML, whose parser accepts any text. */
const toHtmlSource = (source: PageSource): PageSource => ({
  ...source,
  page: { ...source.page, contentType: `text/html; charset=${source.charset ?? 'utf-8'}` },
})

async function decompress(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: maxPageBytes })
  } catch (cause) {
    throw createCorruptDrawingError(cause)
  }
}

interface ShownPage {
  readonly source: PageSource
  readonly runsScripts: boolean
}

async function convert(
  page: BrowserPage,
  shown: ShownPage,
  work: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  await requireWellFormed(page, shown)
  tools.progress(0.5, 'loaded')
  const { from, to, outDir, options } = work
  const path = join(outDir, `output.${to}`)
  if (isSvg(from) && to !== 'pdf') return drawingToImage(page, work, tools)
  let hiddenText = ''
  if (to === 'pdf') {
    const margin = from === 'epub' ? ebookMargin : undefined
    const paper = isSvg(from) ? toInches(await measureLayout(page)) : undefined
    if (isSvg(from)) await evaluate(page.call, z.unknown(), ['drawing', 'addLinks'], {})
    await printToPdf(page, path, options, { paper, margin })
    if (!isSvg(from)) hiddenText = await evaluate(page.call, z.string(), ['unseen', 'unseen'], {})
  }
  // Otherwise `to` is one of the declared image targets.
  else await captureImage(page, { to: to as ScreenshotTarget, path, options }, tools)
  if (shown.runsScripts) hiddenText += await findRemovedText(page, shown.source)
  else if (from === 'html' && allowsScripts(work) && (await isDrawnByScripts(page))) {
    const message = 'Scripts of the page did not run, so what they draw or write is missing.'
    tools.warn('SCRIPTS_NOT_RUN', message)
  }
  if (page.scriptsTimedOut) {
    const message =
      'Scripts of the page were stopped before they had finished. Check whether anything that they draw or write is missing.'
    tools.warn('SCRIPTS_STOPPED', message)
  }
  if (page.missingFileCount > 0) {
    const files =
      page.missingFileCount === 1 ? 'One linked file was' : `${page.missingFileCount} linked files were`
    tools.warn('LINKS_DROPPED', `${files} not loaded: pages are converted without network access.`, {
      count: page.missingFileCount,
    })
  }
  return { files: [{ path }], ...(hiddenText !== '' && { hiddenText: hiddenText }) }
}

/** Returns text of the file that its scripts have removed. The absence of this text from the result is not a loss. */
async function findRemovedText(page: BrowserPage, source: PageSource): Promise<string> {
  const { decodeText } = await import('./shared/text/decode.ts')
  const html = decodeText(source.page.bytes, source.charset ?? 'utf-8')
  return evaluate(page.call, z.string(), ['unseen', 'removed'], { html })
}

/** Whether content is missing because scripts did not run: the page has an empty canvas, or no text and no images. */
async function isDrawnByScripts(page: BrowserPage): Promise<boolean> {
  const expression =
    "document.scripts.length > 0 && (document.querySelector('canvas') !== null || (!document.querySelector('img, svg, video, object, embed, iframe, input, textarea') && !/\\S/.test(document.body?.innerText ?? '')))"
  // The expression fails in pages with elements whose names replace properties of `document`.
  const Reply = z.looseObject({ result: z.looseObject({ value: z.unknown().optional() }) })
  const { result } = await page.call(Reply, 'Runtime.evaluate', { expression, returnByValue: true })
  return result.value === true
}

async function captureImage(page: BrowserPage, request: ScreenshotRequest, tools: Tools): Promise<void> {
  const { height, isCut, exceedsWindow } = await takeScreenshot(page, request)
  if (exceedsWindow)
    tools.warn(
      'OPTION_NOT_HELD',
      `The image is ${height} pixels high, because fullPage captures the whole page. For the height of the window, send fullPage=false.`,
    )
  if (!isCut) return
  const message = `The image ends after ${height} pixels, but the page is longer. A PDF contains all of it.`
  tools.warn('PAGE_CUT', message)
}

const toInches = ({ width, height }: PageSize): PageSize => ({ width: width / 96, height: height / 96 })

function createCrashError({ from, to }: EngineWork, cause: Error): AppError {
  const message = `The page could not be converted to ${to} because it crashes the browser.`
  return new AppError('CONVERSION_FAILED', message, { from, to }, { cause })
}
