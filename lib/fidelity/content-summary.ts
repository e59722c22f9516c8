import * as z from 'zod'
import type { Unit } from './fidelity.ts'
import { WordCounts } from './word-counts.ts'

/** What in a file not every format can hold. */
export const features = [
  'pictures',
  /** The picture of a film. */
  'film',
  'sound',
  'animation',
  'transparency',
  'formulas',
  /** Of mathematics. */
  'equations',
  'comments',
  /** Of a speaker. */
  'notes',
  /** Lines on top and at the bottom of every page. */
  'margins',
  /** Text that was deleted while changes were tracked. */
  'changes',
  /** Which is neither shown nor printed. */
  'hiddenText',
  'selectableText',
] as const
export type Feature = (typeof features)[number]

/** What a file holds, as far as it is cheap to tell. */
export interface ContentSummary {
  readonly words?: WordCounts
  /** Of a workbook that hides some of them, those that it shows. */
  readonly visibleWords?: WordCounts
  /** Of the comments of a document, which some writers bring into its text. */
  readonly commentWords?: WordCounts
  /** Of the lines on top and at the bottom of its pages, which are not among its words: each stands there once. */
  readonly marginWords?: WordCounts
  readonly counts: Readonly<Partial<Record<Exclude<Unit, 'words' | 'seconds'>, number>>>
  /** How long it plays. */
  readonly seconds?: number
  /** Of that its sound, where a film says it apart: it may begin later than the picture, or end before it. */
  readonly soundSeconds?: number
  readonly features: readonly Feature[]
}

/** As much of it as the record of a task keeps while others do the work. */
export const StoredSummary = z.object({
  counts: z.record(z.string(), z.number()),
  seconds: z.number().optional(),
  soundSeconds: z.number().optional(),
  features: z.array(z.enum(features)),
})
export type StoredSummary = z.infer<typeof StoredSummary>

/** What several files hold that are made into one; undefined where it is not known of each. */
export function combineSummaries(all: readonly (ContentSummary | undefined)[]): ContentSummary | undefined {
  const known = all.filter((summary) => summary !== undefined)
  const [first] = known
  if (!first || known.length < all.length) return undefined
  if (known.length === 1) return first
  const words = known.every((summary) => summary.words) ? new WordCounts() : undefined
  for (const summary of known) if (summary.words) words?.addAll(summary.words)
  const counts = Object.keys(first.counts).flatMap((name) => {
    const unit = name as keyof ContentSummary['counts'] // keys of the type
    const each = known.flatMap((summary) => summary.counts[unit] ?? [])
    const all = unit === 'channels' ? Math.min(...each) : each.reduce((sum, summary) => sum + summary, 0)
    return each.length === known.length ? [[unit, all] as const] : []
  })
  const total = (each: readonly number[]) =>
    each.length === known.length ? each.reduce((sum, summary) => sum + summary, 0) : undefined
  const seconds = total(known.flatMap((summary) => summary.seconds ?? []))
  const soundSeconds = total(known.flatMap((summary) => summary.soundSeconds ?? []))
  return {
    ...(words && { words }),
    counts: Object.fromEntries(counts),
    ...(seconds !== undefined && { seconds }),
    ...(soundSeconds !== undefined && { soundSeconds }),
    features: [...new Set(known.flatMap(({ features }) => features))],
  }
}
