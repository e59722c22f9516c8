import words from './words/en.ts'

const placeholder = '{}'

/** Returns a function that translates the names of formats with the given catalog. */
export function createNameTranslator(catalog: typeof words): (name: string) => string {
  // Longer patterns first: `{} text template` must match before `{} template`.
  const patterns = Object.entries(catalog)
    .filter(([pattern]) => pattern.includes(placeholder))
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([pattern, translation]) => {
      const [prefix = '', suffix = ''] = pattern.split(placeholder)
      return { prefix, suffix, translation }
    })
  return function translate(name): string {
    const translation = catalog[name]
    if (translation !== undefined) return translation
    const pattern = patterns.find(({ prefix, suffix }) => name.startsWith(prefix) && name.endsWith(suffix))
    if (!pattern) return name
    const properName = name.slice(pattern.prefix.length, name.length - pattern.suffix.length)
    return pattern.translation.replace(placeholder, translate(properName))
  }
}

/** Translates the name of a format into the page's language. */
export const translateFormatName = createNameTranslator(words)
