import type {
  getFormatSynonyms,
  getSameFormatSynonyms,
  getToolSynonyms,
} from '../../../../lib/formats/synonyms.ts'
import type { Format } from '../../api.ts'
import type { ListedTool } from './file-tools.ts'

/** Finds targets and tools by the words that people type. */

export interface Synonyms {
  readonly getFormatSynonyms: typeof getFormatSynonyms
  readonly getSameFormatSynonyms: typeof getSameFormatSynonyms
  readonly getToolSynonyms: typeof getToolSynonyms
}

export type Row =
  | { readonly kind: 'format'; readonly format: Format; readonly note?: 'experimental' | 'same' | undefined }
  | { readonly kind: 'tool'; readonly tool: ListedTool }

export interface SearchableTargets {
  /** The usual targets, most popular first. */
  readonly targets: readonly Format[]
  /** Targets that work but are unusual. */
  readonly experimentalTargets: readonly Format[]
  /** The source format, if it can be written with other options. */
  readonly sameFormat: Format | undefined
  readonly tools: readonly ListedTool[]
  readonly synonyms: Synonyms | undefined
}

/** Ranks of matches, lower is better. A text that does not match has no rank. */
const ranks = { exact: 0, prefix: 1, word: 2, substring: 3 } as const

/** Minimum length of a substring, because shorter ones match too much by chance. */
const minSubstringLength = 3

function rankMatch(needle: string, names: readonly string[]): number | undefined {
  const rank = (name: string) => {
    if (name === needle) return ranks.exact
    if (name.startsWith(needle)) return ranks.prefix
    if (name.split(/[\s(/-]+/).some((word) => word.startsWith(needle))) return ranks.word
    return needle.length >= minSubstringLength && name.includes(needle) ? ranks.substring : undefined
  }
  const foundRanks = names.map(rank).filter((one) => one !== undefined)
  return foundRanks.length === 0 ? undefined : Math.min(...foundRanks)
}

const listFormatNames = (format: Format, synonyms: Synonyms | undefined) => [
  format.id,
  ...format.extensions,
  ...format.aliases,
  format.name.toLowerCase(),
  ...(synonyms?.getFormatSynonyms(format) ?? []),
]

/**
 * Returns the matches, best first. At the same rank, formats come before tools, and usual targets before experimental
 * ones.
 */
export function searchTargets(searchableTargets: SearchableTargets, typedText: string): readonly Row[] {
  const { synonyms } = searchableTargets
  const needle = typedText.trim().toLowerCase().replace(/^\./, '')
  const formats: readonly Row[] = [
    ...searchableTargets.targets.map((format): Row => ({ kind: 'format', format })),
    ...searchableTargets.experimentalTargets.map(
      (format): Row => ({ kind: 'format', format, note: 'experimental' }),
    ),
    ...(searchableTargets.sameFormat
      ? [{ kind: 'format', format: searchableTargets.sameFormat, note: 'same' } as const]
      : []),
  ]
  if (!needle) return sortByGroup(formats)
  const getSearchNames = (row: Row) => {
    if (row.kind === 'tool')
      return [row.tool.id, row.tool.name.toLowerCase(), ...(synonyms?.getToolSynonyms(row.tool.id) ?? [])]
    const names = listFormatNames(row.format, synonyms)
    return row.note === 'same' ? [...names, ...(synonyms?.getSameFormatSynonyms(row.format) ?? [])] : names
  }
  const tools = searchableTargets.tools.map((tool): Row => ({ kind: 'tool', tool }))
  const matches = [...formats, ...tools].flatMap((row) => {
    const rank = rankMatch(needle, getSearchNames(row))
    return rank === undefined ? [] : [{ row, rank }]
  })
  return sortByGroup(matches.sort((a, b) => a.rank - b.rank).map(({ row }) => row))
}

/**
 * Groups the rows by category, with tools as one group. Groups are ordered by their best match, so the first row is the
 * best of all.
 */
const sortByGroup = (rows: readonly Row[]): readonly Row[] =>
  [...Map.groupBy(rows, (row) => (row.kind === 'tool' ? 'tool' : row.format.category)).values()].flat()

/** Whether a tool matches what was typed. */
export function matchesTool(
  { id, name, description }: { readonly id: string; readonly name: string; readonly description: string },
  typedText: string,
  synonyms: Synonyms['getToolSynonyms'],
): boolean {
  const needle = typedText.trim().toLowerCase()
  const names = [id, name, description].map((text) => text.toLowerCase())
  return needle === '' || rankMatch(needle, [...names, ...synonyms(id)]) !== undefined
}
