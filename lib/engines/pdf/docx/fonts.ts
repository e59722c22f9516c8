import type { Style } from './page-content.ts'

/** Patterns of font names in PDFs. Word has the named font, or replaces it with a font of the same widths. */
const wordFonts: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(timesnewroman|times|nimbusrom|tinos|freeserif)/, 'Times New Roman'],
  [/^(arialnarrow)/, 'Arial Narrow'],
  [/^(arial|helvetica|nimbussan|arimo|freesans)/, 'Arial'],
  [/^(couriernew|courier|nimbusmon|cousine|freemono)/, 'Courier New'],
  [/^liberationserif/, 'Liberation Serif'],
  [/^liberationmono/, 'Liberation Mono'],
  [/^liberationsans/, 'Liberation Sans'],
  [/^dejavusansmono/, 'DejaVu Sans Mono'],
  [/^dejavuserif/, 'DejaVu Serif'],
  [/^dejavusans/, 'DejaVu Sans'],
  [/^(calibri|carlito)/, 'Calibri'],
  [/^(cambria|caladea)/, 'Cambria'],
  [/^(georgia|gelasio)/, 'Georgia'],
  [/^verdana/, 'Verdana'],
  [/^tahoma/, 'Tahoma'],
  [/^trebuchet/, 'Trebuchet MS'],
  [/^(garamond|ebgaramond)/, 'Garamond'],
  [/^(consolas|inconsolata)/, 'Consolas'],
  [/^(segoeui)/, 'Segoe UI'],
  [/^(symbol|opensymbol|wingdings|zapfdingbats)/, 'Arial'],
  [/^notosanscjk|^sourcehansans|^droidsansfallback|^ms-?gothic|^simhei/, 'Noto Sans CJK SC'],
  [/^notoserifcjk|^sourcehanserif|^ms-?mincho|^simsun/, 'Noto Serif CJK SC'],
  [/^cm(tt|sltt|itt)|^sftt|^lmmono/, 'Courier New'],
  [/^cmss|^sfss|^lmsans/, 'Arial'],
  [/^cm[a-z]*\d|^sfr[mb]|^lmroman/, 'Times New Roman'],
]

/**
 * Returns a font for Word. Recognizes names with subset prefixes and vendor variants; unknown fonts are replaced by a
 * font of their kind.
 */
export function toWordFont({ font, mono, serif }: Pick<Style, 'font' | 'mono' | 'serif'>): string {
  const name = font.replace(/^[A-Z]{6}\+/, '')
  const plainName = name.toLowerCase().replaceAll(/[\s_,-]/g, '')
  const match = wordFonts.find(([pattern]) => pattern.test(plainName))
  if (match) return match[1]
  if (mono) return 'Courier New'
  return serif && !/sans|gothic|grotesk/.test(plainName) ? 'Times New Roman' : 'Arial'
}
