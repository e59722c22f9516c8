import { AppError } from '../errors.ts'
import { deepest, isNestedTooDeep } from '../json-depth.ts'
import { brokenText, halfCharacter } from '../unpaired-surrogates.ts'
import { repeatedFieldError } from './repeated-field.ts'

/** @throws AppError INVALID_REQUEST for what is no JSON or nested too deep, and what `requireClear` throws. */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return {}
  const value = parseText(text)
  if (isNestedTooDeep(text))
    throw new AppError(
      'INVALID_REQUEST',
      `The body is nested too deep: expected at most ${deepest} objects and lists within each other.`,
    )
  requireUnambiguousJson(text, value, 'body')
  return value
}

/**
 * @param text that is the JSON of `value`, not nested too deep.
 * @throws AppError INVALID_INPUT for a name that stands twice in one object, and for a text with half of a character.
 */
export function requireUnambiguousJson(text: string, value: unknown, where: string): void {
  const twice = findDuplicateName(text)
  if (twice !== undefined) throw repeatedFieldError(twice)
  const broken = brokenText(value)
  if (broken !== undefined) throw halfCharacter(broken.join('.') || where)
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? describeJsonError(error.message) : 'it cannot be read'
    throw new AppError('INVALID_REQUEST', `The body is not valid JSON: ${reason}.`, undefined, {
      cause: error,
    })
  }
}

/** V8's words without those that the sentence has, and without what it quotes, which may be a secret. */
function describeJsonError(message: string): string {
  const token = /^Unexpected token '(.+?)', /su.exec(message)?.[1]
  if (token !== undefined) return `there is a ${token} where none may be`
  if (message === 'Unexpected end of JSON input') return 'it ends too early'
  const [, words, line, column] =
    /^(.*?) (?:in |after )?JSON at position \d+ \(line (\d+) column (\d+)\)$/s.exec(message) ?? []
  return words === undefined
    ? 'it is something else'
    : `${words.toLowerCase()} at line ${line}, column ${column}`
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs

/**
 * "When the names within an object are not unique, the behavior of software that receives such an object is
 * unpredictable" (RFC 8259, 4): JSON.parse would take the last in silence.
 * @param text that is JSON.
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
