import * as z from 'zod'

/** Converts the text of a form or query field to a number if it looks like one; the schema rejects any other text. */
export const coerceNumber = (value: unknown) =>
  typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value

/** Texts that forms and queries send for a boolean. Upper and lower case are equivalent. */
const textsByValue = [
  [true, ['true', '1', 'yes', 'on']],
  [false, ['false', '0', 'no', 'off']],
] as const
const booleansByText = new Map<string, boolean>(
  textsByValue.flatMap(([value, texts]) => texts.map((text): [string, boolean] => [text, value])),
)

/** Parses a boolean; undefined for other texts. */
export const parseBoolean = (text: string) => booleansByText.get(text.trim().toLowerCase())

export function integer(min: number, max: number) {
  return z.preprocess(coerceNumber, z.int().min(min).max(max))
}
