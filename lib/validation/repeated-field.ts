import { AppError } from '../errors.ts'

/** Creates the error for a repeated field. Without this error, all values but the last would be lost silently. */
export function createDuplicateFieldError(name: string): AppError {
  const field = name.slice(0, 64)
  return new AppError(
    'INVALID_INPUT',
    `${field}: expected this field once, got it twice. Send several values in one field, as a JSON array or separated by commas.`,
    { field },
  )
}

/** Returns the fields of a form. @throws AppError INVALID_INPUT for a repeated field. */
export function requireUniqueFields(
  pairs: Iterable<readonly [name: string, value: string]>,
): Record<string, string> {
  const fields = new Map<string, string>()
  for (const [name, value] of pairs) {
    if (fields.has(name)) throw createDuplicateFieldError(name)
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}
