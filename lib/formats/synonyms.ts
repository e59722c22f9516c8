import type { FormatId } from './index.ts'
import { type SynonymRow, synonymTable } from './synonym-table.ts'

/** Finds formats and tools by what people type: in the API, on the command line and on the web page. */

const split = (words: string) => words.split(', ')
const rows = synonymTable.map((row) => ({
  ...row,
  allWords: [...split(row.words), ...(row.translations ? split(row.translations) : [])],
}))

/** All English words for formats. */
export const formatWords: readonly string[] = synonymTable.flatMap(({ words, formats }) =>
  formats ? split(words) : [],
)

const wordsOf = (isMeant: (row: SynonymRow) => boolean | undefined) =>
  rows.filter(isMeant).flatMap(({ allWords }) => allWords)

interface NamedFormat {
  readonly id: string
  readonly category: string
}

/** Words other than its own names by which people search for a format. */
export const formatSynonyms = ({ id, category }: NamedFormat): readonly string[] =>
  wordsOf(
    ({ formats, categories }) =>
      formats?.some((format) => format === id) || categories?.some((one) => one === category),
  )

/** Words for the format of the file itself, with other options. */
export const sameFormatSynonyms = ({ category }: Pick<NamedFormat, 'category'>): readonly string[] =>
  wordsOf(({ sameFormat }) => sameFormat?.some((one) => one === category))

/** Words other than its own name by which people search for a tool. */
export const toolSynonyms = (id: string): readonly string[] =>
  wordsOf(({ tools }) => tools?.some((tool) => tool === id))

/** In the API, words are often joined: `ms-word`. */
const separateWords = (text: string) => text.replaceAll(/[-_]/g, ' ')

/** The formats and tools that a word means, the one to suggest first. */
export function findBySynonym(word: string): {
  readonly formats: readonly FormatId[]
  readonly tools: readonly string[]
} {
  const wantedWord = separateWords(word.trim().toLowerCase())
  const meantRows = rows.filter(({ allWords }) => allWords.some((one) => separateWords(one) === wantedWord))
  return {
    formats: meantRows.flatMap(({ formats = [] }) => formats),
    tools: meantRows.flatMap(({ tools = [] }) => tools),
  }
}

/** Shorter beginnings of synonyms would match nearly everything. */
const minSynonymLength = 3

/**
 * Whether the search text begins a synonym, or each word of it is a part of a name or begins a synonym.
 * @param names lower case.
 */
export function matchesSearch(text: string, names: readonly string[], synonyms: readonly string[]): boolean {
  const wholeText = text.trim().toLowerCase().replace(/^\./, '')
  const beginsSynonym = (words: string) =>
    synonyms.some(
      (synonym) =>
        synonym === words || (words.length >= minSynonymLength && synonym.startsWith(separateWords(words))),
    )
  if (beginsSynonym(wholeText) || names.some((name) => name.includes(wholeText))) return true
  return wholeText
    .split(/\s+/)
    .every((word) => names.some((name) => name.includes(word)) || beginsSynonym(word))
}
