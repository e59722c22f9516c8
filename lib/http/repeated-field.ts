import { AppError } from '../errors.ts'

/** The last would win and the others be lost, and nobody would be told. */
export function repeatedFieldError(name: string): AppError {
  const field = name.slice(0, 64)
  return new AppError(
    'INVALID_INPUT',
    `${field}: it was sent twice. Send it once; several values go into one field, as a JSON list or with commas between.`,
    { field },
  )
}

/** Fields of a form, each of which came once. @throws AppError INVALID_INPUT */
export function requireUniqueFields(
  pairs: Iterable<readonly [name: string, value: string]>,
): Record<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (fields.has(name)) throw repeatedFieldError(name)
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}
