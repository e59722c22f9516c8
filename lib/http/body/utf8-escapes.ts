import { AppError } from '../../errors.ts'

/**
 * Matches runs of percent escapes: all bytes of a character are escaped in sequence, so a character is always within
 * one run.
 */
const escapeRunPattern = /(?:%[\da-f]{2})+/gi

/**
 * Rejects escapes that are not UTF-8, which URLSearchParams would silently replace with U+FFFD. A percent sign without
 * two hex digits is literal.
 * @param encodedText a query or a form body.
 * @throws AppError INVALID_INPUT that names the first such field.
 */
export function requireUtf8Escapes(encodedText: string): void {
  const invalidPair = encodedText
    .split('&')
    .find((pair) => !(pair.match(escapeRunPattern) ?? []).every(isUtf8))
  if (invalidPair === undefined) return
  const [[name = ''] = []] = new URLSearchParams(invalidPair)
  throw createNotUtf8Error(name)
}

function isUtf8(escapes: string): boolean {
  try {
    decodeURIComponent(escapes)
    return true
  } catch {
    return false
  }
}

export function createNotUtf8Error(name: string): AppError {
  const field = name.slice(0, 64)
  return new AppError(
    'INVALID_INPUT',
    `${field}: expected UTF-8, got another encoding. In a URL or a form, encode values with encodeURIComponent (é is %C3%A9).`,
    { field },
  )
}
