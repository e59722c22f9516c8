import * as z from 'zod'
import { flag } from '../options.ts'

/** Lengths of units in hundredths of a millimeter, LibreOffice's unit. */
const hundredthsByUnit: Readonly<Record<string, number>> = { mm: 100, cm: 1000, in: 2540, pt: 2540 / 72 }

/** Paper sizes in portrait orientation, width before height. */
const sizeByName: Readonly<Record<string, readonly [width: number, height: number]>> = {
  a3: [29_700, 42_000],
  a4: [21_000, 29_700],
  a5: [14_800, 21_000],
  letter: [21_590, 27_940],
  'us letter': [21_590, 27_940],
  legal: [21_590, 35_560],
}

const minSide = 2000
/** The longest side of a page in PDF 1.7: 200 inches (ISO 32000-1, annex C.2). */
const maxSide = 508_000
const maxMargin = 50_000

const numberPattern = '\\d{1,5}(?:\\.\\d{1,4})?'
const lengthPattern = new RegExp(`^(${numberPattern})(mm|cm|in|pt)$`, 'i')
const sizePattern = new RegExp(`^(${numberPattern})x(${numberPattern})(mm|cm|in|pt)$`, 'i')

export const PdfOptions = z.object({
  embedAllFonts: flag()
    .default(true)
    .describe(
      'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning',
    ),
})

const PageOptions = PdfOptions.extend({
  pageSize: z
    .string()
    .max(100)
    .refine((value) => parseSize(value) !== undefined, {
      error: 'expected A3, A4, A5, Letter, Legal or a size such as 210x297mm with sides of 20 to 5080 mm',
    })
    .optional()
    .describe('A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)'),
  landscape: flag()
    .optional()
    .describe('Landscape (true) or portrait (false) for every page; by default, as in the document'),
  marginTop: createMarginOption('top'),
  marginRight: createMarginOption('right'),
  marginBottom: createMarginOption('bottom'),
  marginLeft: createMarginOption('left'),
  headerText: createHeaderFooterOption('Header'),
  footerText: createHeaderFooterOption('Footer'),
})

export const TextPdfOptions = PageOptions

export const SheetPdfOptions = PageOptions.extend({
  fitToWidth: flag()
    .default(true)
    .describe('Shrink sheets that are wider than the page, so that no column is moved to another page'),
})

/**
 * Page setup for the bridge. Lengths are in hundredths of a millimeter; undefined fields keep the document's setting.
 */
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

export function toTextPageSetup(options: z.infer<typeof TextPdfOptions>): PageSetup {
  return { ...toPageSetup(options), fitToWidth: false }
}

/** Whether the setup may change how a page looks. */
export function hasPageChanges({ fitToWidth, ...setup }: PageSetup): boolean {
  return fitToWidth || Object.values(setup).some((value) => value !== undefined)
}

export function toSheetPageSetup(options: z.infer<typeof SheetPdfOptions>): PageSetup {
  return { ...toPageSetup(options), fitToWidth: options.fitToWidth }
}

function toPageSetup(options: z.infer<typeof PageOptions>) {
  const size = parseSize(options.pageSize)
  const [short, long] = size?.toSorted((a, b) => a - b) ?? []
  const isLandscape = size && size[0] > size[1] ? true : undefined
  return {
    short,
    long,
    landscape: options.landscape ?? isLandscape,
    marginTop: parseLength(options.marginTop),
    marginRight: parseLength(options.marginRight),
    marginBottom: parseLength(options.marginBottom),
    marginLeft: parseLength(options.marginLeft),
    headerText: options.headerText,
    footerText: options.footerText,
  }
}

function createMarginOption(side: string) {
  return z
    .string()
    .max(100)
    .refine((value) => (parseLength(value) ?? maxMargin + 1) <= maxMargin, {
      error: 'expected a length of at most 500 mm with its unit, such as 20mm, 2cm, 1in or 72pt',
    })
    .optional()
    .describe(`Margin at the ${side} of every page, such as 20mm, 2cm, 1in or 72pt`)
}

function createHeaderFooterOption(area: string) {
  return z
    .string()
    .max(500)
    .optional()
    .describe(
      `${area} text of every page, replacing the document's own; {page}, {pages} and {date} are filled in`,
    )
}

/** Returns width and height in hundredths of a millimeter; undefined if the text is not a paper size. */
export function parseSize(text = ''): readonly [width: number, height: number] | undefined {
  const namedSize = sizeByName[text.trim().toLowerCase()]
  if (namedSize) return namedSize
  const [, width, height, unit] = sizePattern.exec(text.trim()) ?? []
  const sides = [toHundredthsOfMm(width, unit), toHundredthsOfMm(height, unit)] as const
  return sides.every((side) => side >= minSide && side <= maxSide) ? sides : undefined
}

/** Returns a length in hundredths of a millimeter; undefined if the text is not a length. */
export function parseLength(text = ''): number | undefined {
  const [, value, unit] = lengthPattern.exec(text.trim()) ?? []
  return value === undefined ? undefined : toHundredthsOfMm(value, unit)
}

function toHundredthsOfMm(value = '0', unit = 'mm'): number {
  return Math.round(Number(value) * (hundredthsByUnit[unit.toLowerCase()] ?? 0))
}
