import { open, writeFile } from 'node:fs/promises'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { TextPdfOptions, textPageSetup } from '../libreoffice/page.ts'
import { decimal, flag, integer, quality, qualityNumber } from '../options.ts'
import { scales } from '../picture/options.ts'
import type { Page } from './page.ts'
import { BrowserRefusal } from './pipe.ts'

/** The same words as for other documents; the fonts of a web page are always embedded. */
export const PrintOptions = TextPdfOptions.omit({ embedAllFonts: true }).extend({
  printBackground: flag().default(true).describe('Print the colors and pictures behind the text too.'),
  scale: decimal(0.1, 2).default(1).describe('Size of the content on the page, 0.1 to 2.'),
})

const ViewOptions = z.object({
  width: integer(16, 7680).default(1280).describe('Width of the window in pixels.'),
  height: integer(16, 7680).default(1024).describe('Height of the window in pixels.'),
  fullPage: flag().default(true).describe('Show the whole page, not only what fits into the window.'),
  scale: decimal(0.5, 4).default(1).describe('Pixels of the picture per pixel of the page, 0.5 to 4.'),
})

export const pictureOptions = {
  png: ViewOptions,
  jpg: ViewOptions.extend({ quality: quality.optional() }),
  webp: ViewOptions.extend({ quality: quality.optional() }),
} as const
export type PictureTarget = keyof typeof pictureOptions
export type View = z.output<typeof ViewOptions>

export const viewOf = (options: unknown): View => ViewOptions.parse(options)

const maxPdfBytes = 1024 ** 3

/** Of a sheet in inches, of a picture in pixels of the page; 96 of these are an inch. */
export interface PageArea {
  readonly width: number
  readonly height: number
}

/** Prints to a PDF with tags and an outline from the headings. */
export async function print(page: Page, path: string, raw: unknown, paper?: PageArea): Promise<void> {
  const options = PrintOptions.parse(raw)
  const { headerText, footerText, printBackground, scale } = options
  const result = await page
    .call(z.looseObject({ stream: z.string() }), 'Page.printToPDF', {
      transferMode: 'ReturnAsStream',
      printBackground,
      scale,
      ...(paper ? onPaper(paper) : await paperOf(page, options)),
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
}

const onPaper = ({ width, height }: PageArea) => ({
  ...{ paperWidth: width, paperHeight: height },
  ...{ marginTop: 0, marginRight: 0, marginBottom: 0, marginLeft: 0 },
})

/** A4 upright, where nobody says anything. */
const usual = { short: 21_000, long: 29_700 }

/**
 * The page's own style sheet may name paper and margins, and comes before the parameters of a print; what the
 * client asks for has to come before both.
 */
async function paperOf(page: Page, options: z.output<typeof PrintOptions>) {
  const setup = textPageSetup({ ...options, embedAllFonts: true })
  const { short = usual.short, long = usual.long, landscape } = setup
  const margins = {
    top: setup.marginTop,
    right: setup.marginRight,
    bottom: setup.marginBottom,
    left: setup.marginLeft,
  }
  const rules = Object.entries(margins).flatMap(([side, length]) =>
    length === undefined ? [] : [`margin-${side}: ${length / 100}mm !important;`],
  )
  const [width, height] = landscape ? [long, short] : [short, long]
  const { left = 0, right = 0, top = 0, bottom = 0 } = margins
  // The browser would go back to margins of its own.
  if (left + right >= width || top + bottom >= height) throw noRoom()
  if (setup.short !== undefined || landscape !== undefined) {
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

/** Of the compositor, whose tiles have a limit. */
const maxSidePixels = 16_384

/** Pixels of the picture that was made. */
export interface Photographed {
  readonly width: number
  readonly height: number
  /** The page goes on below the picture. */
  readonly cut: boolean
}

export interface Photo {
  readonly to: PictureTarget
  readonly path: string
  readonly options: unknown
  /** A drawing alone and nothing around it, transparent where it is; a web page when left out. */
  readonly drawing: PageArea | undefined
}

/** Takes the picture of a page, or as much of it as the compositor can draw. */
export async function photograph(page: Page, photo: Photo): Promise<Photographed> {
  const { to, path, drawing } = photo
  const options = pictureOptions.jpg.parse(photo.options)
  const { scale } = options
  const whole = drawing ?? (await contentSize(page, options))
  const most = Math.floor(maxSidePixels / scale)
  const width = Math.min(most, whole.width)
  const height = Math.min(most, whole.height)
  const words = to === 'webp' ? scales.webp : scales.jpg
  if (drawing && to !== 'jpg') {
    const color = { r: 0, g: 0, b: 0, a: 0 }
    await page.call(z.object({}), 'Emulation.setDefaultBackgroundColorOverride', { color })
  }
  const { data } = await page.call(z.looseObject({ data: z.string() }), 'Page.captureScreenshot', {
    format: to === 'jpg' ? 'jpeg' : to,
    ...(to !== 'png' && { quality: qualityNumber(options.quality, words) }),
    clip: { x: 0, y: 0, width, height, scale: 1 },
    captureBeyondViewport: true,
  })
  await writeFile(path, Buffer.from(data, 'base64'))
  return {
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    cut: whole.height > height,
  }
}

async function contentSize(page: Page, { width, height, fullPage }: View): Promise<PageArea> {
  if (!fullPage) return { width, height }
  const size = z.looseObject({ width: z.number(), height: z.number() })
  const metrics = z.looseObject({ cssContentSize: size })
  const { cssContentSize } = await page.call(metrics, 'Page.getLayoutMetrics')
  return {
    width: Math.max(width, Math.ceil(cssContentSize.width)),
    height: Math.max(1, Math.ceil(cssContentSize.height)),
  }
}
