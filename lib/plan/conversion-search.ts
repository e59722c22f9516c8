import type { Engine } from '../engines/engine.ts'
import { type FormatId, formats, listFormatNames } from '../formats/index.ts'
import { getFormatSynonyms, getToolSynonyms, matchesSearch } from '../formats/synonyms.ts'
import { type Operation, operations } from '../model/operations.ts'
import { type Conversion, findConversions } from './index.ts'

interface SearchTerm {
  /** Whether only the source or only the target is meant, because the word is before or after "to". */
  readonly side: 'source' | 'target' | 'any'
  readonly formats: ReadonlySet<FormatId>
  readonly operations: ReadonlySet<Operation>
}

const separators = new Set(['to', 'into', 'as', '→', '->'])
const fillerWords = new Set(['a', 'an', 'the', 'my', 'file', 'files', 'convert', 'pages', 'page'])

/** Operations that a search finds, besides conversions. */
const searchedOperations = operations.filter((name) => name !== 'unlock')

/**
 * Finds conversions by words such as `word to pdf` or `combine pdf`. Each word has to name the source, the target or
 * the operation, by one of its names or a synonym.
 * @param operation searches only this operation.
 */
export function searchConversions(
  text: string,
  engines: readonly Engine[],
  operation?: Operation,
): readonly Conversion[] {
  const terms = parseTerms(text)
  return (operation === undefined ? searchedOperations : [operation]).flatMap((name) =>
    findConversions(engines, name).filter((pair) =>
      terms.every((term) => isMatch(term, pair) || term.operations.has(name)),
    ),
  )
}

const isMatch = ({ side, formats: searchedFormats }: SearchTerm, { from, to }: Conversion) =>
  (side !== 'target' && searchedFormats.has(from)) || (side !== 'source' && searchedFormats.has(to))

function parseTerms(text: string): readonly SearchTerm[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && !fillerWords.has(word))
  const separatorAt = words.findIndex((word, index) => index > 0 && separators.has(word))
  const getSide = (index: number) => (separatorAt < 0 ? 'any' : index < separatorAt ? 'source' : 'target')
  return words.flatMap((word, index) => (separators.has(word) ? [] : [createTerm(word, getSide(index))]))
}

function createTerm(word: string, side: SearchTerm['side']): SearchTerm {
  const searchedFormats = formats.filter((format) =>
    matchesSearch(word, listFormatNames(format), getFormatSynonyms(format)),
  )
  const matchingOperations = searchedOperations.filter(
    (name) => name !== 'convert' && matchesSearch(word, [name], getToolSynonyms(name)),
  )
  return {
    side,
    formats: new Set(searchedFormats.map(({ id }) => id)),
    operations: new Set(matchingOperations),
  }
}
