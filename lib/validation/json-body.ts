import { AppError } from '../errors.ts'
import { findDuplicateName, findJsonExcess } from './json-shape.ts'
import { createDuplicateFieldError } from './repeated-field.ts'
import { createUnpairedSurrogateError, findUnpairedSurrogate } from './unpaired-surrogates.ts'

/**
 * Parses the JSON of a body.
 * @throws AppError INVALID_REQUEST for text that is not JSON, nested too deeply or too large; the errors of
 * `requireUnambiguousJson`.
 */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return {}
  const excess = findJsonExcess(text)
  if (excess !== undefined) throw new AppError('INVALID_REQUEST', `The body is ${excess}.`)
  const value = parseText(text)
  requireUnambiguousJson(text, value, 'body')
  return value
}

/**
 * Rejects JSON that two programs may parse differently.
 * @param text the JSON of `value`, within the limits.
 * @throws AppError INVALID_INPUT for an object with a duplicate name, and for a string with an unpaired surrogate.
 */
export function requireUnambiguousJson(text: string, value: unknown, location: string): void {
  // JSON.parse would silently use the last of several values.
  // RFC 8259, 4: "the behavior of software that receives such an object is unpredictable".
  const duplicateName = findDuplicateName(text)
  if (duplicateName !== undefined) throw createDuplicateFieldError(duplicateName)
  const unpairedPath = findUnpairedSurrogate(value)
  if (unpairedPath !== undefined) throw createUnpairedSurrogateError(unpairedPath.join('.') || location)
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? describeJsonError(error.message) : 'it cannot be parsed'
    throw new AppError('INVALID_REQUEST', `The body is not valid JSON: ${reason}.`, undefined, {
      cause: error,
    })
  }
}

/** Shortens V8's message and removes the quoted text, which may be a secret. */
function describeJsonError(message: string): string {
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
  if (token !== undefined) return `unexpected token ${token}`
  if (message === 'Unexpected end of JSON input') return 'unexpected end of the text'
  const [, words, line, column] =
    /^(.*?) (?:in |after )?JSON at position \d+ \(line (\d+) column (\d+)\)$/s.exec(message) ?? []
  return words === undefined
    ? 'it cannot be parsed'
    : `${words.toLowerCase()} at line ${line}, column ${column}`
}
