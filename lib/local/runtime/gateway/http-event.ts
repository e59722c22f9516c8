// Creates the Lambda event of an HTTP request, as API Gateway does with payload format 2.0.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { HttpEvent } from '../../../http/contract.ts'
import { defined } from '../../../validation/defined.ts'
import type { FoundRoute } from './http-routes.ts'

/** The target of a request: its path as sent, and decoded for functions. */
interface RequestTarget {
  readonly encodedPath: string
  readonly path: string
  readonly rawQueryString: string
}

export type HttpEventBody = Pick<HttpEvent, 'body' | 'isBase64Encoded' | 'bodyStream' | 'canStream'>

/** Parses a request target; undefined if it is not a path or a percent-escape in it is not valid UTF-8. */
export function parseRequestTarget({ url = '/' }: IncomingMessage): RequestTarget | undefined {
  const at = url.indexOf('?')
  const encodedPath = at < 0 ? url : url.slice(0, at)
  const rawQueryString = at < 0 ? '' : url.slice(at + 1)
  if (!encodedPath.startsWith('/')) return undefined
  try {
    return { encodedPath, path: decodeURIComponent(encodedPath), rawQueryString }
  } catch {
    return undefined
  }
}

export function createHttpEvent(
  request: IncomingMessage,
  { path, rawQueryString }: RequestTarget,
  { key, pathParameters }: FoundRoute,
  body: HttpEventBody,
): HttpEvent {
  const now = new Date()
  const query = joinQuery(rawQueryString)
  const cookies = request.headers.cookie?.split(/;\s*/).filter((pair) => pair !== '')
  const { domainName, domainPrefix, sourceIp } = describeConnection(request)
  return {
    version: '2.0',
    routeKey: key,
    rawPath: path,
    rawQueryString,
    ...defined({ cookies }),
    headers: createEventHeaders(request, sourceIp),
    ...defined({ queryStringParameters: query }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName,
      domainPrefix,
      http: {
        method: request.method ?? 'GET',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: createRequestId(),
      routeKey: key,
      stage: '$default',
      time: formatLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...defined({ pathParameters }),
    ...body,
  }
}

/** Returns an id in API Gateway's format, for example `JKJaXmPLvHcESHA=`. */
export const createRequestId = () => `${randomBytes(11).toString('base64url')}=`

/** Returns the host that the client called and the IP address of the client. */
export function describeConnection(request: IncomingMessage) {
  const domainName = request.headers.host ?? 'localhost'
  return {
    domainName,
    domainPrefix: domainName.split(/[.:]/)[0] ?? '',
    sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  }
}

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a time as in web server logs: `12/Mar/2020:19:03:58 +0000`. */
export function formatLogTime(date: Date): string {
  const [day = '', time = ''] = date.toISOString().split(/[T.]/)
  return `${day.slice(8)}/${monthNames[date.getUTCMonth()]}/${day.slice(0, 4)}:${time} +0000`
}

/** API Gateway: "Duplicate query strings are combined with commas and included in the queryStringParameters field." */
function joinQuery(rawQuery: string): Record<string, string> | undefined {
  if (rawQuery === '') return undefined
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(rawQuery))
    query[name] = name in query ? `${query[name]},${value}` : value
  return { ...query }
}

/** Headers that only apply to the client's connection. */
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Converts names to lower case and joins the values of a repeated header with commas; cookies have a separate field.
 */
function createEventHeaders(request: IncomingMessage, sourceIp: string): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    if (name !== 'cookie' && !hopByHopHeaders.has(name)) headers[name] = values.join(',')
  }
  const previousForwardedFor = headers['x-forwarded-for']
  headers['x-forwarded-for'] = previousForwardedFor ? `${previousForwardedFor}, ${sourceIp}` : sourceIp
  headers['x-forwarded-port'] = String(request.socket.localPort ?? '')
  // A proxy sets the header to the client's protocol; the service's own connections never use TLS.
  headers['x-forwarded-proto'] ??= 'http'
  headers['x-amzn-trace-id'] ??= createTraceId()
  return { ...headers }
}

const createTraceId = () =>
  `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`
