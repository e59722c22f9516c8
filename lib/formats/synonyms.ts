import type { FormatId } from './index.ts'
import { type SynonymRow, synonymTable } from './synonym-table.ts'

/** Finds formats and tools by what people type: in the API, on the command line and on the web page. */

const splitWords = (words: string) => words.split(', ')
const rows = synonymTable.map((row) => ({
  ...row,
  allWords: [...splitWords(row.words), ...(row.translations ? splitWords(row.translations) : [])],
}))

/** All English words for formats. */
export const formatWords: readonly string[] = synonymTable.flatMap(({ words, formats }) =>
  formats ? splitWords(words) : [],
)

const collectWords = (matchesRow: (row: SynonymRow) => boolean | undefined) =>
  rows.filter(matchesRow).flatMap(({ allWords }) => allWords)

interface NamedFormat {
  readonly id: string
  readonly category: string
}

/** Returns words by which people search for a format, other than its own names. */
export const getFormatSynonyms = ({ id, category }: NamedFormat): readonly string[] =>
  collectWords(
    ({ formats, categories }) =>
      formats?.some((format) => format === id) || categories?.some((ownCategory) => ownCategory === category),
  )

/** Returns words for converting a file to its own format, with other options. */
export const getSameFormatSynonyms = ({ category }: Pick<NamedFormat, 'category'>): readonly string[] =>
  collectWords(({ sameFormat }) => sameFormat?.some((format) => format === category))

/** Returns words by which people search for a tool, other than its own name. */
export const getToolSynonyms = (id: string): readonly string[] =>
  collectWords(({ tools }) => tools?.some((tool) => tool === id))

/** Separates words, which API requests often join: `ms-word`. */
const separateWords = (text: string) => text.replaceAll(/[-_]/g, ' ')

/** Returns the formats and tools that a word means, starting with the one to suggest. */
export function findBySynonym(word: string): {
  readonly formats: readonly FormatId[]
  readonly tools: readonly string[]
} {
  const wantedWord = separateWords(word.trim().toLowerCase())
  const matchingRows = rows.filter(({ allWords }) =>
    allWords.some((knownWord) => separateWords(knownWord) === wantedWord),
  )
  return {
    formats: matchingRows.flatMap(({ formats = [] }) => formats),
    tools: matchingRows.flatMap(({ tools = [] }) => tools),
  }
}

/**
 * Minimum length of a search text that may match the beginning of a synonym; shorter ones would match nearly
 * everything.
 */
const minSynonymLength = 3

/**
 * Whether a synonym starts with the search text, or each word of the search text is a part of a name or the start of a
 * synonym.
 * @param names lower case.
 */
export function matchesSearch(text: string, names: readonly string[], synonyms: readonly string[]): boolean {
  const wholeText = text.trim().toLowerCase().replace(/^\./, '')
  const startsSynonym = (words: string) =>
    synonyms.some(
      (synonym) =>
        synonym === words || (words.length >= minSynonymLength && synonym.startsWith(separateWords(words))),
    )
  if (startsSynonym(wholeText) || names.some((name) => name.includes(wholeText))) return true
  return wholeText
    .split(/\s+/)
    .every((word) => names.some((name) => name.includes(word)) || startsSynonym(word))
}
