/**
 * Returns a function that chooses the form of a noun by the plural rules of a language, such as `0 fichier` in French,
 * but `0 files` in English.
 */
export function pluralIn(locale: string) {
  const rules = new Intl.PluralRules(locale)
  return (count: number, singular: string, other: string) =>
    `${count} ${rules.select(count) === 'one' ? singular : other}`
}
