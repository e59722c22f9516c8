import type { Language } from '../section-paths.ts'

/** The bundler defines this constant, because it builds each language separately. */
declare const LANGUAGE: Language

export const language: Language = LANGUAGE
