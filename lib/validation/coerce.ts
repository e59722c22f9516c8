import * as z from 'zod'

/** Converts the text of a form or query field to a number if it looks like one; the schema rejects anything else. */
export const coerceNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value

export function integer(min: number, max: number) {
  return z.preprocess(coerceNumber, z.int().min(min).max(max))
}
