import { open } from 'node:fs/promises'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { BrowserRefusal } from './cdp-pipe.ts'
import { evaluate } from './evaluate.ts'
import { buildHeaderFooterHtml } from './header-footer.ts'
import type { BrowserPage, PageSize } from './page.ts'
import {
  buildPageRules,
  computeLandscapeGain,
  computeWindowWidth,
  createMarginTooLargeError,
  defaultPaperParams,
  PagePaper,
  PrintOptions,
} from './paper.ts'
import { setPdfAuthor } from './pdf-author.ts'

const maxPdfBytes = 1024 ** 3

interface PrintSetup {
  /** Paper size in inches. If set, the page is printed without margins. */
  readonly paper?: PageSize | undefined
  /** Default margin in hundredths of a millimeter. If omitted, the browser's default is used. */
  readonly margin?: number | undefined
}

/** Prints the page to a tagged PDF with an outline of the headings. */
export async function printToPdf(
  page: BrowserPage,
  path: string,
  raw: unknown,
  { paper, margin }: PrintSetup = {},
): Promise<void> {
  const options = PrintOptions.parse(raw)
  const { headerText, footerText, printBackground, scale } = options
  const result = await page
    .call(z.looseObject({ stream: z.string() }), 'Page.printToPDF', {
      transferMode: 'ReturnAsStream',
      printBackground,
      scale,
      ...(paper ? removeMargins(paper) : await buildPaperParams(page, options, margin)),
      displayHeaderFooter: headerText !== undefined || footerText !== undefined,
      headerTemplate: buildHeaderFooterHtml(headerText),
      footerTemplate: buildHeaderFooterHtml(footerText),
      generateTaggedPDF: true,
      generateDocumentOutline: true,
    })
    .catch((error: unknown) => {
      throw error instanceof BrowserRefusal && /print parameters|content area/i.test(error.message)
        ? createMarginTooLargeError(error)
        : error
    })
  await saveStream(page, result.stream, path)
  await setPdfAuthor(path, (await evaluate(page.call, z.string(), ['fit', 'author'], {})).slice(0, 300))
}

const removeMargins = ({ width, height }: PageSize) => ({
  paperWidth: width,
  paperHeight: height,
  marginTop: 0,
  marginRight: 0,
  marginBottom: 0,
  marginLeft: 0,
})

/** Lays the page out at the printed width and shrinks content that would overflow. */
async function layOutForPrint(page: BrowserPage, options: PrintOptions, margin?: number): Promise<PagePaper> {
  await page.call(z.object({}), 'Emulation.setEmulatedMedia', { media: 'print' })
  const pagePaper = await evaluate(page.call, PagePaper, ['fit', 'paper'], {})
  const windowMetrics = {
    width: computeWindowWidth(options, pagePaper, margin),
    height: 1024,
    deviceScaleFactor: 1,
    mobile: false,
  }
  await page.call(z.object({}), 'Emulation.setDeviceMetricsOverride', windowMetrics)
  const landscapePixels = computeLandscapeGain(options, pagePaper)
  await evaluate(page.call, z.number(), ['fit', 'fit'], { landscapePixels })
  return pagePaper
}

async function buildPaperParams(page: BrowserPage, options: PrintOptions, margin?: number) {
  const pagePaper = await layOutForPrint(page, options, margin)
  const rules = buildPageRules(options, pagePaper, margin)
  if (rules.length > 0) await addPageRule(page, rules)
  return { preferCSSPageSize: true, ...defaultPaperParams }
}

/** Uses a constructed style sheet, which a content security policy of the page does not block. */
async function addPageRule(page: BrowserPage, rules: readonly string[]): Promise<void> {
  const text = JSON.stringify(`@page { ${rules.join(' ')} }`)
  const expression = `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${text}); document.adoptedStyleSheets.push(sheet) }`
  await page.call(z.looseObject({}), 'Runtime.evaluate', { expression })
}

async function saveStream(page: BrowserPage, handle: string, path: string): Promise<void> {
  const Chunk = z.looseObject({
    data: z.string(),
    base64Encoded: z.boolean().default(false),
    eof: z.boolean(),
  })
  await using file = await open(path, 'w')
  let size = 0
  for (;;) {
    const chunk = await page.call(Chunk, 'IO.read', { handle, size: 1024 * 1024 })
    const bytes = Buffer.from(chunk.data, chunk.base64Encoded ? 'base64' : 'utf8')
    size += bytes.length
    if (size > maxPdfBytes) throw new AppError('CONVERSION_FAILED', 'The PDF would be larger than 1 GB.')
    await file.write(bytes)
    if (chunk.eof) return
  }
}
