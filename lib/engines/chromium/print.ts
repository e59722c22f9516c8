import { open } from 'node:fs/promises'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type PageSetup, TextPdfOptions, textPageSetup } from '../libreoffice/page.ts'
import { decimal, flag } from '../options.ts'
import { nameAuthor } from './about.ts'
import { evaluate } from './evaluate.ts'
import type { Page, PageArea } from './page.ts'
import { BrowserRefusal } from './pipe.ts'

/** The same words as for other documents; the fonts of a web page are always embedded. */
export const PrintOptions = TextPdfOptions.omit({ embedAllFonts: true }).extend({
  printBackground: flag().default(true).describe('Print the colors and pictures behind the text too.'),
  scale: decimal(0.1, 2).default(1).describe('Size of the content on the page, 0.1 to 2.'),
})

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
  if (!sheet) await fit(page, options, margin ?? browserMargin)
  const result = await page
    .call(z.looseObject({ stream: z.string() }), 'Page.printToPDF', {
      transferMode: 'ReturnAsStream',
      printBackground,
      scale,
      ...(sheet ? onPaper(sheet) : await paperOf(page, options, margin)),
      displayHeaderFooter: headerText !== undefined || footerText !== undefined,
      headerTemplate: template(headerText),
      footerTemplate: template(footerText),
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

/** A4 upright, where nobody says anything. */
const usual = { short: 21_000, long: 29_700 }
/** Of a book, whose own are made for the screens of devices. */
export const bookMargin = 2000
/** 0.4 inches, as `Page.printToPDF` has it. */
const browserMargin = 1016

function paperSize({ short = usual.short, long = usual.long, landscape }: PageSetup) {
  return landscape ? { width: long, height: short } : { width: short, height: long }
}

/** Paper, and what the margins leave of it; millimeters. */
export interface Sheet {
  readonly paper: PageArea
  readonly area: PageArea
}

export function sheetOf(raw: unknown, margin: number): Sheet {
  const setup = textPageSetup({ ...PrintOptions.parse(raw), embedAllFonts: true })
  const { marginTop, marginRight, marginBottom, marginLeft } = setup
  const { width, height } = paperSize(setup)
  return {
    paper: { width: width / 100, height: height / 100 },
    area: {
      width: (width - (marginLeft ?? margin) - (marginRight ?? margin)) / 100,
      height: (height - (marginTop ?? margin) - (marginBottom ?? margin)) / 100,
    },
  }
}

const Paper = z.object({
  width: z.number().nullable(),
  left: z.number().nullable(),
  right: z.number().nullable(),
})

/** Lays the page out as wide as it is printed, and makes what sticks out fit. */
async function fit(page: Page, options: z.output<typeof PrintOptions>, margin: number): Promise<void> {
  const setup = textPageSetup({ ...options, embedAllFonts: true })
  await page.call(z.object({}), 'Emulation.setEmulatedMedia', { media: 'print' })
  const own = await evaluate(page.call, Paper, ['fit', 'paper'], {})
  const pixels = (length: number) => (length / 2540) * 96
  const side = (asked: number | undefined, said: number | null) =>
    asked === undefined ? (said ?? pixels(margin)) : pixels(asked)
  const asked = setup.short !== undefined || setup.landscape !== undefined
  const width = asked || own.width === null ? pixels(paperSize(setup).width) : own.width
  const room = (width - side(setup.marginLeft, own.left) - side(setup.marginRight, own.right)) / options.scale
  const window = { width: Math.max(100, Math.floor(room)), height: 1024, deviceScaleFactor: 1, mobile: false }
  await page.call(z.object({}), 'Emulation.setDeviceMetricsOverride', window)
  await evaluate(page.call, z.number(), ['fit', 'fit'], {})
}

/**
 * The page's own style sheet may name paper and margins, and comes before the parameters of a print; what the
 * client asks for has to come before both.
 */
async function paperOf(page: Page, options: z.output<typeof PrintOptions>, margin?: number) {
  const setup = textPageSetup({ ...options, embedAllFonts: true })
  const { width, height } = paperSize(setup)
  const margins = {
    top: setup.marginTop,
    right: setup.marginRight,
    bottom: setup.marginBottom,
    left: setup.marginLeft,
  }
  const rules = Object.entries(margins).flatMap(([side, length]) =>
    length === undefined ? [] : [`margin-${side}: ${length / 100}mm !important;`],
  )
  if (margin !== undefined) rules.unshift(`margin: ${margin / 100}mm;`)
  const { left = 0, right = 0, top = 0, bottom = 0 } = margins
  // The browser would go back to margins of its own.
  if (left + right >= width || top + bottom >= height) throw noRoom()
  if (setup.short !== undefined || setup.landscape !== undefined) {
    rules.push(`size: ${width / 100}mm ${height / 100}mm !important;`)
  }
  if (rules.length > 0) await addPageRule(page, rules)
  return { preferCSSPageSize: true, paperWidth: inches(usual.short), paperHeight: inches(usual.long) }
}

const inches = (hundredths: number) => hundredths / 2540

/** As a sheet that is made, not loaded: a policy of the page does not keep it out. */
async function addPageRule(page: Page, rules: readonly string[]): Promise<void> {
  const text = JSON.stringify(`@page { ${rules.join(' ')} }`)
  const expression = `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${text}); document.adoptedStyleSheets.push(sheet) }`
  await page.call(z.looseObject({}), 'Runtime.evaluate', { expression })
}

/** A little page of its own; words of the client are text in it and nothing else. */
function template(text = ''): string {
  const parts = text.split(/(\{page\}|\{pages\}|\{date\})/).map((part) => {
    switch (part) {
      case '{page}':
        return '<span class="pageNumber"></span>'
      case '{pages}':
        return '<span class="totalPages"></span>'
      case '{date}':
        return new Date().toISOString().slice(0, 10)
      default:
        return part.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
    }
  })
  return `<div style="width:100%;text-align:center;font:9px sans-serif;white-space:pre-wrap">${parts.join('')}</div>`
}

function noRoom(cause?: Error): AppError {
  const sentence = 'The margins leave no room on the page: choose smaller ones or a larger pageSize.'
  return new AppError('INVALID_INPUT', sentence, { field: 'marginTop' }, cause && { cause })
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
