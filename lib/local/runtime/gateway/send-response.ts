import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import type { ErrorCode } from '../../../error-catalog.ts'
import { AppError, getRetryAfterS } from '../../../errors.ts'
import { createErrorBody } from '../../../http/replies/envelope.ts'
import { newId } from '../../../ids.ts'
import type { GatewayResponse } from './http-result.ts'

/** How long the rest of a rejected upload is read, so that the client can read the response. */
const drainTimeoutMs = 10_000

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_REQUEST',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'TIMEOUT',
  413: 'FILE_TOO_LARGE',
  431: 'HEADERS_TOO_LARGE',
  503: 'SERVICE_UNAVAILABLE',
}

/**
 * Returns an error response of the gateway itself, in the same format as all errors; API Gateway only has `{ message
 * }`.
 */
export function createGatewayError(status: number, sentence: string): GatewayResponse {
  const error = new AppError(codes[status] ?? 'INTERNAL_ERROR', sentence)
  const requestId = newId('req')
  const retryAfterS = getRetryAfterS({ status, details: undefined })
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    },
    body: Buffer.from(JSON.stringify(createErrorBody(error, requestId))),
  }
}

export function sendResponse(
  gatewayResponse: GatewayResponse,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { status, headers, cookies, body, stream } = gatewayResponse
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) {
    // Only the response to a HEAD request declares a length that differs from that of its body.
    if (name !== 'content-length' || request.method === 'HEAD') response.setHeader(name, value)
  }
  if (cookies && cookies.length > 0) response.setHeader('set-cookie', [...cookies])
  if (stream) sendStream(stream, request, response)
  else if (request.complete) response.end(body)
  else respondEarly(body, request, response)
}

/** Sends a stream as the body; stops when the stream ends or the client disconnects. */
function sendStream(stream: Readable, request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.flushHeaders()
  pipeline(stream, response, () => undefined)
}

/**
 * Responds before the whole request has arrived. The response is sent immediately, but the connection stays open while
 * the client is still sending: otherwise, its writes would fail before it reads the response.
 */
function respondEarly(body: Buffer, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close')
  if (!response.hasHeader('content-length')) response.setHeader('content-length', body.length)
  response.flushHeaders()
  if (body.length > 0) response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, drainTimeoutMs)
  request.once('close', end)
  request.unpipe()
  request.resume()
}
