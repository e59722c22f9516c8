import * as z from 'zod'
import { flag } from '../options.ts'

/** Hundredths of a millimeter, LibreOffice's unit. */
const units: Readonly<Record<string, number>> = { mm: 100, cm: 1000, in: 2540, pt: 2540 / 72 }

/** Upright, width before height. */
const sizes: Readonly<Record<string, readonly [width: number, height: number]>> = {
  a3: [29_700, 42_000],
  a4: [21_000, 29_700],
  a5: [14_800, 21_000],
  letter: [21_590, 27_940],
  'us letter': [21_590, 27_940],
  legal: [21_590, 35_560],
}

const leastSide = 2000
/** 200 inches, the largest page of a PDF 1.7 (ISO 32000-1, annex C.2). */
const mostSide = 508_000
const mostMargin = 50_000

const number = '\\d{1,5}(?:\\.\\d{1,4})?'
const lengthPattern = new RegExp(`^(${number})(mm|cm|in|pt)$`, 'i')
const sizePattern = new RegExp(`^(${number})x(${number})(mm|cm|in|pt)$`, 'i')

export const PdfOptions = z.object({
  embedAllFonts: flag()
    .default(true)
    .describe(
      'Every font is embedded, so that pages look the same everywhere; false has no effect, and is told',
    ),
})

const PageOptions = PdfOptions.extend({
  pageSize: z
    .string()
    .refine((value) => sizeOf(value) !== undefined, {
      error: 'expected A3, A4, A5, Letter, Legal or a size such as 210x297mm with sides of 20 to 5080 mm',
    })
    .optional()
    .describe('A3, A4, A5, Letter, Legal, or width and height as `210x297mm` (mm, cm, in, pt)'),
  landscape: flag()
    .optional()
    .describe("Lay every page across (true) or upright (false); the document's own way when left out"),
  marginTop: margin('top'),
  marginRight: margin('right'),
  marginBottom: margin('bottom'),
  marginLeft: margin('left'),
  headerText: runningText('head'),
  footerText: runningText('foot'),
})

export const TextPdfOptions = PageOptions

export const SheetPdfOptions = PageOptions.extend({
  fitToWidth: flag()
    .default(true)
    .describe('Shrink sheets that are wider than the page, so that no column moves to another page'),
})

/** What the bridge understands; lengths in hundredths of a millimeter, what is undefined stays as it is. */
export interface PageSetup {
  readonly short?: number | undefined
  readonly long?: number | undefined
  readonly landscape?: boolean | undefined
  readonly marginTop?: number | undefined
  readonly marginRight?: number | undefined
  readonly marginBottom?: number | undefined
  readonly marginLeft?: number | undefined
  readonly headerText?: string | undefined
  readonly footerText?: string | undefined
  readonly fitToWidth: boolean
}

export function textPageSetup(options: z.infer<typeof TextPdfOptions>): PageSetup {
  return { ...pageSetup(options), fitToWidth: false }
}

/** Whether a page may come to look otherwise. */
export function changesPages({ fitToWidth, ...setup }: PageSetup): boolean {
  return fitToWidth || Object.values(setup).some((value) => value !== undefined)
}

export function sheetPageSetup(options: z.infer<typeof SheetPdfOptions>): PageSetup {
  return { ...pageSetup(options), fitToWidth: options.fitToWidth }
}

function pageSetup(options: z.infer<typeof PageOptions>) {
  const size = sizeOf(options.pageSize)
  const [short, long] = size?.toSorted((a, b) => a - b) ?? []
  const liesAcross = size && size[0] > size[1] ? true : undefined
  return {
    short,
    long,
    landscape: options.landscape ?? liesAcross,
    marginTop: lengthOf(options.marginTop),
    marginRight: lengthOf(options.marginRight),
    marginBottom: lengthOf(options.marginBottom),
    marginLeft: lengthOf(options.marginLeft),
    headerText: options.headerText,
    footerText: options.footerText,
  }
}

function margin(side: string) {
  return z
    .string()
    .refine((value) => (lengthOf(value) ?? mostMargin + 1) <= mostMargin, {
      error: 'expected a length of at most 500 mm with its unit, such as 20mm, 2cm, 1in or 72pt',
    })
    .optional()
    .describe(`Space at the ${side} of every page, as 20mm, 2cm, 1in or 72pt`)
}

function runningText(place: string) {
  return z
    .string()
    .max(500)
    .optional()
    .describe(
      `Text at the ${place} of every page, in the place of the document's own; {page}, {pages} and {date} are filled in`,
    )
}

function sizeOf(text = ''): readonly [width: number, height: number] | undefined {
  const named = sizes[text.trim().toLowerCase()]
  if (named) return named
  const [, width, height, unit] = sizePattern.exec(text.trim()) ?? []
  const sides = [inHundredths(width, unit), inHundredths(height, unit)] as const
  return sides.every((side) => side >= leastSide && side <= mostSide) ? sides : undefined
}

function lengthOf(text = ''): number | undefined {
  const [, value, unit] = lengthPattern.exec(text.trim()) ?? []
  return value === undefined ? undefined : inHundredths(value, unit)
}

function inHundredths(value = '0', unit = 'mm'): number {
  return Math.round(Number(value) * (units[unit.toLowerCase()] ?? 0))
}
