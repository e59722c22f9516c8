import { oauthFailure } from '../access/oauth/oauth-errors.ts'
import { endedSession, endsSession } from '../access/session-auth.ts'
import type { Config } from '../config.ts'
import { isFullFor, shortOfSpace } from '../disk-space.ts'
import { type AppError, retryAfterOf } from '../errors.ts'
import type { Services } from '../services.ts'
import { readEncodings } from './content-encoding.ts'
import type { HttpEvent } from './contract.ts'
import { failure, problem, toAppError } from './envelope.ts'
import type { Middleware, RequestContext } from './middleware.ts'
import type { Result } from './render.ts'

/** What people see where nothing is; of an app that has pages. */
export type MissingPage = (event: HttpEvent, config: Config) => Promise<Result>

/** Turns whatever was thrown into the error body; only what is not an AppError is a bug and logged whole. */
export function errors(services: Services, missingPage?: MissingPage): Middleware {
  return {
    onError: async (request) => {
      const { event, context } = request
      const error = await tellable(request.error, services)
      if (error.code === 'INTERNAL_ERROR') context.log.error({ error: request.error }, 'bug')
      else if (error.cause === request.error)
        context.log.error({ code: error.code, error: request.error }, 'breakdown')
      else context.log.info({ code: error.code, error: error.message, cause: error.cause }, 'refused')
      const { PUBLIC_URL } = services.config
      if (missingPage && error.code === 'NOT_FOUND' && isForEyes(event)) {
        request.response = await missingPage(event, services.config)
        return
      }
      request.response = errorResult(error, event, context, PUBLIC_URL ?? '')
      if (endsSession(error)) request.response.cookies = [endedSession(PUBLIC_URL)]
    },
  }
}

/** Somebody typed or followed an address; programs ask for JSON or for anything. */
const isForEyes = ({ headers, requestContext }: HttpEvent) =>
  requestContext.http.method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '')

/** On a full disk whatever breaks down does so for want of room. */
async function tellable(thrown: unknown, { config }: Services): Promise<AppError> {
  const error = toAppError(thrown)
  return thrown !== error && (await isFullFor(thrown, config)) ? shortOfSpace(thrown) : error
}

function errorResult(
  error: AppError,
  event: HttpEvent,
  { requestId, failureForm }: RequestContext,
  baseUrl: string,
): Result {
  const isOAuth = failureForm === 'oauth'
  const foreign = typeof failureForm === 'object' ? failureForm : undefined
  const asProblem =
    failureForm === undefined && (event.headers.accept?.includes('application/problem+json') ?? false)
  const plain = () => (isOAuth ? oauthFailure(error) : (foreign?.bodyOf(error) ?? failure(error, requestId)))
  const body = asProblem ? problem(error, { requestId, path: event.rawPath, baseUrl }) : plain()
  const { allowed } = error.details ?? {}
  const retryAfter = retryAfterOf(error)
  return {
    statusCode: foreign?.statusOf(error) ?? error.status,
    headers: {
      'content-type': asProblem ? 'application/problem+json' : 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...(error.code === 'METHOD_NOT_ALLOWED' && Array.isArray(allowed) && { allow: allowed.join(', ') }),
      ...(error.code === 'UNSUPPORTED_MEDIA_TYPE' && { 'accept-encoding': readEncodings.join(', ') }),
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(error.status === 401 && challenge(error, isOAuth)),
    },
    body: JSON.stringify(body),
  }
}

/** RFC 6750, 3: which way in there is, and whether what was sent is no good. RFC 9110, 15.5.2: no 401 is without. */
function challenge({ code }: AppError, isOAuth: boolean): Record<string, string> {
  // RFC 6749, 5.2: the client itself has to say who it is.
  if (isOAuth) return { 'www-authenticate': 'Basic realm="Mutabor"' }
  return { 'www-authenticate': code === 'INVALID_API_KEY' ? 'Bearer error="invalid_token"' : 'Bearer' }
}
