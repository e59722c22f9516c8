/**
 * Returns a function that chooses the form of a noun by the plural rules of a language, for example `0 fichier` but `0
 * files`.
 */
export function pluralIn(locale: string) {
  const rules = new Intl.PluralRules(locale)
  return (count: number, singular: string, other: string) =>
    `${count} ${rules.select(count) === 'one' ? singular : other}`
}
