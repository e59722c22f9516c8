import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type PageSetup, TextPdfOptions, textPageSetup } from '../libreoffice/page-setup.ts'
import { decimal, flag } from '../options.ts'
import type { PageArea } from './page.ts'

/** The same words as for other documents; the fonts of a web page are always embedded. */
export const PrintOptions = TextPdfOptions.omit({ embedAllFonts: true }).extend({
  printBackground: flag().default(true).describe('Print the colors and pictures behind the text too.'),
  scale: decimal(0.1, 2).default(1).describe('Size of the content on the page, 0.1 to 2.'),
})
export type PrintOptions = z.output<typeof PrintOptions>

const setupOf = (options: PrintOptions) => textPageSetup({ ...options, embedAllFonts: true })

/** A4 upright, where nobody says anything. */
const usual = { short: 21_000, long: 29_700 }
/** Of a book, whose own are made for the screens of devices. */
export const bookMargin = 2000
/** 0.4 inches, as `Page.printToPDF` has it. */
const browserMargin = 1016

function paperSize({ short = usual.short, long = usual.long, landscape }: PageSetup) {
  return landscape ? { width: long, height: short } : { width: short, height: long }
}

const asksForPaper = ({ short, landscape }: PageSetup) => short !== undefined || landscape !== undefined

/** Less where the paper is too small for it: with no room between margins the browser takes paper of its own. */
function fittingMargin(setup: PageSetup, margin: number): number {
  const { width, height } = paperSize(setup)
  const { marginTop, marginRight, marginBottom, marginLeft } = setup
  const roomIn = (size: number, one: number | undefined, other: number | undefined, usually: number) =>
    size - (one ?? usually) - (other ?? usually)
  const leastRoom = (usually: number) =>
    Math.min(
      roomIn(width, marginLeft, marginRight, usually),
      roomIn(height, marginTop, marginBottom, usually),
    )
  return leastRoom(margin) > 0 ? margin : Math.max(0, Math.floor(leastRoom(0) / 10))
}

/** Paper, and what the margins leave of it; millimeters. */
export interface Sheet {
  readonly paper: PageArea
  readonly area: PageArea
}

export function sheetOf(raw: unknown, usually: number): Sheet {
  const setup = setupOf(PrintOptions.parse(raw))
  const margin = fittingMargin(setup, usually)
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

/** What the style sheet of a page says of its paper, in pixels; null where it says nothing. */
export const OwnPaper = z.object({
  width: z.number().nullable(),
  left: z.number().nullable(),
  right: z.number().nullable(),
})
export type OwnPaper = z.output<typeof OwnPaper>

/** What a page says of its margins is meant. */
const isSilent = ({ left, right }: OwnPaper) => left === null && right === null

const leastWindow = 100
const pixels = (hundredths: number) => (hundredths / 2540) * 96

/**
 * Pixels of the window in which a page is as wide as it is printed.
 * @param margin where nobody says anything, in hundredths of a millimeter; that of the browser when left out
 */
export function windowWidth(options: PrintOptions, own: OwnPaper, margin = browserMargin): number {
  const setup = setupOf(options)
  const usually = isSilent(own) ? fittingMargin(setup, margin) : margin
  const side = (asked: number | undefined, said: number | null) =>
    asked === undefined ? (said ?? pixels(usually)) : pixels(asked)
  const width = asksForPaper(setup) || own.width === null ? pixels(paperSize(setup).width) : own.width
  const room = (width - side(setup.marginLeft, own.left) - side(setup.marginRight, own.right)) / options.scale
  return Math.max(leastWindow, Math.floor(room))
}

/**
 * The page's own style sheet may name paper and margins, and comes before the parameters of a print; what the
 * client asks for has to come before both.
 * @throws AppError INVALID_INPUT when the margins leave nothing.
 */
export function pageRules(options: PrintOptions, own: OwnPaper, margin?: number): string[] {
  const setup = setupOf(options)
  const usually = margin ?? browserMargin
  const fitting = fittingMargin(setup, usually)
  const { width, height } = paperSize(setup)
  const margins = {
    top: setup.marginTop,
    right: setup.marginRight,
    bottom: setup.marginBottom,
    left: setup.marginLeft,
  }
  const { left = 0, right = 0, top = 0, bottom = 0 } = margins
  // The browser would go back to margins of its own.
  if (left + right >= width || top + bottom >= height) throw noRoom()
  return [
    ...(margin !== undefined || (isSilent(own) && fitting < usually) ? [`margin: ${fitting / 100}mm;`] : []),
    ...Object.entries(margins).flatMap(([side, length]) =>
      length === undefined ? [] : [`margin-${side}: ${length / 100}mm !important;`],
    ),
    ...(asksForPaper(setup) ? [`size: ${width / 100}mm ${height / 100}mm !important;`] : []),
  ]
}

const inches = (hundredths: number) => hundredths / 2540

/** Of `Page.printToPDF`, where no style sheet names any. */
export const usualPaper = { paperWidth: inches(usual.short), paperHeight: inches(usual.long) }

export function noRoom(cause?: Error): AppError {
  const sentence = 'The margins leave no room on the page: choose smaller ones or a larger pageSize.'
  return new AppError('INVALID_INPUT', sentence, { field: 'marginTop' }, cause && { cause })
}
