import * as z from 'zod'
import { coerceNumber, integer, parseBoolean } from '../validation/coerce.ts'

export { coerceNumber as numberFromText, integer }

/** Parses flags from form fields, where every non-empty string would otherwise be truthy. */
const parseFlag = (value: unknown) => (typeof value === 'string' ? (parseBoolean(value) ?? value) : value)

export function decimal(min: number, max: number) {
  return z.preprocess(coerceNumber, z.number().min(min).max(max))
}

export function flag() {
  return z.preprocess(parseFlag, z.boolean())
}

export const qualityLevels = ['low', 'medium', 'high', 'highest'] as const
type QualityLevel = (typeof qualityLevels)[number]
export type Quality = number | QualityLevel

/** A number from 1 to 100, or a level that each format maps to a suitable number. */
export const quality = z
  .union([integer(1, 100), z.enum(qualityLevels)])
  .describe('1 to 100, or low, medium, high, highest. A higher quality makes a larger file.')

/** Maps the quality levels to the numbers of one encoder. */
export type QualityScale = Readonly<Record<QualityLevel, number>>

export function toQualityNumber(value: Quality | undefined, scale: QualityScale): number {
  return typeof value === 'number' ? value : scale[value ?? 'high']
}

/**
 * Passed to `meta` of an option that only the engine may read, such as a password. Call `meta` last: zod attaches it to
 * one schema, and `optional` returns a new one.
 */
export const secretOption = { secret: true } as const

/**
 * Passed to `meta` of a secret option that sets the password of the result. An empty password is refused: if it were
 * ignored, the result would be unprotected.
 */
export const newPasswordOption = { ...secretOption, ofResult: true } as const

export const isNewPassword = (schema: z.ZodType): boolean => schema.meta()?.ofResult === true

/**
 * Passed to `meta` (as the last call) of an option with values that only other services know: a value that is unknown
 * here is dropped with a warning.
 */
export const lenientOption = { lenient: true } as const

export const isLenientOption = (schema: z.ZodType): boolean => schema.meta()?.lenient === true

/** Names of all secret options in both spellings; they are encrypted before the operation's own options are known. */
export const secretOptionNames: ReadonlySet<string> = new Set([
  'password',
  ...['ownerPassword', 'owner_password'],
  ...['currentPassword', 'current_password'],
])

export const isSecretOption = (schema: z.ZodType): boolean => schema.meta()?.secret === true

/** Passed to `meta` (as the last call) of an option that controls how the input file is read. */
export const inputOption = { ofSource: true } as const

/**
 * Passed to `meta` (as the last call) of an option that is passed to every step that supports it. By default, an option
 * is passed only to the last of these steps.
 */
export const eachStepOption = { ofEachStep: true } as const

export const isEachStepOption = (schema: z.ZodType): boolean => schema.meta()?.ofEachStep === true

export const isInputOption = (schema: z.ZodType): boolean => schema.meta()?.ofSource === true
