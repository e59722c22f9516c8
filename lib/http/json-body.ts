import { AppError } from '../errors.ts'
import { deepest, isNestedTooDeep } from '../nesting.ts'
import { repeatedField } from './repeated-field.ts'

/**
 * @throws AppError INVALID_REQUEST for what is no JSON or nested too deep, INVALID_INPUT for a name that stands twice in
 * one object.
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  const value = parsed(text)
  if (isNestedTooDeep(text))
    throw new AppError(
      'INVALID_REQUEST',
      `The body is nested too deep: expected at most ${deepest} objects and lists within each other.`,
    )
  const twice = nameSentTwice(text)
  if (twice !== undefined) throw repeatedField(twice)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not JSON'
    throw new AppError('INVALID_REQUEST', `The body is not valid JSON: ${reason}.`, undefined, {
      cause: error,
    })
  }
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs

/**
 * "When the names within an object are not unique, the behavior of software that receives such an object is
 * unpredictable" (RFC 8259, 4): JSON.parse would take the last in silence.
 * @param text that is JSON.
 */
function nameSentTwice(text: string): string | undefined {
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
