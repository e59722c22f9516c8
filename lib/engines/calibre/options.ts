import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { decimal, eachStepOption, flag, numberFromText } from '../options.ts'

/** Output profiles listed by `ebook-convert --help`. */
const profiles = [
  ...['default', 'generic_eink', 'generic_eink_hd', 'generic_eink_large', 'tablet'],
  ...['kindle', 'kindle_dx', 'kindle_fire', 'kindle_oasis', 'kindle_pw', 'kindle_pw3', 'kindle_scribe'],
  ...['kindle_voyage', 'kobo', 'nook', 'nook_color', 'nook_hd_plus', 'ipad', 'ipad3', 'galaxy'],
  ...['pocketbook_inkpad3', 'pocketbook_lux', 'pocketbook_hd', 'pocketbook_900', 'pocketbook_pro_912'],
  ...['sony', 'sony300', 'sony900', 'sony-landscape', 'sonyt3', 'cybookg3', 'cybook_opus', 'hanlinv3'],
  ...['hanlinv5', 'illiad', 'irexdr1000', 'irexdr800', 'jetbook5', 'mobipocket', 'msreader'],
] as const

const marginSyntax =
  'pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20"'
const marginError = `expected ${marginSyntax}`
const marginPoints = z
  .preprocess(numberFromText, z.number(marginError).min(0, marginError).max(200, marginError))
  .optional()
const sideMargins = z.strictObject(
  { top: marginPoints, bottom: marginPoints, left: marginPoints, right: marginPoints },
  marginError,
)

const sideMarginPattern = /^(top|bottom|left|right)\s{0,20}[=:]\s{0,20}(.*)$/i

/** Parses margins that are given as text, the only type that forms can send. */
const parseMarginText = (value: unknown): unknown => {
  if (typeof value === 'number') return { top: value, bottom: value, left: value, right: value }
  if (typeof value !== 'string') return value
  const entries = value
    .replace(/^\s*\{|\}\s*$|"/g, '')
    .split(/[,;/]/)
    .map((entry) => entry.trim())
  const sideMatches = entries.map((entry) => sideMarginPattern.exec(entry))
  if (sideMatches.every((match) => match !== null))
    return Object.fromEntries(sideMatches.map(([, side = '', length]) => [side.toLowerCase(), length]))
  const [top, bottom = top, left = top, right = top] = entries
  return entries.length === 1 || entries.length === 4 ? { top, bottom, left, right } : value
}

export const ebookOptionShape = {
  ebookMargin: z
    .preprocess(parseMarginText, sideMargins)
    .optional()
    .describe(`Margins in ${marginSyntax}. Omitted sides default to 5.`),
  ebookOutputProfile: z
    .enum(profiles)
    .optional()
    .describe(
      'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.',
    ),
  ebookBaseFontSize: decimal(4, 60)
    .optional()
    .describe(
      'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.',
    ),
  ebookEmbedFonts: flag()
    .optional()
    .describe('Embeds the fonts that the document uses, if they are available.'),
  ebookSmartenPunctuation: flag()
    .optional()
    .describe('Replaces straight quotes, double hyphens and three dots with typographic characters.')
    .meta(eachStepOption),
  ebookDisableFontRescaling: flag().optional().describe('Keeps all font sizes of the document.'),
}

export const EbookOptions = z.object(ebookOptionShape)
export type EbookOptions = z.output<typeof EbookOptions>

/**
 * Options without effect, by target format. FictionBook leaves them to the reader's device. MOBI cannot store fonts and
 * margins. LRF cannot store fonts, and calibre's LRF writer multiplies nested font sizes until its numbers overflow.
 */
const unsupportedOptions: Partial<Record<FormatId, readonly (keyof EbookOptions)[]>> = {
  fb2: [
    'ebookMargin',
    'ebookOutputProfile',
    'ebookBaseFontSize',
    'ebookEmbedFonts',
    'ebookDisableFontRescaling',
  ],
  mobi: ['ebookMargin', 'ebookEmbedFonts'],
  lrf: ['ebookBaseFontSize', 'ebookEmbedFonts'],
}

/** Returns the names of the requested options that this format cannot store. */
export function findUnsupportedOptions(options: EbookOptions, to: FormatId): string[] {
  return (unsupportedOptions[to] ?? []).filter(
    (name) => options[name] !== undefined && options[name] !== false,
  )
}

/** Keeps calibre from generating a cover, and selects EPUB 3, because EPUB 2 cannot store many features. */
export const epubArgs = ['--no-default-epub-cover', '--epub-version=3'] as const

export function hasEbookOptions(options: EbookOptions): boolean {
  return Object.values(options).some((value) => value !== undefined && value !== false)
}

/** Font sizes of calibre's default profile, relative to the size of the body text. */
const relativeSizes = [0.625, 0.75, 0.83, 1, 1.29, 1.67, 1.83, 2]

/**
 * Returns the font sizes that calibre chooses from. By default, the largest is 24 pt, whatever the size of the body
 * text.
 */
const listFontSizes = (bodySize: number) =>
  relativeSizes.map((ratio) => Number((ratio * bodySize).toFixed(2))).join(',')

/** Returns arguments for `ebook-convert`; lengths are in points. */
export function createEbookArgs(options: EbookOptions, to: FormatId): string[] {
  const unsupportedOptions = Object.fromEntries(
    findUnsupportedOptions(options, to).map((name) => [name, undefined]),
  )
  const {
    ebookMargin: margin,
    ebookOutputProfile: profile,
    ebookBaseFontSize: size,
    ebookEmbedFonts,
    ebookSmartenPunctuation,
    ebookDisableFontRescaling,
  }: EbookOptions = { ...options, ...unsupportedOptions }
  return [
    ...Object.entries(margin ?? {}).flatMap(([side, value]) =>
      value === undefined ? [] : [`--margin-${side}=${value}`],
    ),
    ...(profile ? [`--output-profile=${profile}`] : []),
    ...(size === undefined ? [] : [`--base-font-size=${size}`]),
    ...(size === undefined || ebookDisableFontRescaling
      ? []
      : [`--font-size-mapping=${listFontSizes(size)}`]),
    ...(ebookEmbedFonts ? ['--embed-all-fonts'] : []),
    ...(ebookSmartenPunctuation ? ['--smarten-punctuation'] : []),
    ...(ebookDisableFontRescaling ? ['--disable-font-rescaling'] : []),
  ]
}
