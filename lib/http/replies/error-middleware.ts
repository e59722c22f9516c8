import { toOAuthErrorBody, toOAuthStatus } from '../../access/oauth/oauth-errors.ts'
import { clearsSession, createClearingCookie } from '../../access/session-auth.ts'
import { type AppError, getRetryAfterS } from '../../errors.ts'
import { createInsufficientSpaceError, isCausedByFullDisk } from '../../io/disk-space.ts'
import type { Services } from '../../services/services.ts'
import { supportedEncodings } from '../body/content-encoding.ts'
import type { HttpEvent } from '../contract.ts'
import type { Middleware, RequestContext } from '../middleware.ts'
import { createErrorBody, createProblemDetails, toAppError } from './envelope.ts'
import type { HttpResult } from './render.ts'

/** Renders the "not found" page of an app with web pages. */
export type CreateMissingPage = (event: HttpEvent, services: Services) => Promise<HttpResult>

/** Turns anything thrown into an error reply. Anything other than an AppError is a bug and is logged in full. */
export function createErrorMiddleware(services: Services, missingPage?: CreateMissingPage): Middleware {
  return {
    onError: async (request) => {
      const { event, context } = request
      const error = await toClientError(request.error, services)
      if (error.code === 'INTERNAL_ERROR') context.log.error({ error: request.error }, 'bug')
      else if (error.cause === request.error)
        context.log.error({ code: error.code, error: request.error }, 'service unavailable')
      else context.log.info({ code: error.code, error: error.message, cause: error.cause }, 'refused')
      const { PUBLIC_URL } = services.config
      if (missingPage && error.code === 'NOT_FOUND' && wantsHtml(event)) {
        request.response = await missingPage(event, services)
        return
      }
      request.response = createErrorResult(error, event, context, PUBLIC_URL ?? '')
      if (clearsSession(error)) request.response.cookies = [createClearingCookie(PUBLIC_URL)]
    },
  }
}

/** Whether a person opened the URL in a browser, which accepts HTML; programs accept JSON or any type. */
const wantsHtml = ({ headers, requestContext }: HttpEvent) =>
  requestContext.http.method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '')

/**
 * Returns the error for the client. If the disk is full, any error other than an `AppError` is reported as a shortage
 * of disk space.
 */
async function toClientError(thrownError: unknown, { config }: Services): Promise<AppError> {
  const error = toAppError(thrownError)
  return thrownError !== error && (await isCausedByFullDisk(thrownError, config))
    ? createInsufficientSpaceError(thrownError)
    : error
}

function createErrorResult(
  error: AppError,
  event: HttpEvent,
  { requestId, errorFormat }: RequestContext,
  baseUrl: string,
): HttpResult {
  const isOAuth = errorFormat === 'oauth'
  const customFormat = typeof errorFormat === 'object' ? errorFormat : undefined
  const wantsProblemDetails =
    errorFormat === undefined && (event.headers.accept?.includes('application/problem+json') ?? false)
  const createPlainBody = () =>
    isOAuth ? toOAuthErrorBody(error) : (customFormat?.createBody(error) ?? createErrorBody(error, requestId))
  const body = wantsProblemDetails
    ? createProblemDetails(error, { requestId, path: event.rawPath, baseUrl })
    : createPlainBody()
  const { allowed } = error.details ?? {}
  const retryAfterS = getRetryAfterS(error)
  const statusCode = isOAuth ? toOAuthStatus(error) : (customFormat?.getStatus(error) ?? error.status)
  return {
    statusCode,
    headers: {
      'content-type': wantsProblemDetails ? 'application/problem+json' : 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(error.code === 'METHOD_NOT_ALLOWED' && Array.isArray(allowed) && { allow: allowed.join(', ') }),
      ...(statusCode === 415 && { 'accept-encoding': supportedEncodings.join(', ') }),
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
      ...(error.status === 401 && createAuthChallenge(error, isOAuth)),
      ...createScopeChallenge(error),
    },
    body: JSON.stringify(body),
  }
}

/** Creates `WWW-Authenticate` for a key or token with too few scopes (RFC 6750, 3.1). */
function createScopeChallenge({ code, details }: AppError): Record<string, string> {
  const required = details?.['required']
  if (code !== 'INSUFFICIENT_PERMISSIONS' || !Array.isArray(required)) return {}
  return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${required.join(' ')}"` }
}

/** Creates `WWW-Authenticate`, which every 401 needs (RFC 9110, 15.5.2); RFC 6750, 3 says when it has an `error`. */
function createAuthChallenge({ code }: AppError, isOAuth: boolean): Record<string, string> {
  // The OAuth client has to authenticate, with the Basic scheme (RFC 6749, 5.2).
  if (isOAuth) return { 'www-authenticate': 'Basic realm="Mutabor"' }
  return { 'www-authenticate': code === 'INVALID_API_KEY' ? 'Bearer error="invalid_token"' : 'Bearer' }
}
