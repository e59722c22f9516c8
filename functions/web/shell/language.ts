import type { Language } from '../section-paths.ts'

/** Set by the bundler, which builds each language separately. */
declare const LANGUAGE: Language

export const language: Language = LANGUAGE
