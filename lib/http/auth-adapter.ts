import { setTimeout as sleep } from 'node:timers/promises'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type Auth, clientIpHeader } from '../access/auth/auth.ts'
import { type AuthError, toAuthError } from '../access/auth/auth-errors.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { defined } from '../validation/defined.ts'
import { parseJsonBody } from '../validation/json-body.ts'
import { decodeUtf8, openBodyStream, parseFormFields } from './body/body.ts'
import { readStream } from './body/read-body.ts'
import { requireUtf8Escapes } from './body/utf8-escapes.ts'
import type { HttpEvent } from './contract.ts'

/** Size limit of bodies: all are forms filled in by people. */
const maxBodyBytes = 64 * 1024

/**
 * Constant duration of the replies to certain requests. Otherwise, the time for sending an email would reveal whether
 * an account exists.
 */
const defaultConstantTimeMs = 1000
const constantTimePaths = ['/request-password-reset', '/send-verification-email']

/** Replies to errors that `handle` throws, in the format of better-auth's errors. */
export async function replyToErrors(
  { headers }: HttpEvent,
  handle: () => Promise<APIGatewayProxyStructuredResultV2>,
): Promise<APIGatewayProxyStructuredResultV2> {
  try {
    return await handle()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return {
      statusCode: error.status,
      headers: { ...createBaseHeaders(headers['x-request-id']), 'content-type': 'application/json' },
      body: JSON.stringify({ code: error.code, message: error.message }),
    }
  }
}

const createBaseHeaders = (requestId: string = newId('req')) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

/** Policy for better-auth's error page, which has no scripts but reflects input. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"

/**
 * Handles a gateway event with better-auth.
 * @throws AppError for a body that cannot be read.
 */
export async function handleAuth(
  auth: Pick<Auth, 'handler' | 'api'>,
  event: HttpEvent,
  {
    origin,
    address,
    constantTimeMs = defaultConstantTimeMs,
  }: { readonly origin: string; readonly address: string; readonly constantTimeMs?: number | undefined },
): Promise<APIGatewayProxyStructuredResultV2> {
  const { method } = event.requestContext.http
  const body = await readStream(openBodyStream(event), maxBodyBytes)
  // These checks reject text that cannot be stored, which better-auth would accept.
  const isJson = /[/+]json/i.test(event.headers['content-type'] ?? '')
  if (isJson && body.length > 0) parseJsonBody(decodeUtf8(body))
  if (event.headers['content-type']?.includes('urlencoded')) parseFormFields(decodeUtf8(body))
  requireUtf8Escapes(event.rawQueryString)
  const headers = new Headers()
  for (const [name, value] of Object.entries(event.headers))
    if (value !== undefined && !/^x-forwarded-|^content-length$/.test(name)) headers.set(name, value)
  if (event.cookies) headers.set('cookie', event.cookies.join('; '))
  headers.set(clientIpHeader, address)
  const query = event.rawQueryString ? `?${event.rawQueryString}` : ''
  const request = new Request(`${origin}${encodeURI(event.rawPath)}${query}`, {
    method,
    headers,
    ...(method !== 'GET' && method !== 'HEAD' && body.length > 0 && { body }),
  })
  const isConstantTime = constantTimePaths.some((path) => event.rawPath.endsWith(path))
  const [response] = await Promise.all([auth.handler(request), isConstantTime && sleep(constantTimeMs)])
  return toResult(response, event.headers['x-request-id'], (responseBody) =>
    toAuthError(response.status, responseBody, auth.api, {
      method,
      body,
      path: event.rawPath,
      query: new URLSearchParams(event.rawQueryString),
      contentType: headers.get('content-type') ?? '',
    }),
  )
}

async function toResult(
  response: Response,
  requestId: string | undefined,
  refusal: (responseBody: string) => AuthError,
): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie'))
  const retryAfter = headers['retry-after'] ?? headers['x-retry-after']
  const text = await response.text()
  const isPage = headers['content-type']?.includes('html') ?? false
  const isRefusal = response.status >= 400 && !isPage
  return {
    statusCode: response.status,
    headers: {
      ...createBaseHeaders(requestId),
      ...headers,
      ...(isRefusal && { 'content-type': 'application/json' }),
      ...(isPage && { 'content-security-policy': pagePolicy }),
      ...defined({ 'retry-after': retryAfter }),
    },
    cookies: response.headers.getSetCookie(),
    body: isRefusal ? JSON.stringify(refusal(text)) : text,
  }
}
