import * as z from 'zod'
import { integer, numberFromText } from '../coerce.ts'

export { integer, numberFromText }

/** `false` as text is false, not a text that is there. */
const flagFromText = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value)

export function decimal(min: number, max: number) {
  return z.preprocess(numberFromText, z.number().min(min).max(max))
}

export function flag() {
  return z.preprocess(flagFromText, z.boolean())
}

export const qualityLevels = ['low', 'medium', 'high', 'highest'] as const
type QualityLevel = (typeof qualityLevels)[number]
export type Quality = number | QualityLevel

/** 1 to 100, or a word that means the right number for each format. */
export const quality = z
  .union([integer(1, 100), z.enum(qualityLevels)])
  .describe('1 to 100, or low, medium, high, highest. Higher is better and larger.')

/** What the words mean to one encoder, in its own numbers. */
export type QualityScale = Readonly<Record<QualityLevel, number>>

export function qualityNumber(value: Quality | undefined, scale: QualityScale): number {
  return typeof value === 'number' ? value : scale[value ?? 'high']
}

/**
 * Given to `meta` of an option that nobody but its engine may read. It goes last: zod keeps it with the one schema, and
 * what `optional` makes of that is another.
 */
export const secretOption = { secretOption: true } as const

/** Given to `meta`, last as well, of an option that some send with words of other services: those are dropped, and told. */
export const lenientOption = { lenientOption: true } as const

export const isLenientOption = (schema: z.ZodType): boolean => schema.meta()?.lenient === true

/** Names of all that are secret, by either spelling: which of them an operation knows is not known before its files. */
export const secretOptionNames: ReadonlySet<string> = new Set([
  'password',
  ...['ownerPassword', 'owner_password'],
  ...['currentPassword', 'current_password'],
])

export const isSecretOption = (schema: z.ZodType): boolean => schema.meta()?.secret === true

/** Given to `meta`, as above, of an option that says how the file that was sent is to be read. */
export const inputOption = { inputOption: true } as const

export const isInputOption = (schema: z.ZodType): boolean => schema.meta()?.ofSource === true
