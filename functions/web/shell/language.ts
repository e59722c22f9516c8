import type { Language } from '../section-paths.ts'

/** Set by the bundler, which builds each language separately. */
declare const LANGUAGE: Language

const language: Language = LANGUAGE

const otherLanguage = language === 'de' ? 'en' : 'de'

/** A link to the same page in the other language; the service stores the choice in a cookie. */
export const languageLink = () => ({ href: `?lang=${otherLanguage}`, hreflang: otherLanguage })
