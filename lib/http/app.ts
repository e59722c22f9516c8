import middy from '@middy/core'
import { createQuotaThresholdEvents, publishToOwner } from '../access/account-events.ts'
import { createAnonymousPrincipal, ownerCookie, ownerHeader, signOwnerToken } from '../access/anonymous.ts'
import { authenticate } from '../access/authenticate.ts'
import { authorize } from '../access/authorize.ts'
import { findEarlierJob } from '../access/job-access.ts'
import { createRateLimitHeaders } from '../access/rate-limit-windows.ts'
import { countRequest, createRateLimitError } from '../access/rate-limiter.ts'
import { requireSandboxNetwork, sandboxHeader } from '../access/sandbox.ts'
import { getPlanLimits } from '../accounts/plan-limits.ts'
import { getMaxBodyBytes } from '../config.ts'
import { newId } from '../ids.ts'
import { requireDiskSpace, requireReservedSpace } from '../io/disk-space.ts'
import { type Credentials, isOpenAccess, type Principal } from '../model/principal.ts'
import { getClientIpBehindEdge } from '../net/edge-origin.ts'
import type { Services } from '../services/services.ts'
import { parseInput } from '../validation/parse-input.ts'
import { openBodyStream, readRequestBody } from './body/body.ts'
import { parseBodyFields } from './body/body-fields.ts'
import { requireUtf8Escapes } from './body/utf8-escapes.ts'
import type { AnyContract, HttpEvent, HttpRequest } from './contract.ts'
import {
  Idempotency,
  type IdempotentAttempt,
  type KeyedRequest,
  parseIdempotencyKey,
  replayedHeader,
} from './idempotency.ts'
import { interfaceVersion } from './interface-version.ts'
import { type Middleware, onReply, type RequestContext } from './middleware.ts'
import { warnAboutUnknownParameters } from './query.ts'
import { requireAcceptable } from './replies/accept-header.ts'
import { compression } from './replies/compression.ts'
import { type CreateMissingPage, createErrorMiddleware } from './replies/error-middleware.ts'
import { readLimitHeaders } from './replies/limit-headers.ts'
import { bufferReplyStream, type HttpResult, removeBody, renderReply } from './replies/render.ts'
import { ResponseCache } from './replies/response-cache.ts'
import { countReply } from './reply-counts.ts'
import { createServicesForOrigin } from './request-origin.ts'
import { createRouter, type Router } from './router.ts'
import { nameRequest, traceRequest } from './trace-request.ts'

const ownerCookieLifetimeS = 365 * 24 * 3600

/**
 * Disables Middy's timeout, which uses the time remaining at the start of a request. With a streamed body that clock
 * only starts when the body has arrived, and an upload over a slow connection takes minutes. Handlers that wait check
 * the remaining time themselves.
 */
const noEarlyTimeout = 0

/** Creates the HTTP API as one Lambda handler for API Gateway v2 events. */
export function createApp(
  contracts: readonly AnyContract[],
  services: Services,
  { missingPage }: { readonly missingPage?: CreateMissingPage } = {},
) {
  const router = createRouter(contracts)
  const idempotency = new Idempotency(services)
  const responseCache = new ResponseCache()
  const runOnce: App['runOnce'] = async (idempotencyRequest, givenPrincipal, context, createReply) => {
    const principal = await idempotency.resolveSender(idempotencyRequest, givenPrincipal)
    const result = await idempotency.runOnce(idempotencyRequest, { principal, log: context.log }, (attempt) =>
      createReply(principal, attempt),
    )
    return { principal, result }
  }
  const getServicesForRequest = createServicesForOrigin(services)
  const app = middy<HttpEvent, HttpResult, Error, RequestContext>({ timeoutEarlyInMillis: noEarlyTimeout })
    .use(addRequestId(services))
    .use(removeHeadBody())
    .use(compression())
    .use(addCorsHeaders(services))
    .use(addOwnerToken(services))
    .use(addLimitHeaders(services))
    .use(createErrorMiddleware(services, missingPage))
    .handler((event, context) =>
      respond(event, context, { router, runOnce, responseCache, services: getServicesForRequest(event) }),
    )
  return (event: HttpEvent, context: RequestContext) => traceRequest(event, () => app(event, context))
}

const requestIdPattern = /^[\w.:-]{1,128}$/

function addRequestId(services: Services): Middleware {
  const startTimes = new WeakMap<HttpEvent, number>()
  return {
    before: ({ event, context }) => {
      const givenId = event.headers['x-request-id']
      context.requestId = givenId && requestIdPattern.test(givenId) ? givenId : newId('req')
      context.log = services.log.child({ requestId: context.requestId })
      startTimes.set(event, performance.now())
    },
    ...onReply((event, context, result) => {
      result.headers = { ...result.headers, 'x-request-id': context.requestId }
      const { method } = event.requestContext.http
      const ms = Math.round(performance.now() - (startTimes.get(event) ?? 0))
      countReply(method, result.statusCode ?? 200)
      context.log.info({ method, path: event.rawPath, status: result.statusCode, ms }, 'request')
    }),
  }
}

/**
 * Drops the body of HEAD replies. Runs last, so that HEAD replies have the headers of GET, including length and
 * encoding.
 */
function removeHeadBody(): Middleware {
  return {
    after: (request) => {
      const { event, response } = request
      if (response && event.requestContext.http.method === 'HEAD') request.response = removeBody(response)
    },
  }
}

/** Adds the client's rate limits to replies to requests that were not counted, such as pages and errors. */
function addLimitHeaders(services: Services): Middleware {
  const addHeaders: Middleware['after'] = async ({ event, context }) => {
    if (context.limitHeaders || event.requestContext.http.method === 'OPTIONS') return
    const headers = await readLimitHeaders(event, services)
    if (headers) context.limitHeaders = headers
  }
  return { after: addHeaders, onError: addHeaders }
}

/** Adds CORS headers: any web page may call the API with a token, but cookies are not shared with other origins. */
function addCorsHeaders({ config }: Services): Middleware {
  return onReply((_event, { limitHeaders: limits }, result) => {
    result.headers = {
      ...limits,
      ...(config.SANDBOX === '1' && { [sandboxHeader]: 'true' }),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': `x-request-id, x-api-version, ${ownerHeader}, location, retry-after, etag, link, preference-applied, repr-digest, ${replayedHeader}, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, ratelimit, ratelimit-policy`,
      'x-api-version': interfaceVersion,
      'x-content-type-options': 'nosniff',
      ...result.headers,
    }
  })
}

/**
 * Sends the token of a new identity. An identity is only issued once it owns something: if replies that shared caches
 * may store (`Cache-Control: public`) contained one, every client would get the same identity.
 */
function addOwnerToken(services: Services): Middleware {
  return onReply((_event, { newOwner }, result) => {
    if (newOwner === undefined) return
    const token = signOwnerToken(newOwner, services.keys.owner)
    const secureAttribute = services.config.PUBLIC_URL?.startsWith('https:') ? '; Secure' : ''
    result.headers = { ...result.headers, [ownerHeader]: token }
    result.cookies = [
      `${ownerCookie}=${token}; Path=/; Max-Age=${ownerCookieLifetimeS}; HttpOnly; SameSite=Lax${secureAttribute}`,
    ]
  })
}

interface App {
  readonly router: Router
  /** Runs a request with an idempotency key, or returns the stored reply to an earlier attempt. */
  readonly runOnce: (
    keyedRequest: KeyedRequest,
    principal: Principal,
    context: RequestContext,
    createReply: (principal: Principal, attempt: IdempotentAttempt) => Promise<HttpResult>,
  ) => Promise<{ readonly principal: Principal; readonly result: HttpResult }>
  readonly responseCache: ResponseCache
  readonly services: Services
}

async function respond(
  event: HttpEvent,
  context: RequestContext,
  { router, runOnce, responseCache, services }: App,
): Promise<HttpResult> {
  const method = event.requestContext.http.method
  if (method === 'OPTIONS') return replyToPreflight(event, router)
  const { contract, params } = router.find(method, event.rawPath)
  nameRequest(contract)
  if (contract.errorFormat) context.errorFormat = contract.errorFormat
  requireAcceptable(contract, event.headers['accept'])
  const { http } = event.requestContext
  // From here on, `sourceIp` is the IP address of the client.
  http.sourceIp = getClientIpBehindEdge({ ...event, ...http }, services.config)
  const { sourceIp } = http
  if (contract.query) requireUtf8Escapes(event.rawQueryString)
  const sender = await authorizeRequest(contract, { ...event, method, sourceIp }, context, services)
  const key = contract.idempotent ? parseIdempotencyKey(event) : undefined
  // The check comes before the first byte of a file is read.
  if (contract.body?.files) await requireDiskSpace(services.config)
  else if (contract.idempotent) await requireReservedSpace(services.config)
  const { maxFileBytes, retentionHours } = getPlanLimits(sender.plan, services)
  const body = await readRequestBody(event, contract, {
    files: services.files,
    maxFileBytes,
    maxBodyBytes: getMaxBodyBytes(services.config),
    retentionHours,
  })
  try {
    const givenContext = {
      params: contract.params && parseInput(contract.params, params, 'path'),
      query: contract.query && parseInput(contract.query, event.queryStringParameters ?? {}, 'query'),
      rawQuery: event.queryStringParameters ?? {},
      sourceIp,
      body: contract.body && parseBodyFields(contract.body.schema, body.value),
      files: body.files,
      headers: event.headers,
      cookies: event.cookies ?? [],
      method,
      requestId: context.requestId,
      canStream: event.canStream === true,
      remainingMs: () => context.getRemainingTimeInMillis(),
      log: context.log,
    }
    const warnings = warnAboutUnknownParameters(contract, givenContext.rawQuery)
    const createReply = async (principal: Principal, attempt?: IdempotentAttempt) => {
      const request: HttpRequest<unknown, unknown, unknown> = {
        ...givenContext,
        principal,
        newJobId: () => attempt?.jobId ?? newId('job'),
        findEarlierJob: async () => (attempt?.isRetry ? findEarlierJob(attempt.jobId, services) : undefined),
      }
      const reply = async () => contract.handle(request, services)
      const name = contract.cacheKey?.(request)
      if (name !== undefined)
        return responseCache.respond({ contract, name, reply }, event, context.requestId, warnings)
      return bufferReplyStream(
        renderReply(contract, await reply(), event, context.requestId, warnings),
        event,
      )
    }
    const { principal, result } =
      key === undefined
        ? { principal: sender, result: await createReply(sender) }
        : await runOnce({ key, event, body }, sender, context, createReply)
    const issuesIdentity = contract.idempotent || contract.issuesIdentity
    if (issuesIdentity && principal.isNew) context.newOwner = principal.ownerId
    return result
  } finally {
    await body.discard()
  }
}

/**
 * Authenticates and authorizes the sender and counts the request, before any of the body is read.
 * @throws AppError with status 401, 403 or 429
 */
async function authorizeRequest(
  { access, idempotent, createsWork }: AnyContract,
  request: Credentials,
  context: RequestContext,
  services: Services,
): Promise<Principal> {
  if (isOpenAccess(access))
    return createAnonymousPrincipal({ ...request, headers: {}, cookies: [] }, services)
  requireSandboxNetwork(request.sourceIp, services.config)
  const sender = await authenticate(request, services)
  authorize(sender, access)
  const kind = createsWork ? 'work' : idempotent ? 'write' : 'read'
  const limitResult = await countRequest(services, sender, kind)
  context.limitHeaders = createRateLimitHeaders(limitResult.usages, Date.now())
  if (!limitResult.isAllowed) throw createRateLimitError(limitResult, sender)
  if (sender.kind !== 'anonymous') await services.requestCounts.count(sender.ownerId)
  // A failure of the event bus must not fail the request.
  await publishToOwner(services, createQuotaThresholdEvents(sender, limitResult.usages, new Date())).catch(
    (error: unknown) =>
      context.log.error({ error, ownerId: sender.ownerId }, 'quota events could not be published'),
  )
  return sender
}

function replyToPreflight(event: HttpEvent, router: Router): HttpResult {
  openBodyStream(event).resume()
  const methods = router.listMethods(event.rawPath).join(', ')
  return {
    statusCode: methods ? 204 : 404,
    headers: {
      allow: methods,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': event.headers['access-control-request-headers'] ?? '*',
      'access-control-max-age': '3600',
    },
  }
}
