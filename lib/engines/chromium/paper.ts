import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type PageSetup, TextPdfOptions, toTextPageSetup } from '../libreoffice/page-setup.ts'
import { decimal, flag } from '../options.ts'
import type { PageSize } from './page.ts'

/** Same options as for other documents, except that the fonts of a web page are always embedded. */
export const PrintOptions = TextPdfOptions.omit({ embedAllFonts: true }).extend({
  printBackground: flag().default(true).describe('Also print background colors and images.'),
  scale: decimal(0.1, 2).default(1).describe('Scale of the content on the page, 0.1 to 2.'),
})
export type PrintOptions = z.output<typeof PrintOptions>

const toPageSetup = (options: PrintOptions) => toTextPageSetup({ ...options, embedAllFonts: true })

/** Default paper, A4, in hundredths of a millimeter. */
const defaultPaper = { short: 21_000, long: 29_700 }
/** Margin for ebooks, whose own margins are made for device screens; in hundredths of a millimeter. */
export const ebookMargin = 2000
/** Default margin of `Page.printToPDF` (0.4 inches), in hundredths of a millimeter. */
const browserMargin = 1016

function choosePaperSize({ short = defaultPaper.short, long = defaultPaper.long, landscape }: PageSetup) {
  return landscape ? { width: long, height: short } : { width: short, height: long }
}

const requestsPaper = ({ short, landscape }: PageSetup) => short !== undefined || landscape !== undefined

/** Reduces the margin for small paper: if the margins leave no room, the browser falls back to its default paper. */
function fitMargin(setup: PageSetup, margin: number): number {
  const { width, height } = choosePaperSize(setup)
  const { marginTop, marginRight, marginBottom, marginLeft } = setup
  const computeRemainingLength = (
    size: number,
    a: number | undefined,
    other: number | undefined,
    defaultMargin: number,
  ) => size - (a ?? defaultMargin) - (other ?? defaultMargin)
  const computeMinContentLength = (defaultMargin: number) =>
    Math.min(
      computeRemainingLength(width, marginLeft, marginRight, defaultMargin),
      computeRemainingLength(height, marginTop, marginBottom, defaultMargin),
    )
  return computeMinContentLength(margin) > 0
    ? margin
    : Math.max(0, Math.floor(computeMinContentLength(0) / 10))
}

/** Paper size, and size of the area within the margins, in millimeters. */
export interface PaperSheet {
  readonly paper: PageSize
  readonly area: PageSize
}

export function parsePaperSheet(raw: unknown, defaultMargin: number): PaperSheet {
  const setup = toPageSetup(PrintOptions.parse(raw))
  const margin = fitMargin(setup, defaultMargin)
  const { marginTop, marginRight, marginBottom, marginLeft } = setup
  const { width, height } = choosePaperSize(setup)
  return {
    paper: { width: width / 100, height: height / 100 },
    area: {
      width: (width - (marginLeft ?? margin) - (marginRight ?? margin)) / 100,
      height: (height - (marginTop ?? margin) - (marginBottom ?? margin)) / 100,
    },
  }
}

/** Paper and margins set by the page's style sheet, in pixels; null if not set. */
export const PagePaper = z.object({
  width: z.number().nullable(),
  left: z.number().nullable(),
  right: z.number().nullable(),
})
export type PagePaper = z.output<typeof PagePaper>

/** Whether the page sets no side margins; margins that a page does set are respected. */
const hasNoSideMargins = ({ left, right }: PagePaper) => left === null && right === null

const minWindowWidth = 100
const toPixels = (hundredthsOfMm: number) => (hundredthsOfMm / 2540) * 96

/**
 * Returns the window width, in pixels, at which the page is laid out as wide as it is printed.
 * @param margin default margin in hundredths of a millimeter; if omitted, the browser's default
 */
export function computeWindowWidth(
  options: PrintOptions,
  pagePaper: PagePaper,
  margin = browserMargin,
): number {
  const setup = toPageSetup(options)
  const defaultMargin = hasNoSideMargins(pagePaper) ? fitMargin(setup, margin) : margin
  const chooseMarginPx = (requested: number | undefined, declared: number | null) =>
    requested === undefined ? (declared ?? toPixels(defaultMargin)) : toPixels(requested)
  const width =
    requestsPaper(setup) || pagePaper.width === null
      ? toPixels(choosePaperSize(setup).width)
      : pagePaper.width
  const availableWidth =
    (width -
      chooseMarginPx(setup.marginLeft, pagePaper.left) -
      chooseMarginPx(setup.marginRight, pagePaper.right)) /
    options.scale
  return Math.max(minWindowWidth, Math.floor(availableWidth))
}

/**
 * Returns how much wider than the default paper a landscape page is, in pixels; 0 if the client or the page chose the
 * paper.
 */
export function computeLandscapeGain(options: PrintOptions, pagePaper: PagePaper): number {
  if (requestsPaper(toPageSetup(options)) || pagePaper.width !== null) return 0
  return Math.floor(toPixels(defaultPaper.long - defaultPaper.short) / options.scale)
}

/**
 * Returns CSS declarations that give the client's paper and margins precedence over the page's style sheet, which
 * itself takes precedence over the print parameters.
 * @throws AppError INVALID_INPUT when the margins leave no room on the page.
 */
export function buildPageRules(options: PrintOptions, pagePaper: PagePaper, margin?: number): string[] {
  const setup = toPageSetup(options)
  const defaultMargin = margin ?? browserMargin
  const fittingMargin = fitMargin(setup, defaultMargin)
  const { width, height } = choosePaperSize(setup)
  const margins = {
    top: setup.marginTop,
    right: setup.marginRight,
    bottom: setup.marginBottom,
    left: setup.marginLeft,
  }
  const { left = 0, right = 0, top = 0, bottom = 0 } = margins
  // The browser would fall back to its default margins.
  if (left + right >= width || top + bottom >= height) throw createMarginTooLargeError()
  return [
    ...(margin !== undefined || (hasNoSideMargins(pagePaper) && fittingMargin < defaultMargin)
      ? [`margin: ${fittingMargin / 100}mm;`]
      : []),
    ...Object.entries(margins).flatMap(([side, length]) =>
      length === undefined ? [] : [`margin-${side}: ${length / 100}mm !important;`],
    ),
    ...(requestsPaper(setup) ? [`size: ${width / 100}mm ${height / 100}mm !important;`] : []),
  ]
}

const toInches = (hundredthsOfMm: number) => hundredthsOfMm / 2540

/** Paper parameters of `Page.printToPDF`, used unless a style sheet sets the paper. */
export const defaultPaperParams = {
  paperWidth: toInches(defaultPaper.short),
  paperHeight: toInches(defaultPaper.long),
}

export function createMarginTooLargeError(cause?: Error): AppError {
  const message = 'The margins leave no room on the page: choose smaller ones or a larger pageSize.'
  const details = { field: 'marginTop', reason: 'no-room' }
  return new AppError('INVALID_INPUT', message, details, cause && { cause })
}
