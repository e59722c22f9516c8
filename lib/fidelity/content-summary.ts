import * as z from 'zod'
import { type Unit, unitNames } from '../model/fidelity.ts'
import { type Feature, StoredSummary } from '../model/stored-summary.ts'
import { defined } from '../validation/defined.ts'
import { CountingStoppedError } from './read-errors.ts'
import { WordCounts, WordCountsMessage } from './text/word-counts.ts'

/** Summary of a file's content, as far as it can be determined quickly. */
export interface ContentSummary {
  readonly words?: WordCounts
  /** Visible words of a workbook that hides some of its words. */
  readonly visibleWords?: WordCounts
  /** Words of the document's comments, which some conversions include in the text of the result. */
  readonly commentWords?: WordCounts
  /** Words of headers and footers, each counted once; not included in `words`. */
  readonly marginWords?: WordCounts
  readonly counts: Readonly<Partial<Record<Exclude<Unit, 'words' | 'seconds'>, number>>>
  /** Duration in seconds. */
  readonly seconds?: number
  /** Duration of a video's audio, if the file states it: the audio may start later or end earlier than the video. */
  readonly soundSeconds?: number
  readonly features: readonly Feature[]
  /** Number of images that a source shows, but whose data it does not contain. */
  readonly absentImages?: number
  /** Whether counting stopped early, because the file needs too much time or data. */
  readonly isIncomplete?: boolean
}

const wordFields = ['words', 'visibleWords', 'commentWords', 'marginWords'] as const
type WordField = (typeof wordFields)[number]

/** Maximum number of different words in one summary; languages have fewer, and this many take 100 MB. */
const maxDistinctWords = 1_000_000

const words = WordCountsMessage.optional()

/** A summary sent by another process, which a malicious file may control. */
export const SummaryMessage = StoredSummary.extend({
  features: StoredSummary.shape.features.readonly(),
  counts: z.partialRecord(z.enum(unitNames).exclude(['words', 'seconds']), z.number()),
  absentImages: z.int().nonnegative().optional(),
  isIncomplete: z.boolean().optional(),
  words,
  visibleWords: words,
  commentWords: words,
  marginWords: words,
})
export type SummaryMessage = z.infer<typeof SummaryMessage>

/** Converts a summary for another process. @throws CountingStoppedError if it has too many different words. */
export function toMessage(summary: ContentSummary): SummaryMessage {
  const { words, visibleWords, commentWords, marginWords, ...rest } = summary
  const convert = (counts: WordCounts) => {
    if (counts.distinct > maxDistinctWords) throw new CountingStoppedError('too many different words')
    return counts.toMessage()
  }
  return { ...rest, ...mapWords({ words, visibleWords, commentWords, marginWords }, convert) }
}

export function fromMessage(message: SummaryMessage): ContentSummary {
  const { words, visibleWords, commentWords, marginWords, ...rest } = message
  const { counts, seconds, soundSeconds, features, absentImages, isIncomplete } = rest
  return {
    counts: defined(counts),
    features,
    ...defined({ seconds, soundSeconds, absentImages, isIncomplete }),
    ...mapWords({ words, visibleWords, commentWords, marginWords }, WordCounts.fromMessage),
  }
}

function mapWords<From, To>(
  words: Readonly<Record<WordField, From | undefined>>,
  convert: (words: From) => To,
): Partial<Record<WordField, To>> {
  const mapped: Partial<Record<WordField, To>> = {}
  for (const field of wordFields) {
    const counts = words[field]
    if (counts !== undefined) mapped[field] = convert(counts)
  }
  return mapped
}

/** Combines the summaries of files that are merged into one; undefined if the summary of one of them is unknown. */
export function combineSummaries(
  allSummaries: readonly (ContentSummary | undefined)[],
): ContentSummary | undefined {
  const knownSummaries = allSummaries.filter((summary) => summary !== undefined)
  const [firstSummary] = knownSummaries
  if (!firstSummary || knownSummaries.length < allSummaries.length) return undefined
  if (knownSummaries.length === 1) return firstSummary
  const distinctWords = knownSummaries.reduce((sum, { words }) => sum + (words?.distinct ?? 0), 0)
  const keepsWords = distinctWords <= maxDistinctWords && knownSummaries.every((summary) => summary.words)
  const words = keepsWords ? new WordCounts() : undefined
  for (const summary of knownSummaries) if (summary.words) words?.addAll(summary.words)
  const counts = Object.keys(firstSummary.counts).flatMap((name) => {
    const unit = name as keyof ContentSummary['counts'] // keys of the type
    const unitCounts = knownSummaries.flatMap((summary) => summary.counts[unit] ?? [])
    const totalCount =
      unit === 'channels' ? Math.min(...unitCounts) : unitCounts.reduce((sum, count) => sum + count, 0)
    return unitCounts.length === knownSummaries.length ? [[unit, totalCount] as const] : []
  })
  const sumIfComplete = (values: readonly number[]) =>
    values.length === knownSummaries.length ? values.reduce((sum, value) => sum + value, 0) : undefined
  const seconds = sumIfComplete(knownSummaries.flatMap((summary) => summary.seconds ?? []))
  const soundSeconds = sumIfComplete(knownSummaries.flatMap((summary) => summary.soundSeconds ?? []))
  return {
    ...(words && { words }),
    counts: Object.fromEntries(counts),
    ...(seconds !== undefined && { seconds }),
    ...(soundSeconds !== undefined && { soundSeconds }),
    features: [...new Set(knownSummaries.flatMap(({ features }) => features))],
    absentImages: knownSummaries.reduce((sum, { absentImages = 0 }) => sum + absentImages, 0),
    ...((distinctWords > maxDistinctWords || knownSummaries.some(({ isIncomplete }) => isIncomplete)) && {
      isIncomplete: true,
    }),
  }
}
