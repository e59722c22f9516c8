import type { Option, Problem } from '../api.ts'
import words from './words/en.ts'

/** Reads and validates what users enter in the option fields. */

/** Field contents by option name. */
export type Values = Readonly<Record<string, string | boolean>>

/** Returns a copy with a value added, changed or removed. */
export function withValue(values: Values, name: string, value: string | boolean | undefined): Values {
  const { [name]: _old, ...others } = values
  return value === undefined ? others : { ...others, [name]: value }
}

/** Returns the option values that differ from their defaults. */
export function collectValues(options: readonly Option[], values: Values): Record<string, unknown> {
  const entries = options.flatMap((option) => {
    const value = parseValue(option, values[option.name])
    return value === undefined || value === option.default ? [] : [[option.name, value] as const]
  })
  return Object.fromEntries(entries)
}

function parseValue(option: Option, raw: string | boolean | undefined): unknown {
  if (raw === undefined || raw === '') return undefined
  if (typeof raw === 'boolean') return raw
  if (option.type === 'boolean') return raw === 'true'
  const isNumber = option.type === 'number' || option.type === 'integer'
  const number = Number(raw)
  if ((isNumber || (option.number && !option.enum?.includes(raw))) && !Number.isNaN(number)) return number
  return raw
}

/** Returns an error message for each invalid field; empty if all are valid. */
export function validateOptions(options: readonly Option[], values: Values): Record<string, string> {
  const errors = options.flatMap((option) => {
    const error = validateOption(option, values[option.name])
    return error ? [[option.name, error] as const] : []
  })
  return Object.fromEntries(errors)
}

function validateOption(option: Option, raw: string | boolean | undefined): string | undefined {
  if (raw === undefined || raw === '' || typeof raw === 'boolean' || option.enum?.includes(raw))
    return undefined
  const bounds = option.number ?? (option.type === 'number' || option.type === 'integer' ? option : undefined)
  if (bounds && !option.spelled) return validateNumber(Number(raw), bounds)
  if (option.pattern && option.type === 'string' && !new RegExp(`^(?:${option.pattern})$`, 'u').test(raw))
    return words.invalidValue
  return undefined
}

/** Describes which values an option accepts, as far as the page knows. */
export function describeLimit(option: Option): string {
  const { min, max } = option.number ?? option
  return describeBounds(min, max) ?? (option.description || words.invalidValue)
}

function describeBounds(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return words.between(min, max)
  if (min !== undefined) return words.atLeast(min)
  return max === undefined ? undefined : words.atMost(max)
}

function validateNumber(
  value: number,
  { min, max, type }: { min?: number | undefined; max?: number | undefined; type: string },
): string | undefined {
  if (Number.isNaN(value)) return words.notANumber
  if (type === 'integer' && !Number.isInteger(value)) return words.notAnInteger
  const isOutOfRange = value < (min ?? value) || value > (max ?? value)
  return isOutOfRange ? describeBounds(min, max) : undefined
}

/**
 * Finds the option that a problem refers to: `options.start`, `tasks.convert-1.options.start` and `start` all mean the
 * option `start`.
 */
export function findProblemOption({ field }: Problem, options: readonly Option[]): Option | undefined {
  const name = field?.replace(/^(?:tasks\.[^.]+\.)?(?:options[./])?/, '').split(/[.[]/)[0]
  return options.find((option) => option.name === name)
}
