import { Readable } from 'node:stream'
import * as z from 'zod'
import type { Files } from '../aws/files.ts'
import { AppError } from '../errors.ts'
import type { AnyContract, BodyKind, HttpEvent, ReceivedFile } from './contract.ts'
import { emptyBody, readAll, readMultipart } from './form.ts'

/** Bytes of a body that is not a file. */
const maxPlainBytes = 10 * 1024 * 1024

export interface ParsedBody {
  readonly value: unknown
  readonly files: readonly ReceivedFile[]
  discard(): Promise<void>
}

const mediaTypes: Readonly<Record<string, BodyKind>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'multipart',
}

/** The body as a stream, whichever way the gateway hands it over. */
export function bodyStream(event: HttpEvent): Readable {
  if (event.bodyStream) return event.bodyStream
  if (!event.body) return emptyBody()
  return Readable.from([Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8')])
}

/** Reads what the contract's `body` accepts; files of a form are stored by then. */
export async function readBody(
  event: HttpEvent,
  contract: AnyContract,
  options: { files: Files; maxFileBytes: number },
): Promise<ParsedBody> {
  const none = { files: [], discard: async () => {} }
  if (!contract.body) return { value: undefined, ...none }
  const stream = bodyStream(event)
  switch (kindOf(event, contract.body.accepts)) {
    case 'multipart': {
      const form = await readMultipart(stream, {
        headers: event.headers,
        fileFields: Object.keys(contract.body.files ?? {}),
        ...options,
      })
      return { value: form.fields, files: form.files, discard: () => form.discard() }
    }
    case 'form': {
      const text = (await readAll(stream, maxPlainBytes)).toString('utf8')
      return { value: Object.fromEntries(new URLSearchParams(text)), ...none }
    }
    case 'json':
      return { value: parseJson((await readAll(stream, maxPlainBytes)).toString('utf8')), ...none }
  }
}

function kindOf(event: HttpEvent, accepts: readonly BodyKind[]): BodyKind {
  const type = (event.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? ''
  const kind = type.endsWith('+json') ? 'json' : mediaTypes[type]
  if (kind && accepts.includes(kind)) return kind
  const expected = Object.entries(mediaTypes)
    .filter(([, candidate]) => accepts.includes(candidate))
    .map(([name]) => name)
  throw new AppError(
    'INVALID_REQUEST',
    `The header Content-Type must be ${expected.join(' or ')}, got "${type}".`,
    {
      field: 'Content-Type',
      expected,
    },
  )
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not JSON'
    throw new AppError('INVALID_REQUEST', `The body is not valid JSON: ${reason}.`, undefined, {
      cause: error,
    })
  }
}

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
