import { open } from 'node:fs/promises'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { BrowserRefusal } from './cdp-pipe.ts'
import { evaluate } from './evaluate.ts'
import type { Page, PageArea } from './page.ts'
import { noRoom, OwnPaper, PrintOptions, pageRules, usualPaper, windowWidth } from './paper.ts'
import { nameAuthor } from './pdf-author.ts'
import { runningText } from './header-footer.ts'

const maxPdfBytes = 1024 ** 3

interface Printing {
  /** A sheet of this size and nothing around the page; inches. */
  readonly sheet?: PageArea | undefined
  /** Space at each side where nobody says anything, in hundredths of a millimeter; that of the browser when left out. */
  readonly margin?: number | undefined
}

/** Prints to a PDF with tags and an outline from the headings. */
export async function print(
  page: Page,
  path: string,
  raw: unknown,
  { sheet, margin }: Printing = {},
): Promise<void> {
  const options = PrintOptions.parse(raw)
  const { headerText, footerText, printBackground, scale } = options
  const result = await page
    .call(z.looseObject({ stream: z.string() }), 'Page.printToPDF', {
      transferMode: 'ReturnAsStream',
      printBackground,
      scale,
      ...(sheet ? onPaper(sheet) : await paperOf(page, options, margin)),
      displayHeaderFooter: headerText !== undefined || footerText !== undefined,
      headerTemplate: runningText(headerText),
      footerTemplate: runningText(footerText),
      generateTaggedPDF: true,
      generateDocumentOutline: true,
    })
    .catch((error: unknown) => {
      throw error instanceof BrowserRefusal && /print parameters|content area/i.test(error.message)
        ? noRoom(error)
        : error
    })
  await save(page, result.stream, path)
  await nameAuthor(path, (await evaluate(page.call, z.string(), ['fit', 'author'], {})).slice(0, 300))
}

const onPaper = ({ width, height }: PageArea) => ({
  ...{ paperWidth: width, paperHeight: height },
  ...{ marginTop: 0, marginRight: 0, marginBottom: 0, marginLeft: 0 },
})

/** Lays the page out as wide as it is printed, and makes what sticks out fit. */
async function fit(page: Page, options: PrintOptions, margin?: number): Promise<OwnPaper> {
  await page.call(z.object({}), 'Emulation.setEmulatedMedia', { media: 'print' })
  const own = await evaluate(page.call, OwnPaper, ['fit', 'paper'], {})
  const window = {
    width: windowWidth(options, own, margin),
    ...{ height: 1024, deviceScaleFactor: 1, mobile: false },
  }
  await page.call(z.object({}), 'Emulation.setDeviceMetricsOverride', window)
  await evaluate(page.call, z.number(), ['fit', 'fit'], {})
  return own
}

async function paperOf(page: Page, options: PrintOptions, margin?: number) {
  const own = await fit(page, options, margin)
  const rules = pageRules(options, own, margin)
  if (rules.length > 0) await addPageRule(page, rules)
  return { preferCSSPageSize: true, ...usualPaper }
}

/** As a sheet that is made, not loaded: a policy of the page does not keep it out. */
async function addPageRule(page: Page, rules: readonly string[]): Promise<void> {
  const text = JSON.stringify(`@page { ${rules.join(' ')} }`)
  const expression = `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${text}); document.adoptedStyleSheets.push(sheet) }`
  await page.call(z.looseObject({}), 'Runtime.evaluate', { expression })
}

async function save(page: Page, handle: string, path: string): Promise<void> {
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
