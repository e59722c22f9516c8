import type * as z from 'zod'
import { AppError } from '../../errors.ts'
import { parseJsonBody } from '../../http/json-body.ts'
import { parseWith } from '../../parse-input.ts'
import { authPath } from '../session-auth.ts'
import type { Auth } from './auth.ts'

/** What better-auth refused, in words for people: its own are those of its parser, a word or two, or none at all. */
export interface AuthError {
  readonly code: string
  readonly message: string
  readonly details?: AppError['details']
}

/** What it says too shortly, by its code, which stays. */
const messages: Readonly<Record<string, string>> = {
  FAILED_TO_UNLINK_LAST_ACCOUNT:
    'This is your only way to sign in. Set a password, or link another provider, first.',
  INVALID_BACKUP_CODE: 'This is none of your recovery codes, or it was used before. Each of them works once.',
  INVALID_CALLBACK_URL: 'callbackURL: expected an address of this service.',
  INVALID_CODE: 'code: it is wrong, or its half minute is over. Send the one that your app shows now.',
  INVALID_EMAIL: 'email: expected an address as ann@example.com.',
  INVALID_EMAIL_OR_PASSWORD:
    'The address or the password is wrong. A forgotten password can be set anew by mail.',
  INVALID_ORIGIN: 'The header Origin names another address than that of the service. Send its own.',
  INVALID_PASSWORD: 'The password is wrong.',
  INVALID_REDIRECT_URL: 'redirectTo: expected an address of this service.',
  INVALID_TOKEN: 'The address of this mail is wrong, or was used before. Ask for another mail.',
  INVALID_TWO_FACTOR_COOKIE:
    'Send the password first: the code belongs to a sign-in that has begun here, within 10 minutes.',
  MISSING_OR_NULL_ORIGIN:
    'The header Origin is missing: with cookies, name the address of the service in it.',
  PASSWORD_TOO_LONG: 'The password is too long: it may have 128 characters.',
  PASSWORD_TOO_SHORT: 'The password is too short: it needs at least 10 characters.',
  PROVIDER_NOT_FOUND:
    'provider: nobody signs in by this one here. GET /v1/auth/options lists those that are set up.',
  SESSION_NOT_FRESH: 'This takes a session of less than a day. Sign in again first.',
  TOKEN_EXPIRED: 'The address of this mail is too old. Ask for another mail.',
  TOTP_NOT_ENABLED: 'No second factor is set up for this account. POST /v1/auth/two-factor/enable begins it.',
  TWO_FACTOR_NOT_ENABLED:
    'No second factor is set up for this account. POST /v1/auth/two-factor/enable begins it.',
  UNAUTHORIZED: 'Nobody is signed in here. Sign in and send the cookie that comes with the answer.',
  USER_ALREADY_EXISTS: 'There is an account with this address. Sign in, or sign up with another one.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL:
    'There is an account with this address. Sign in, or sign up with another one.',
}

export interface AuthRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly contentType: string
  readonly body: Buffer
}

/** @param responseBody the body of the library's answer */
export function toAuthError(
  status: number,
  responseBody: string,
  api: Auth['api'],
  request: AuthRequest,
): AuthError {
  const { code, message, details } = parseErrorBody(responseBody)
  if (code === 'VALIDATION_ERROR') return findFieldErrors(api, request) ?? { code, message }
  if (status === 404 && code === undefined)
    return {
      code: 'NOT_FOUND',
      message: `There is nothing at ${request.method} ${request.path.slice(0, 100)}. /account signs people in.`,
    }
  if (status === 429 && code === undefined)
    return { code: 'RATE_LIMITED', message: 'Too many requests came. Wait as long as Retry-After says.' }
  return {
    code: code ?? 'INVALID_REQUEST',
    message: messages[code ?? ''] ?? message,
    ...(details && { details }),
  }
}

interface ParsedError extends Pick<AuthError, 'details'> {
  readonly code: string | undefined
  readonly message: string
}

function parseErrorBody(responseBody: string): ParsedError {
  const { code, message, details } = (responseBody.startsWith('{') ? JSON.parse(responseBody) : {}) as Record<
    string,
    unknown
  > // looked at next
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : '',
    // Of ours alone.
    ...(typeof details === 'object' && details !== null && { details: { ...details } }),
  }
}

/** The endpoint's own schemas once more, for every field that is wrong. */
function findFieldErrors(api: Auth['api'], request: AuthRequest): AuthError | undefined {
  const endpoint = (Object.values(api) as readonly Endpoint[]).find(
    ({ path, options }) =>
      `${authPath}${path}` === request.path && [options.method].flat().includes(request.method),
  )
  const { body, query } = endpoint?.options ?? {}
  try {
    if (body) parseWith(body, parseRequestBody(request), 'body')
    if (query) parseWith(query, Object.fromEntries(request.query), 'query')
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

function parseRequestBody({ contentType, body }: AuthRequest): unknown {
  const text = body.toString()
  return contentType.includes('json') ? parseJsonBody(text) : Object.fromEntries(new URLSearchParams(text))
}
