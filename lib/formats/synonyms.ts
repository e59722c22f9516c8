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

/** Words other than its own names by which people search for a format. */
export const getFormatSynonyms = ({ id, category }: NamedFormat): readonly string[] =>
  collectWords(
    ({ formats, categories }) =>
      formats?.some((format) => format === id) || categories?.some((ownCategory) => ownCategory === category),
  )

/** Words for the format of the file itself, with other options. */
export const getSameFormatSynonyms = ({ category }: Pick<NamedFormat, 'category'>): readonly string[] =>
  collectWords(({ sameFormat }) => sameFormat?.some((one) => one === category))

/** Words other than its own name by which people search for a tool. */
export const getToolSynonyms = (id: string): readonly string[] =>
  collectWords(({ tools }) => tools?.some((tool) => tool === id))

/** In the API, words are often joined: `ms-word`. */
const separateWords = (text: string) => text.replaceAll(/[-_]/g, ' ')

/** The formats and tools that a word means, the one to suggest first. */
export function findBySynonym(word: string): {
  readonly formats: readonly FormatId[]
  readonly tools: readonly string[]
} {
  const wantedWord = separateWords(word.trim().toLowerCase())
  const matchingRows = rows.filter(({ allWords }) =>
    allWords.some((one) => separateWords(one) === wantedWord),
  )
  return {
    formats: matchingRows.flatMap(({ formats = [] }) => formats),
    tools: matchingRows.flatMap(({ tools = [] }) => tools),
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
