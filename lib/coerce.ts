import * as z from 'zod'

/** Fields arrive as text: what looks like a number is one, everything else is left for the schema to refuse. */
export const coerceNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value

export function integer(min: number, max: number) {
  return z.preprocess(coerceNumber, z.int().min(min).max(max))
}
