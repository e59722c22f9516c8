import type * as z from 'zod'
import { AppError } from '../../errors.ts'
import { defined } from '../../validation/defined.ts'
import { parseJsonBody } from '../../validation/json-body.ts'
import { parseInput } from '../../validation/parse-input.ts'
import { authPath } from '../session-auth.ts'
import type { Auth } from './auth.ts'

/** An error of better-auth with a message for people: its own messages are terse, or come from its parser. */
export interface AuthError {
  readonly code: string
  readonly message: string
  readonly details?: AppError['details']
}

/** Better messages by error code; the code stays the same. */
const messages: Readonly<Record<string, string>> = {
  FAILED_TO_UNLINK_LAST_ACCOUNT:
    'This is your only sign-in method. Set a password or link another provider first.',
  INVALID_BACKUP_CODE: 'The recovery code is wrong or already used. Each code works once.',
  INVALID_CALLBACK_URL: 'callbackURL: expected a URL of this service.',
  INVALID_CODE: 'code: wrong, expired or used before. Send the code that your authenticator app shows now.',
  INVALID_EMAIL: 'email: expected an email address such as ann@example.com.',
  INVALID_EMAIL_OR_PASSWORD:
    'The email address or password is wrong. If you forgot your password, you can reset it by email.',
  INVALID_ORIGIN: 'Origin: expected the origin of the service, got another one.',
  INVALID_PASSWORD: 'The password is wrong.',
  INVALID_REDIRECT_URL: 'redirectTo: expected a URL of this service.',
  INVALID_TOKEN: 'The link is invalid or already used. Request a new email.',
  INVALID_TWO_FACTOR_COOKIE: 'Sign in with your password first, then send the code within 10 minutes.',
  MISSING_OR_NULL_ORIGIN:
    'Origin: missing. Requests with cookies need the origin of the service in this header.',
  PASSWORD_TOO_LONG: 'The password is too long: expected at most 128 characters.',
  PASSWORD_TOO_SHORT: 'The password is too short: expected at least 10 characters.',
  PROVIDER_NOT_FOUND: 'provider: not available. GET /v1/auth/options lists the available providers.',
  SESSION_NOT_FRESH: 'This action needs a session that is less than a day old. Sign in again first.',
  TOKEN_EXPIRED: 'The link has expired. Request a new email.',
  TOTP_NOT_ENABLED:
    'No second factor is set up for this account. Start with POST /v1/auth/two-factor/enable.',
  TWO_FACTOR_NOT_ENABLED:
    'No second factor is set up for this account. Start with POST /v1/auth/two-factor/enable.',
  UNAUTHORIZED: 'You are not signed in. Sign in and send the session cookie.',
  USER_ALREADY_EXISTS:
    'An account with this email address already exists. Sign in, or use another email address.',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL:
    'An account with this email address already exists. Sign in, or use another email address.',
}

interface AuthRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly contentType: string
  readonly body: Buffer
}

/** @param responseBody the body of the library's response */
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
      message: `There is no endpoint ${request.method} ${request.path.slice(0, 100)}. Sign in at /account.`,
    }
  if (status === 429 && code === undefined)
    return {
      code: 'RATE_LIMITED',
      message: 'Too many requests. Wait for the number of seconds in Retry-After.',
    }
  return {
    code: code ?? 'INVALID_REQUEST',
    message: messages[code ?? ''] ?? message,
    ...defined({ details }),
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
  > // checked below
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : '',
    // Only errors of this service have details.
    ...(typeof details === 'object' && details !== null && { details: { ...details } }),
  }
}

/** Validates the request again with the schemas of better-auth's endpoint, to list every invalid field. */
function findFieldErrors(api: Auth['api'], request: AuthRequest): AuthError | undefined {
  // The library's type of each endpoint lacks the path.
  const endpoint = (Object.values(api) as readonly Endpoint[]).find(
    ({ path, options }) =>
      `${authPath}${path}` === request.path && [options.method].flat().includes(request.method),
  )
  const { body, query } = endpoint?.options ?? {}
  try {
    if (body) parseInput(body, parseRequestBody(request), 'body')
    if (query) parseInput(query, Object.fromEntries(request.query), 'query')
    return undefined
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, message: error.message, ...defined({ details: error.details }) }
  }
}

/** The parts of better-auth's endpoints used here; its own types differ for each endpoint. */
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
