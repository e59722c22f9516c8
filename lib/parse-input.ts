import * as z from 'zod'
import { expectationOf, ownWords } from './describe-schema.ts'
import { AppError } from './errors.ts'
import { requireUnambiguousJson } from './http/json-body.ts'
import { isNestedTooDeep } from './json-depth.ts'

interface FieldError {
  readonly field: string
  readonly error: string
}

/** Fields that an error lists: who has more wrong ones has sent something else. */
const mostErrors = 20

/**
 * @param sentAs the name under which a field was sent, where it was another.
 * @throws AppError INVALID_INPUT that lists every field that is wrong, with what was expected and what came.
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: string,
  sentAs = (field: string) => field,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = fieldErrors(parsed.error, schema, value, where).map(({ field, error }) => ({
    field: field === where ? field : sentAs(field),
    error,
  }))
  const [first] = errors
  throw new AppError('INVALID_INPUT', `${first?.field}: ${first?.error}.`, { field: first?.field, errors })
}

/** What a field of a form holds as JSON; `expected` says what that is. @throws AppError INVALID_INPUT */
export function parseJson<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  field: string,
  expected: string,
): z.output<Schema> {
  try {
    const value: unknown = JSON.parse(text)
    if (isNestedTooDeep(text)) throw new RangeError('nested too deep')
    requireUnambiguousJson(text, value, field)
    return schema.parse(value)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('INVALID_INPUT', `${field}: expected ${expected}.`, { field }, { cause: error })
  }
}

/** Each wrong field once, in the order of the schema. */
export function fieldErrors(
  { issues }: z.ZodError,
  schema: z.ZodType,
  value: unknown,
  where: string,
): FieldError[] {
  const errors = new Map<string, FieldError>()
  for (const issue of issues.flatMap((one) => innermost(one))) {
    for (const error of errorsOf(issue, schema, value, where))
      if (!errors.has(error.field) && errors.size < mostErrors) errors.set(error.field, error)
  }
  return [...errors.values()]
}

type Issue = z.core.$ZodIssue

/** Of several forms one fits but for something in it: that is what is wrong. */
function innermost(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const nearly = issue.errors.filter((form) => form.length > 0 && form.every(({ path }) => path.length > 0))
  const [only] = nearly
  if (only === undefined || nearly.length > 1) return [issue]
  return only.flatMap((inner) => innermost({ ...inner, path: [...issue.path, ...inner.path] }))
}

function errorsOf(issue: Issue, schema: z.ZodType, value: unknown, where: string): FieldError[] {
  const { path, came } = sentAt(issue.path, value)
  const field = path.join('.') || where
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      field: [...path, key].join('.').slice(0, 100),
      error: unknownField(key, schema, path),
    }))
  if (issue.code === 'invalid_key') return [{ field, error: `expected ${wordsOfKey(issue)}` }]
  const expected = `${ownWords(issue) ?? expectationOf(schema, path)}${exactly(issue)}`
  if (came === undefined && path.length > 0) return [{ field, error: `it is missing; expected ${expected}` }]
  return [{ field, error: `expected ${expected}${arrival(path, came)}` }]
}

/** What is wrong is the name itself, whatever stands under it. */
const wordsOfKey = ({ issues: [first] }: z.core.$ZodIssueInvalidKey): string =>
  (first && ownWords(first)) ?? 'another name'

/** Larger whole numbers are not told apart from each other, so that no schema names the limit. */
function exactly(issue: Issue): string {
  const most = Number.MAX_SAFE_INTEGER
  return issue.code === 'too_big' && issue.maximum === most ? ` and at most ${most}` : ''
}

function unknownField(key: string, schema: z.ZodType, path: readonly PropertyKey[]): string {
  const known = path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const meant = known.find((name) => plain(name) === plain(key))
  if (meant !== undefined) return `there is no such field; it is written ${meant}`
  return `there is no such field${known.length > 0 ? `; expected one of ${known.join(', ')}` : ''}. Leave it out`
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The field as the client sent it: where a schema makes a list of a text, the text as a whole is what came. */
function sentAt(path: readonly PropertyKey[], value: unknown): { path: PropertyKey[]; came: unknown } {
  const sent: PropertyKey[] = []
  let came = value
  for (const name of path) {
    if (typeof came !== 'object' || came === null) break
    sent.push(name)
    came = (came as Record<PropertyKey, unknown>)[name]
  }
  return { path: sent, came }
}

/** Values of these names are not shown, not even to who sent them: replies end up in logs. */
const secret = /password|secret|token|key|authorization|cookie/i

function arrival(path: readonly PropertyKey[], came: unknown): string {
  if (path.some((name) => secret.test(String(name)))) return ''
  if (path.length === 0) return `, got ${kindOf(came)}`
  return `, got ${shown(came)}`
}

/** Characters of a value that a sentence shows. */
const mostShown = 80
/** Shown as they are they would turn the sentence around. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g
const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16)}`
const halfAtEnd = /[\ud800-\udbff]$/

function shown(came: unknown): string {
  // JSON would make nothing of the infinite.
  if (typeof came === 'number') return String(came)
  const text = JSON.stringify(came)?.replace(turning, escaped)
  if (text === undefined) return kindOf(came)
  if (text.length <= mostShown) return text
  const begin = `${text.slice(0, mostShown).replace(halfAtEnd, '')}…`
  return typeof came === 'string' ? `${begin}" with ${came.length} characters` : begin
}

/** What is too large to be shown. */
function kindOf(came: unknown): string {
  if (Array.isArray(came)) return 'a list'
  if (came === null || came === undefined) return 'nothing'
  return typeof came === 'object' ? 'an object' : `a ${typeof came === 'string' ? 'text' : typeof came}`
}
