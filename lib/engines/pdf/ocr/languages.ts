import * as z from 'zod'

/** Public names of the languages that texts in pictures are read in: those of Tesseract's packs. */
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
/** Time grows with each: where one is not sure of a word, Tesseract asks the next. */
const maxTogether = 5
const one = `(?:${names.join('|')})`
const several = new RegExp(`^${one}(?:\\+${one}){0,${maxTogether - 1}}$`)

/** A plus sign in a form that was not encoded arrives as a space. */
const spelled = (value: unknown) =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replaceAll('_', '-')
        .split(/[\s+]+/)
        .join('+')
    : value

/** One language or several, the main one first, as `eng+deu`; spelled in any case, and with `_` as Tesseract does. */
export const ocrLanguage = z.preprocess(
  spelled,
  z
    .string()
    .regex(
      several,
      `Expected one of ${names.join(', ')}, or up to ${maxTogether} of them joined by +, as eng+deu.`,
    )
    .describe(
      `Languages of the text in pictures, at most ${maxTogether} joined by +, the main one first: ${names.join(', ')}.`,
    ),
)

/** What `tesseract -l` takes: `eng+chi_sim` for `eng+chi-sim`, each language once. */
export function tesseractLanguages(language: string): string {
  return [...new Set(language.split('+'))].join('+').replaceAll('-', '_')
}
