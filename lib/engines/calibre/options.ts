import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { decimal, flag, numberFromText } from '../options.ts'

/** calibre's own list, as `ebook-convert --help` prints it. */
const profiles = [
  ...['default', 'generic_eink', 'generic_eink_hd', 'generic_eink_large', 'tablet'],
  ...['kindle', 'kindle_dx', 'kindle_fire', 'kindle_oasis', 'kindle_pw', 'kindle_pw3', 'kindle_scribe'],
  ...['kindle_voyage', 'kobo', 'nook', 'nook_color', 'nook_hd_plus', 'ipad', 'ipad3', 'galaxy'],
  ...['pocketbook_inkpad3', 'pocketbook_lux', 'pocketbook_hd', 'pocketbook_900', 'pocketbook_pro_912'],
  ...['sony', 'sony300', 'sony900', 'sony-landscape', 'sonyt3', 'cybookg3', 'cybook_opus', 'hanlinv3'],
  ...['hanlinv5', 'illiad', 'irexdr1000', 'irexdr800', 'jetbook5', 'mobipocket', 'msreader'],
] as const

const margins =
  'pt from 0 to 200: one number for all sides, four as "top,bottom,left,right", or by side as "top=10,left=20"'
const expected = `expected ${margins}`
const points = z.preprocess(numberFromText, z.number(expected).min(0, expected).max(200, expected)).optional()
const sides = z.strictObject({ top: points, bottom: points, left: points, right: points }, expected)

const byItsSide = /^(top|bottom|left|right)\s*[=:]\s*(.*)$/i

/** Forms can only send text. */
const marginFromText = (value: unknown): unknown => {
  if (typeof value === 'number') return { top: value, bottom: value, left: value, right: value }
  if (typeof value !== 'string') return value
  const parts = value
    .replace(/^\s*\{|\}\s*$|"/g, '')
    .split(/[,;]/)
    .map((part) => part.trim())
  const named = parts.map((part) => byItsSide.exec(part))
  if (named.every((part) => part !== null))
    return Object.fromEntries(named.map(([, side = '', length]) => [side.toLowerCase(), length]))
  const [top, bottom = top, left = top, right = top] = parts
  return parts.length === 1 || parts.length === 4 ? { top, bottom, left, right } : value
}

export const bookShape = {
  ebookMargin: z
    .preprocess(marginFromText, sides)
    .optional()
    .describe(`Margins in ${margins}. 5 where left out.`),
  ebookOutputProfile: z
    .enum(profiles)
    .optional()
    .describe('The device that pictures and font sizes are made for, as kindle_pw3, tablet or generic_eink.'),
  ebookBaseFontSize: decimal(4, 60)
    .optional()
    .describe('Size of the text in pt, 4 to 60; other sizes follow. That of the profile when left out.'),
  ebookEmbedFonts: flag()
    .optional()
    .describe('Puts the fonts that the document names into the book, where they are at hand.'),
  ebookSmartenPunctuation: flag()
    .optional()
    .describe('Makes straight quotes, double hyphens and three dots typographic ones.'),
  ebookDisableFontRescaling: flag().optional().describe('Leaves all font sizes as the document has them.'),
}

export const BookOptions = z.object(bookShape)
export type BookOptions = z.output<typeof BookOptions>

/** What FictionBook leaves to the reader's device, and what the first format of Kindles cannot say of its pages. */
const unheldIn: Partial<Record<FormatId, readonly (keyof BookOptions)[]>> = {
  fb2: ['ebookMargin', 'ebookBaseFontSize', 'ebookEmbedFonts', 'ebookDisableFontRescaling'],
  mobi: ['ebookMargin', 'ebookEmbedFonts'],
}

/** Names of the wishes that this format has no room for. */
export function unheldOptions(options: BookOptions, to: FormatId): string[] {
  return (unheldIn[to] ?? []).filter((name) => options[name] !== undefined && options[name] !== false)
}

/** Nobody asked for the cover that it would paint, and EPUB 2 has no room for much that books hold. */
export const epubArgs = ['--no-default-epub-cover', '--epub-version=3'] as const

export function hasBookOptions(options: BookOptions): boolean {
  return Object.values(options).some((value) => value !== undefined && value !== false)
}

/** In the words of `ebook-convert --help`; lengths are points. */
export function bookArgs({
  ebookMargin: margin,
  ebookOutputProfile: profile,
  ebookBaseFontSize: size,
  ebookEmbedFonts,
  ebookSmartenPunctuation,
  ebookDisableFontRescaling,
}: BookOptions): string[] {
  return [
    ...Object.entries(margin ?? {}).flatMap(([side, value]) =>
      value === undefined ? [] : [`--margin-${side}=${value}`],
    ),
    ...(profile ? [`--output-profile=${profile}`] : []),
    ...(size === undefined ? [] : [`--base-font-size=${size}`]),
    ...(ebookEmbedFonts ? ['--embed-all-fonts'] : []),
    ...(ebookSmartenPunctuation ? ['--smarten-punctuation'] : []),
    ...(ebookDisableFontRescaling ? ['--disable-font-rescaling'] : []),
  ]
}
