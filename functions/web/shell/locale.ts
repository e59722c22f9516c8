import words from '../words/en.ts'

const getLanguage = (tag: string) => tag.split('-')[0]

/**
 * Returns the locale of numbers, dates and times: the browser's own, such as en-US, if it has the language of the page.
 * A function, because asking the browser would delay the first visit on a slow device.
 */
export function getLocale(): string {
  const browserLocale = Intl.DateTimeFormat().resolvedOptions().locale
  return getLanguage(browserLocale) === getLanguage(words.lang) ? browserLocale : words.locale
}
