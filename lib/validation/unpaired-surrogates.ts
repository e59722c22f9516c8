import { AppError } from '../errors.ts'

/**
 * Returns the path of a text or key with an unpaired surrogate. JSON can contain one (`"\\ud83d"`), but UTF-8 cannot
 * encode it, so no store accepts it.
 * @param value parsed JSON whose nesting was checked.
 */
export function findUnpairedSurrogate(
  value: unknown,
  path: readonly string[] = [],
): readonly string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, innerValue] of Object.entries(value)) {
    const foundPath = name.isWellFormed() ? findUnpairedSurrogate(innerValue, [...path, name]) : path
    if (foundPath) return foundPath
  }
  return undefined
}

export const createUnpairedSurrogateError = (field: string): AppError =>
  new AppError(
    'INVALID_INPUT',
    `${field.slice(0, 100)}: expected valid Unicode, got an unpaired surrogate such as \\ud83d. The text was probably cut in the middle of a character.`,
    { field: field.slice(0, 100) },
  )
