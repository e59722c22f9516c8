import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { uncompressedEtag } from './compression.ts'
import type { AnyContract, HandlerReply, HttpEvent } from './contract.ts'
import { mirroredBody, successBody } from './envelope.ts'

/** As API Gateway takes it, or with a body that is made while it is sent. */
export type HttpResult = APIGatewayProxyStructuredResultV2 & { bodyStream?: Readable }

/** What a handler replies, as its contract has it. */
export function renderReply(
  contract: AnyContract,
  reply: HandlerReply<unknown>,
  event: HttpEvent,
  requestId: string,
): HttpResult {
  const { form = 'envelope', cacheControl = 'no-store' } = contract.reply
  const statusCode = reply.status ?? contract.reply.status
  if (statusCode === 204 || form === 'empty')
    return { statusCode, headers: { 'cache-control': cacheControl, ...reply.headers } }
  const headers = replyHeadersOf(contract, reply)
  // The pieces of a body, by its contract.
  if (form === 'stream')
    return { statusCode, headers, bodyStream: Readable.from(reply.data as AsyncIterable<string>) }
  const etag = contract.reply.etag ? etagOf(serializeData(reply.data)) : undefined
  if (etag && matchesEtag(event, etag)) return notModified(contract, etag)
  return {
    statusCode,
    headers: { ...headers, ...(etag && { etag }) },
    ...bodyOf(form, reply.data, requestId),
  }
}

export function replyHeadersOf({ reply: declared }: AnyContract, { headers }: HandlerReply<unknown>) {
  const { contentType = 'application/json; charset=utf-8', cacheControl = 'no-store' } = declared
  return { 'content-type': contentType, 'cache-control': cacheControl, ...headers }
}

export const notModified = (
  { reply: { cacheControl = 'no-store' } }: AnyContract,
  etag: string,
): HttpResult => ({
  statusCode: 304,
  headers: { etag, 'cache-control': cacheControl },
})

/** Where the gateway takes no stream, what comes until it has ended. */
export async function bufferStream(
  result: HttpResult,
  { canStream, requestContext }: HttpEvent,
): Promise<HttpResult> {
  const { bodyStream, ...head } = result
  const isHead = requestContext.http.method === 'HEAD'
  if (!bodyStream || (canStream && !isHead)) return result
  if (isHead) {
    bodyStream.destroy()
    return head
  }
  return { ...head, body: await text(bodyStream) }
}

/** Data as it stands in a body. */
export const serializeData = (data: unknown): Buffer | string =>
  Buffer.isBuffer(data) || typeof data === 'string' ? data : JSON.stringify(data)

function bodyOf(
  form: 'envelope' | 'mirrored' | 'raw',
  data: unknown,
  requestId: string,
): Pick<HttpResult, 'body' | 'isBase64Encoded'> {
  if (form === 'raw' && Buffer.isBuffer(data)) return { body: data.toString('base64'), isBase64Encoded: true }
  if (form === 'raw' && typeof data === 'string') return { body: data }
  if (form === 'raw') return { body: JSON.stringify(data) }
  // A mirrored reply is an object by its contract.
  if (form === 'mirrored') return { body: JSON.stringify(mirroredBody(data as object, requestId)) }
  return { body: JSON.stringify(successBody(data, requestId)) }
}

/** Over the data alone: the envelope's time and request id differ each time. */
export const etagOf = (bytes: Buffer | string): string =>
  `"${createHash('sha256').update(bytes).digest('base64url')}"`

/** RFC 9110, 13.1.2: weak comparison against each of the list, or `*`. */
export function matchesEtag({ headers }: HttpEvent, etag: string): boolean {
  const tags =
    headers['if-none-match']?.split(',').map((tag) => uncompressedEtag(tag.trim().replace(/^W\//, ''))) ?? []
  return tags.includes(etag) || tags.includes('*')
}

/** RFC 9110, 9.3.2: as the GET, its length included, but no content. */
export function withoutBody(result: HttpResult): HttpResult {
  const { body = '', isBase64Encoded, ...head } = result
  const length = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8')
  return { ...head, headers: { ...head.headers, ...(body && { 'content-length': String(length) }) } }
}
