// Turns the result of a function into an HTTP response, as API Gateway does with payload format 2.0.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { Readable } from 'node:stream'
import * as z from 'zod'
import { lambdaLimits } from '../../../embedded-aws/lambda/runtime.ts'
import { defined } from '../../../validation/defined.ts'

export interface GatewayResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body: Buffer
  /** Stream of the body; set instead of the body if it is streamed. */
  readonly stream?: Readable
}

const StructuredResult = z.object({
  // An extension of API Gateway's format, for functions that know they may stream.
  bodyStream: z.instanceof(Readable).optional(),
  statusCode: z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
    .pipe(z.number().int().min(200).max(599)),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.undefined()])).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
})

/** Maximum size in bytes of the whole result as JSON. */
const maxBytes = lambdaLimits.responseBytes

/** Converts a result; returns undefined if API Gateway would not understand it. */
export function toGatewayResponse(result: unknown): GatewayResponse | undefined {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) return inferResponse(result)
  const parsedResult = StructuredResult.safeParse(result)
  if (!parsedResult.success) return undefined
  const { statusCode, headers, cookies, body, isBase64Encoded, bodyStream } = parsedResult.data
  // The whole result is only measured if its body could make it too large.
  if (body && body.length * 6 > maxBytes && Buffer.byteLength(JSON.stringify(result)) > maxBytes)
    return undefined
  if (isBase64Encoded && body && !/^[A-Za-z0-9+/_-]*={0,2}$/.test(body)) return undefined
  const lines = normalizeHeaders(headers ?? {}, cookies ?? [])
  if (!lines) return undefined
  const { 'set-cookie': cookie, ...rest } = lines
  return {
    status: statusCode,
    headers:
      body && !('content-type' in rest) ? { 'content-type': 'text/plain; charset=utf-8', ...rest } : rest,
    // A function may set one more cookie with a set-cookie header.
    cookies: [...(cookie === undefined ? [] : [cookie]), ...(cookies ?? [])],
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
    ...defined({ stream: bodyStream }),
  }
}

/**
 * Infers the response for a result without a status. "If your Lambda function returns valid JSON and doesn't return a
 * statusCode, API Gateway assumes … statusCode is 200, content-type is application/json, body is the function's
 * response." A string is sent unchanged.
 */
function inferResponse(result: unknown): GatewayResponse | undefined {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null')
  const body = Buffer.from(text)
  if (body.length > maxBytes) return undefined
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** Headers about the framing of the message, which only the gateway sets. */
const gatewayHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer'])

/** Converts names to lower case; returns undefined if a header is invalid in a response. */
function normalizeHeaders(
  headers: Readonly<Record<string, string | number | boolean | undefined>>,
  cookies: readonly string[],
): Record<string, string> | undefined {
  const lines: Record<string, string> = {}
  try {
    for (const [givenName, value] of Object.entries(headers)) {
      const name = givenName.toLowerCase()
      if (value === undefined || gatewayHeaders.has(name)) continue
      validateHeaderName(name)
      validateHeaderValue(name, String(value))
      lines[name] = String(value)
    }
    for (const cookie of cookies) validateHeaderValue('set-cookie', cookie)
  } catch {
    return undefined
  }
  return lines
}
