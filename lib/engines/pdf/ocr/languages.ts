import * as z from 'zod'

/** Public names of the OCR languages, which correspond to Tesseract's language packs. */
export const ocrLanguages = {
  eng: 'English',
  deu: 'German',
  fra: 'French',
  spa: 'Spanish',
  ita: 'Italian',
  por: 'Portuguese',
  nld: 'Dutch',
  pol: 'Polish',
  rus: 'Russian',
  ukr: 'Ukrainian',
  tur: 'Turkish',
  ara: 'Arabic',
  hin: 'Hindi',
  jpn: 'Japanese',
  kor: 'Korean',
  'chi-sim': 'Chinese (simplified)',
  'chi-tra': 'Chinese (traditional)',
} as const satisfies Readonly<Record<string, string>>

const names = Object.keys(ocrLanguages)
/** Each language adds time, because Tesseract tries the next one when it is unsure of a word. */
const maxLanguages = 5
const languagePattern = `(?:${names.join('|')})`
const languageListPattern = new RegExp(`^${languagePattern}(?:\\+${languagePattern}){0,${maxLanguages - 1}}$`)

/** Accepts spaces, because an unencoded plus sign in a form arrives as a space. */
const normalizeLanguages = (value: unknown) =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replaceAll('_', '-')
        .split(/[\s+]+/)
        .join('+')
    : value

/**
 * One or several languages, the main one first, such as `eng+deu`. Accepts upper and lower case, and `_` as in
 * Tesseract's names.
 */
export const ocrLanguage = z.preprocess(
  normalizeLanguages,
  z
    .string()
    .regex(
      languageListPattern,
      `Expected one of ${names.join(', ')}, or up to ${maxLanguages} of them joined by +, such as eng+deu.`,
    )
    .describe(
      `Languages of the text in images, at most ${maxLanguages} joined by +, the main one first: ${names.join(', ')}.`,
    ),
)

/** Returns the argument of `tesseract -l`: `eng+chi_sim` for `eng+chi-sim`, without duplicates. */
export function toTesseractLanguages(language: string): string {
  return [...new Set(language.split('+'))].join('+').replaceAll('-', '_')
}
