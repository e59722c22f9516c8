import * as z from 'zod'
import { AppError } from './errors.ts'

/** @throws AppError INVALID_INPUT that lists every field that is wrong, with what was expected and what came. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: string,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const errors = parsed.error.issues.map((issue) => {
    const { path, came } = sentAt(issue.path, value)
    const error = `${expectation(issue, schema).replace(/\.$/, '')}${arrival(path, issue.message, came)}`
    return { field: path.join('.') || where, error }
  })
  const [first] = errors
  throw new AppError('INVALID_INPUT', `${first?.field}: ${first?.error}.`, { field: first?.field, errors })
}

type Issue = z.core.$ZodIssue

/** Of several forms none fits: what the field is for says more than why each failed. */
function expectation(issue: Issue, schema: z.ZodType): string {
  // A form sends text whatever is expected; what came is said in full behind it.
  if (issue.code === 'invalid_type') return issue.message.replace(/, received (?!undefined)\w+$/, '')
  if (issue.code !== 'invalid_union' || !(schema instanceof z.ZodObject)) return issue.message
  const description = descriptionOf(schema.shape[String(issue.path[0])])
  return description ? `expected: ${description.replace(/\.$/, '')}` : issue.message
}

/** What is said of an option stands inside what makes it optional. */
function descriptionOf(type: unknown): string | undefined {
  if (!(type instanceof z.ZodType)) return undefined
  const inner = type instanceof z.ZodOptional || type instanceof z.ZodDefault ? type.unwrap() : undefined
  return type.description ?? descriptionOf(inner)
}

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
const secret = /password|secret|token|key/i

function arrival(path: readonly PropertyKey[], message: string, came: unknown): string {
  if (path.length === 0 || path.some((name) => secret.test(String(name))) || /\bgot\b/.test(message))
    return ''
  return came === undefined ? '' : `, got ${JSON.stringify(came).slice(0, 80)}`
}
