import { AppError } from '../errors.ts'
import { isNestedTooDeep, maxJsonDepth } from './json-depth.ts'
import { duplicateFieldError } from './repeated-field.ts'
import { findUnpairedSurrogate, unpairedSurrogateError } from './unpaired-surrogates.ts'

/** @throws AppError INVALID_REQUEST for text that is not JSON or nested too deeply, and errors of the checks below. */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return {}
  const value = parseText(text)
  if (isNestedTooDeep(text))
    throw new AppError(
      'INVALID_REQUEST',
      `The body is nested too deeply: expected at most ${maxJsonDepth} levels of objects and arrays.`,
    )
  requireUnambiguousJson(text, value, 'body')
  return value
}

/**
 * @param text the JSON of `value`, not nested too deeply.
 * @throws AppError INVALID_INPUT for an object with a duplicate name, and for a string with an unpaired surrogate.
 */
export function requireUnambiguousJson(text: string, value: unknown, where: string): void {
  const twice = findDuplicateName(text)
  if (twice !== undefined) throw duplicateFieldError(twice)
  const broken = findUnpairedSurrogate(value)
  if (broken !== undefined) throw unpairedSurrogateError(broken.join('.') || where)
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

/** Shortens V8's message for our sentence, without the quoted text, which may be a secret. */
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

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs

/**
 * "When the names within an object are not unique, the behavior of software that receives such an object is
 * unpredictable" (RFC 8259, 4): JSON.parse would silently use the last one.
 * @param text valid JSON.
 */
function findDuplicateName(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let string = ''
  for (const [token] of text.matchAll(tokens)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const names = open.at(-1)
      const name = String(JSON.parse(string))
      if (names?.has(name)) return name
      names?.add(name)
    } else string = token
  }
  return undefined
}
