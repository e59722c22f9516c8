import type { Language } from '../section-paths.ts'

/** Constant that the bundler defines, because it builds each language separately. */
declare const LANGUAGE: Language

export const language: Language = LANGUAGE
