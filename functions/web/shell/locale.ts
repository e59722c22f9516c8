import words from '../words/en.ts'

const getLanguage = (tag: string) => tag.split('-')[0]
const browserLocale = Intl.DateTimeFormat().resolvedOptions().locale

/** The locale of numbers, dates and times: the browser's own, such as en-US, if it has the language of the page. */
export const locale = getLanguage(browserLocale) === getLanguage(words.lang) ? browserLocale : words.locale
