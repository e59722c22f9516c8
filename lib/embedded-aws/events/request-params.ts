// Validates the members of a request with zod schemas and reports violations with the messages of AWS.
import * as z from 'zod'
import { ApiError } from '../signed-api.ts'
import { createValidationError } from './errors.ts'

/** Returns the schema of a string. @param pattern AWS's regular expression, which must match the whole string */
export const textField = (minLength: number, maxLength: number, pattern?: string) => {
  const sizedString = z.string().min(minLength).max(maxLength)
  if (pattern === undefined) return sizedString
  const error = `Member must satisfy regular expression pattern: ${pattern}`
  return sizedString.regex(new RegExp(`^(?:${pattern})$`), { error })
}

export const wholeNumberField = (min: number, max: number) => z.number().int().min(min).max(max)

/** Returns a schema that rejects a member which AWS supports and this server does not, instead of ignoring it. */
export const rejectField = (name: string) =>
  z
    .unknown()
    .refine((value) => value === undefined, {
      error: `${name} is not supported by this server. Leave it out.`,
      params: { sentence: true },
    })
    .optional()

export const Tags = z.array(z.object({ Key: textField(1, 128), Value: textField(0, 256) }))

/** Maximum retry settings, which are also the defaults. */
export const retryLimits = { ageS: 86_400, attempts: 185 } as const

export const RetryPolicy = z.object({
  MaximumEventAgeInSeconds: wholeNumberField(60, retryLimits.ageS).optional(),
  MaximumRetryAttempts: wholeNumberField(0, retryLimits.attempts).optional(),
})

/** Validates a request body against its schema; reports all violations together, as AWS does. */
export function readMembers<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(removeNulls(body), { reportInput: true })
  if (result.success) return result.data
  const { issues } = result.error
  const sentence = issues.find((issue) => issue.code === 'custom' && issue.params?.sentence === true)
  if (sentence) throw createValidationError(sentence.message)
  const unreadableIssue = issues.find((issue) => issue.code === 'invalid_type' && issue.input !== undefined)
  if (unreadableIssue)
    throw new ApiError(
      'SerializationException',
      `The value at '${formatMemberPath(unreadableIssue.path)}' has the wrong type.`,
    )
  const sentences = issues.map(
    (issue) =>
      `Value ${formatValue(issue.input)} at '${formatMemberPath(issue.path)}' failed to satisfy constraint: ${describeConstraint(issue)}`,
  )
  const count = sentences.length === 1 ? '1 validation error' : `${sentences.length} validation errors`
  throw createValidationError(`${count} detected: ${sentences.join('; ')}`)
}

/**
 * Formats the path of a member like AWS, which counts list members from one and starts names in lower case:
 * `targets.1.member.id`.
 */
function formatMemberPath(path: readonly PropertyKey[]): string {
  return path
    .map((step) =>
      typeof step === 'number' ? `${step + 1}.member` : String(step).replace(/^./, (c) => c.toLowerCase()),
    )
    .join('.')
}

function formatValue(value: unknown): string {
  if (value === undefined) return 'null'
  const wholeText = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${wholeText.slice(0, 1024)}'`
}

function describeConstraint(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_big') {
    const measure = issue.origin === 'number' || issue.origin === 'int' ? 'value' : 'length'
    return `Member must have ${measure} less than or equal to ${issue.maximum}`
  }
  if (issue.code === 'too_small') {
    const measure = issue.origin === 'number' || issue.origin === 'int' ? 'value' : 'length'
    return `Member must have ${measure} greater than or equal to ${issue.minimum}`
  }
  if (issue.code === 'invalid_value')
    return `Member must satisfy enum value set: [${issue.values.join(', ')}]`
  if (issue.code === 'invalid_type') return 'Member must not be null'
  return issue.message
}

const maxDepth = 64

/** Removes null members, which AWS's JSON protocols treat as missing. */
function removeNulls(value: unknown, depth = 0): unknown {
  if (depth > maxDepth) throw new ApiError('SerializationException', 'The request is nested too deeply.')
  if (Array.isArray(value)) return value.map((item) => removeNulls(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== null)
      .map(([key, one]) => [key, removeNulls(one, depth + 1)]),
  )
}

interface ResultPage<T> {
  readonly items: readonly T[]
  readonly next: { readonly NextToken?: string }
}

/** Returns one page of a list sorted by key; the token encodes the last key of the page. */
export function paginate<T>(
  sortedItems: readonly T[],
  getKey: (item: T) => string,
  { token, limit }: { readonly token: string | undefined; readonly limit: number },
): ResultPage<T> {
  const afterKey = token === undefined ? '' : Buffer.from(token, 'base64url').toString()
  const remainingItems =
    token === undefined ? sortedItems : sortedItems.filter((item) => getKey(item) > afterKey)
  const items = remainingItems.slice(0, limit)
  const lastItem = items.at(-1)
  if (lastItem === undefined || remainingItems.length <= limit) return { items, next: {} }
  return { items, next: { NextToken: Buffer.from(getKey(lastItem)).toString('base64url') } }
}
