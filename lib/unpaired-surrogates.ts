import { AppError } from './errors.ts'

/**
 * Where a text or a name stands that is no sequence of characters: JSON can spell one half of a pair alone (`"\\ud83d"`),
 * which UTF-8 cannot, so that no store takes it.
 * @param value from JSON that is not nested too deep.
 */
export function findUnpairedSurrogate(
  value: unknown,
  path: readonly string[] = [],
): readonly string[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const found = name.isWellFormed() ? findUnpairedSurrogate(inner, [...path, name]) : path
    if (found) return found
  }
  return undefined
}

export const unpairedSurrogateError = (field: string): AppError =>
  new AppError(
    'INVALID_INPUT',
    `${field.slice(0, 100)}: expected whole characters, got half of one, as \\ud83d alone. The text was probably cut in the middle of it.`,
    { field: field.slice(0, 100) },
  )
