import type { Expression } from './list.ts'

/** Characters that quantified classes match, alone or after the text that precedes the class in the expression. */
const fillers = [
  ' ',
  '\n',
  'a',
  '0',
  'é',
  '<',
  '{',
  '[',
  '(',
  '"',
  "'",
  '=',
  ':',
  ';',
  '-',
  '.',
  '/',
  '\\',
  ',',
  '*',
  '\0',
]

/**
 * Returns inputs on which expressions with nested, overlapping or unanchored quantifiers become slow: the literal texts
 * of the expression and the usual delimiters, repeated, without the end that would let the expression match.
 *
 * @param length characters of each input
 */
export function adversarialInputs({ source }: Pick<Expression, 'source'>, length: number): string[] {
  const texts = extractLiterals(source)
  const repeatedTexts = new Set([
    ...fillers,
    ...texts,
    ...texts.map((text) => `${text} `),
    ...texts.map((text) => `\n${text}`),
    ...texts.flatMap((text) => fillers.slice(0, 4).map((filler) => `${text}${filler.repeat(3)}`)),
  ])
  const inputs = [...repeatedTexts].map((repeatedText) =>
    repeatedText.repeat(Math.ceil(length / repeatedText.length)).slice(0, length),
  )
  // A literal text of the expression, followed by a long run of one character.
  for (const text of texts)
    for (const filler of fillers.slice(0, 4)) inputs.push((text + filler.repeat(length)).slice(0, length))
  return inputs
}

/** Returns the literal texts in an expression, such as `text-decoration` in `/text-decoration\s*[:=]/`. */
function extractLiterals(source: string): string[] {
  const simplifiedSource = source
    .replace(/\(\?(?::|<?[=!]|<\w+>)/g, '(')
    .replace(/\\[bB]/g, '')
    .replace(/\[\^[^\]]*\][*+?]?|\{[\d,]+\}/g, ' ')
    .replace(/\\[sSdDwW]|\\p\{[^}]*\}/g, ' ')
    .replace(/\\n/g, '\n')
    .replace(/\\([^\w])/g, '$1')
  return [
    ...new Set(
      simplifiedSource.split(/[|()[\]*+?^$ ]+/).filter((text) => text.length > 1 && text.length < 60),
    ),
  ].slice(0, 12)
}
