import type { Language } from '../section-paths.ts'

/** Put in by the bundler: each language has a bundle of its own. */
declare const LANGUAGE: Language

export const language: Language = LANGUAGE

const other = language === 'de' ? 'en' : 'de'

/** The same page in the other language; the service keeps the choice in a cookie. */
export const languageLink = () => ({ href: `?lang=${other}`, hreflang: other })
