import * as z from 'zod'

/** Features of files that not every format can represent. */
export const features = [
  'pictures',
  /** A video track */
  'film',
  'sound',
  'animation',
  'transparency',
  'formulas',
  /** Mathematical formulas in documents */
  'equations',
  'comments',
  /** Speaker notes */
  'notes',
  /** Headers and footers */
  'margins',
  /** Text deleted with tracked changes */
  'changes',
  /** Text that is neither shown nor printed */
  'hiddenText',
  'selectableText',
] as const

export type Feature = (typeof features)[number]

/** The part of a content summary that a task record stores while chunks do the work. */
export const StoredSummary = z.object({
  counts: z.record(z.string(), z.number()),
  seconds: z.number().optional(),
  soundSeconds: z.number().optional(),
  features: z.array(z.enum(features)),
})

export type StoredSummary = z.infer<typeof StoredSummary>
