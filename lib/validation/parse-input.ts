import * as z from 'zod'
import { AppError } from '../errors.ts'
import { describeExpectation, getCustomExpectation } from './describe-schema.ts'
import { describeUrl } from './describe-url.ts'
import { findSimilar } from './did-you-mean.ts'
import { requireUnambiguousJson } from './json-body.ts'
import { findJsonExcess } from './json-shape.ts'

interface FieldError {
  readonly field: string
  readonly error: string
  readonly isMissing?: boolean
}

/** Maximum number of field errors in a reply; a request with more is probably a different kind of body. */
const maxFieldErrors = 20

/**
 * Parses a value from a client.
 * @param clientFieldName maps a field of the schema to the name that the client used.
 * @throws AppError that lists every invalid field, what was expected and what was received: INVALID_REQUEST if the
 * first invalid field is missing, otherwise INVALID_INPUT.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  location: string,
  clientFieldName = (field: string) => field,
): z.output<Schema> {
  const parseResult = schema.safeParse(value)
  if (parseResult.success) return parseResult.data
  const foundErrors = listFieldErrors(parseResult.error, schema, value, location)
  const errors = foundErrors.map(({ field, error }) => ({
    field: field === location ? field : clientFieldName(field),
    error,
  }))
  const [firstError] = errors
  const code = foundErrors[0]?.isMissing ? 'INVALID_REQUEST' : 'INVALID_INPUT'
  const sentenceEnd = firstError?.error.endsWith('?') ? '' : '.'
  throw new AppError(code, `${firstError?.field}: ${firstError?.error}${sentenceEnd}`, {
    field: firstError?.field,
    errors,
  })
}

/**
 * Parses a form field that contains JSON; `expected` describes the expected value in the error message.
 * @throws AppError INVALID_INPUT
 */
export function parseJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  field: string,
  expected: string,
): z.output<Schema> {
  try {
    const excess = findJsonExcess(text)
    if (excess !== undefined) throw new RangeError(excess)
    const value: unknown = JSON.parse(text)
    requireUnambiguousJson(text, value, field)
    return schema.parse(value)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('INVALID_INPUT', `${field}: expected ${expected}.`, { field }, { cause: error })
  }
}

/** Returns each invalid field once, in schema order. */
function listFieldErrors(
  { issues }: z.ZodError,
  schema: z.ZodType,
  value: unknown,
  location: string,
): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const issue of issues.flatMap((issue) => unwrapUnion(issue))) {
    for (const error of describeIssue(issue, schema, value, location))
      if (!errors.has(error.field) && errors.size < maxFieldErrors) errors.set(error.field, error)
  }
  return [...errors.values()]
}

type Issue = z.core.$ZodIssue

/**
 * If a value has the right type for exactly one variant of a union and only some of its fields are invalid, returns the
 * issues of that variant.
 */
function unwrapUnion(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const nearMatches = issue.errors.filter(
    (form) => form.length > 0 && form.every(({ path }) => path.length > 0),
  )
  const [onlyIssue] = nearMatches
  if (onlyIssue === undefined || nearMatches.length > 1) return [issue]
  return onlyIssue.flatMap((inner) => unwrapUnion({ ...inner, path: [...issue.path, ...inner.path] }))
}

function describeIssue(issue: Issue, schema: z.ZodType, value: unknown, location: string): FieldError[] {
  const { path, received } = locateSentValue(issue.path, value)
  const field = path.join('.') || location
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: [...path, key].join('.').slice(0, 100),
      error: describeUnknownField(key, schema, path),
    }))
  if (issue.code === 'invalid_key') return [{ field, error: `expected ${describeKeyRule(issue)}` }]
  const expected = `${getCustomExpectation(issue) ?? describeExpectation(schema, path)}${describeSafeIntegerLimit(issue)}`
  if (received === undefined && path.length > 0)
    return [{ field, error: `it is missing; expected ${expected}`, isMissing: true }]
  return [{ field, error: `expected ${expected}${describeReceived(path, received)}` }]
}

/** Describes a rule for the key itself, whatever its value. */
const describeKeyRule = ({ issues: [first] }: z.core.$ZodIssueInvalidKey): string =>
  (first && getCustomExpectation(first)) ?? 'another name'

/**
 * Describes the limit of safe integers, which no schema mentions: larger whole numbers cannot be represented exactly.
 */
function describeSafeIntegerLimit(issue: Issue): string {
  const maxSafe = Number.MAX_SAFE_INTEGER
  return issue.code === 'too_big' && issue.maximum === maxSafe ? ` and at most ${maxSafe}` : ''
}

function describeUnknownField(key: string, schema: z.ZodType, path: readonly PropertyKey[]): string {
  const knownNames = path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const similarName = findSimilar(key, knownNames)
  if (similarName !== undefined) return `unknown field; did you mean ${similarName}?`
  return `unknown field${knownNames.length > 0 ? `; expected one of ${knownNames.join(', ')}` : ''}. Remove it`
}

/** Finds the value that the client sent. If a schema splits a text into a list, returns the whole text. */
function locateSentValue(
  path: readonly PropertyKey[],
  value: unknown,
): { path: PropertyKey[]; received: unknown } {
  const sentKeys: PropertyKey[] = []
  let receivedValue = value
  for (const name of path) {
    if (typeof receivedValue !== 'object' || receivedValue === null) break
    sentKeys.push(name)
    receivedValue = Reflect.get(receivedValue, name)
  }
  return { path: sentKeys, received: receivedValue }
}

/** Names of fields whose values are never shown, not even to the sender, because replies end up in logs. */
const secretNamePattern = /password|passphrase|secret|token|key|authorization|cookie/i
/** Names of fields with a URL; messages show the URL without its credentials and query. */
const urlNamePattern = /url|endpoint/i

function describeReceived(path: readonly PropertyKey[], receivedValue: unknown): string {
  if (path.some((name) => secretNamePattern.test(String(name)))) return ''
  if (path.length === 0) return `, got ${describeType(receivedValue)}`
  if (typeof receivedValue === 'string' && path.some((name) => urlNamePattern.test(String(name))))
    return `, got ${formatValue(describeUrl(receivedValue))}`
  return `, got ${formatValue(receivedValue)}`
}

/** Maximum number of characters of a value that a message quotes. */
const maxShownLength = 80
/** Characters that would reverse the text of the message if they were not escaped. */
const bidiControlPattern = /[\u202a-\u202e\u2066-\u2069]/g
const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16)}`
const trailingHighSurrogatePattern = /[\ud800-\udbff]$/

function formatValue(receivedValue: unknown): string {
  // Numbers are not formatted as JSON, which turns Infinity into null.
  if (typeof receivedValue === 'number') return String(receivedValue)
  const text = JSON.stringify(receivedValue)?.replace(bidiControlPattern, escapeCharacter)
  if (text === undefined) return describeType(receivedValue)
  if (text.length <= maxShownLength) return text
  const begin = `${text.slice(0, maxShownLength).replace(trailingHighSurrogatePattern, '')}…`
  return typeof receivedValue === 'string' ? `${begin}" with ${receivedValue.length} characters` : begin
}

/** Describes the type of a value that is too large to show. */
function describeType(receivedValue: unknown): string {
  if (Array.isArray(receivedValue)) return 'a list'
  if (receivedValue === null || receivedValue === undefined) return 'nothing'
  return typeof receivedValue === 'object'
    ? 'an object'
    : `a ${typeof receivedValue === 'string' ? 'text' : typeof receivedValue}`
}
