import { AppError } from '../errors.ts'

/** Letters are escaped byte by byte, so that each of them is within one run of escapes. */
const runs = /(?:%[\da-f]{2})+/gi

/**
 * URLSearchParams would put U+FFFD in place of bytes that are no UTF-8, and nobody would be told. A percent sign that
 * begins no escape is itself, for it as for us.
 * @param encoded a query or a body of a form. @throws AppError INVALID_INPUT that names the first such field.
 */
export function requireUtf8Escapes(encoded: string): void {
  const pair = encoded.split('&').find((one) => !(one.match(runs) ?? []).every(isUtf8))
  if (pair === undefined) return
  const [[name = ''] = []] = new URLSearchParams(pair)
  throw notUtf8Error(name)
}

function isUtf8(run: string): boolean {
  try {
    decodeURIComponent(run)
    return true
  } catch {
    return false
  }
}

export function notUtf8Error(name: string): AppError {
  const field = name.slice(0, 64)
  return new AppError(
    'INVALID_INPUT',
    `${field}: expected text in UTF-8, got bytes of another encoding. Send é as %C3%A9 in an address or a plain form, as encodeURIComponent writes it.`,
    { field },
  )
}
