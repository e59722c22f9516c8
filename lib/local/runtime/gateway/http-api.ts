import type { IncomingMessage, ServerResponse } from 'node:http'
import { timeoutErrorType } from '../../../embedded-aws/lambda/function-error.ts'
import { type InvocationOutcome, type Lambda, lambdaLimits } from '../../../embedded-aws/lambda/runtime.ts'
import { quotas } from '../../../embedded-aws/quotas.ts'
import { largeFileHint } from '../../../http/body/body-limit.ts'
import type { Log } from '../../../log.ts'
import { hasBody, readEventBody } from './http-body.ts'
import { createHttpEvent, parseRequestTarget } from './http-event.ts'
import { type GatewayResponse, toGatewayResponse } from './http-result.ts'
import { createRouteFinder, type HttpRoute } from './http-routes.ts'
import { createGatewayError, sendResponse } from './send-response.ts'

interface HttpApiOptions {
  readonly lambda: Lambda
  readonly routes: readonly HttpRoute[]
  /** Names of functions that get the body as a stream of any length instead of a buffer. */
  readonly streamedFunctions: readonly string[]
  readonly log: Log
}

type HttpApi = (request: IncomingMessage, response: ServerResponse) => void

const limits = { integrationMs: quotas.gatewayTimeoutMs.value, headBytes: quotas.gatewayHeadBytes.value }

/**
 * Creates the HTTP API, which turns requests into events and results of functions into responses, by API Gateway's
 * rules.
 */
export function createHttpApi(options: HttpApiOptions): HttpApi {
  const find = createRouteFinder(options.routes)
  const streamedFunctionNames = new Set(options.streamedFunctions)

  async function respond(request: IncomingMessage): Promise<GatewayResponse> {
    if (countHeadBytes(request) > limits.headBytes)
      return createGatewayError(
        431,
        `The request line and the headers together exceed ${limits.headBytes} bytes. Send fewer cookies or a shorter URL.`,
      )
    const target = parseRequestTarget(request)
    if (!target)
      return createGatewayError(
        400,
        'The request target is not a path, or a percent-escape in it is not valid UTF-8.',
      )
    const route = find(request.method ?? 'GET', target.encodedPath)
    if (!route) return createGatewayError(404, 'There is nothing at this path.')
    const isStreamed = streamedFunctionNames.has(route.functionName)
    const body = isStreamed
      ? { isBase64Encoded: false, bodyStream: request, canStream: true }
      : await readEventBody(request)
    const event = body && createHttpEvent(request, target, route, body)
    if (!event || isTooLarge(event))
      return createGatewayError(
        413,
        `The request exceeds the 6 MB that a function accepts, including files in base64. ${largeFileHint}.`,
      )
    const outcome = await options.lambda.invoke(route.functionName, event, {
      limitMs: limits.integrationMs,
      ...(isStreamed && hasBody(request) && { startsAfter: waitUntilUploaded(request) }),
    })
    const { headers, ...rest } = toOutcomeResponse(outcome, route.functionName)
    return { ...rest, headers: { ...headers, 'apigw-requestid': event.requestContext.requestId } }
  }

  function toOutcomeResponse(outcome: InvocationOutcome, functionName: string): GatewayResponse {
    if (!outcome.ok && outcome.isThrottled)
      return createGatewayError(
        503,
        'Too many requests are being served. Send the request again in a second.',
      )
    if (!outcome.ok && outcome.failure.errorType === timeoutErrorType)
      return createGatewayError(503, 'The service did not respond in time. Send the request again.')
    const gatewayResponse = outcome.ok ? toGatewayResponse(outcome.value) : undefined
    if (gatewayResponse) return gatewayResponse
    if (outcome.ok) options.log.error({ function: functionName }, 'the result of a function is malformed')
    return createGatewayError(
      500,
      'An internal error occurred. Send the request again; if it keeps failing, report the request id.',
    )
  }

  return (request, response) => {
    respond(request)
      .then((gatewayResponse) => sendResponse(gatewayResponse, request, response))
      .catch((error: unknown) => {
        // The client disconnected before it had sent the whole request.
        options.log.info({ error }, 'a client disconnected before the response')
        response.destroy()
      })
  }
}

function countHeadBytes({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  const values = rawHeaders.filter((_, at) => at % 2 === 1)
  return values.reduce((sum, value) => sum + value.length, `${method} ${url} HTTP/1.1`.length)
}

/**
 * Whether an event is too large. The whole event is the payload of an invocation, and quotes and base64 make it larger
 * than the body.
 */
function isTooLarge(event: { readonly body?: string }): boolean {
  const { body = '' } = event
  return body.length * 6 > lambdaLimits.requestBytes && countJsonBytes(event) > lambdaLimits.requestBytes
}

const countJsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** Resolves when the whole body has arrived, or the client has disconnected. */
function waitUntilUploaded(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    request.once('close', resolve)
  })
}
