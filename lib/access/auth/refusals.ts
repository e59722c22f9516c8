import type * as z from 'zod'
import { AppError } from '../../errors.ts'
import { parseJson } from '../../http/json-body.ts'
import { parseWith } from '../../parse-with.ts'
import { authPath } from '../session.ts'
import type { Auth } from './auth.ts'

/** What better-auth refused, in words for people: its own are those of its parser, a word or two, or none at all. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly details?: AppError['details']
}

/** What it says too shortly, by its code, which stays. */
const sentences: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'The body is not valid JSON.',
  INVALID_EMAIL: 'email: expected an address as ann@example.com.',
  INVALID_ORIGIN: 'The header Origin names another address than that of the service. Send its own.',
  MISSING_OR_NULL_ORIGIN:
    'The header Origin is missing: with cookies, name the address of the service in it.',
  PASSWORD_TOO_LONG: 'The password is too long: it may have 128 characters.',
  PASSWORD_TOO_SHORT: 'The password is too short: it needs at least 10 characters.',
  SESSION_NOT_FRESH: 'This takes a session of less than a day. Sign in again first.',
  UNAUTHORIZED: 'Nobody is signed in here. Sign in and send the cookie that comes with the answer.',
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly contentType: string
  readonly body: Buffer
}

/** @param said the body of the library's answer */
export function refusalOf(status: number, said: string, api: Auth['api'], asked: Asked): Refusal {
  const { code, message } = wordsOf(said)
  if (code === 'VALIDATION_ERROR') return wrongFields(api, asked) ?? { code, message }
  if (status === 404 && code === undefined)
    return {
      code: 'NOT_FOUND',
      message: `There is nothing at ${asked.method} ${asked.path.slice(0, 100)}. /account signs people in.`,
    }
  if (status === 429 && code === undefined)
    return { code: 'RATE_LIMITED', message: 'Too many requests came. Wait as long as Retry-After says.' }
  return { code: code ?? 'INVALID_REQUEST', message: sentences[code ?? ''] ?? message }
}

function wordsOf(said: string): { code: string | undefined; message: string } {
  const { code, message } = (said.startsWith('{') ? JSON.parse(said) : {}) as Record<string, unknown> // looked at next
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : '',
  }
}

/** The endpoint's own schemas once more, for every field that is wrong. */
function wrongFields(api: Auth['api'], asked: Asked): Refusal | undefined {
  const endpoint = (Object.values(api) as readonly Endpoint[]).find(
    ({ path, options }) =>
      `${authPath}${path}` === asked.path && [options.method].flat().includes(asked.method),
  )
  const { body, query } = endpoint?.options ?? {}
  try {
    if (body) parseWith(body, sentBody(asked), 'body')
    if (query) parseWith(query, Object.fromEntries(asked.query), 'query')
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, message: error.message, ...(error.details && { details: error.details }) }
  }
}

/** What of an endpoint the library shows at run time; its types tell each apart. */
interface Endpoint {
  readonly path?: string
  readonly options: {
    readonly method?: string | readonly string[]
    readonly body?: z.ZodType
    readonly query?: z.ZodType
  }
}

function sentBody({ contentType, body }: Asked): unknown {
  const text = body.toString()
  return contentType.includes('json') ? parseJson(text) : Object.fromEntries(new URLSearchParams(text))
}
