import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Warning } from '../../model/job.ts'
import { defined } from '../../validation/defined.ts'
import type { AnyContract, HandlerReply, HttpEvent } from '../contract.ts'
import { toPlainEtag } from './compression.ts'
import { createMirrorBody, createSuccessBody } from './envelope.ts'

/** A result for API Gateway, or one with a streamed body. */
export type HttpResult = APIGatewayProxyStructuredResultV2 & { bodyStream?: Readable }

/** Renders a handler's reply in the form that its contract declares. */
export function renderReply(
  contract: AnyContract,
  reply: HandlerReply<unknown>,
  event: Pick<HttpEvent, 'headers'>,
  requestId: string,
  warnings: readonly Warning[] = [],
): HttpResult {
  const { form = 'envelope', cacheControl = 'no-store' } = contract.reply
  const statusCode = reply.status ?? contract.reply.status
  if (statusCode === 204 || form === 'empty')
    return { statusCode, headers: { 'cache-control': cacheControl, ...reply.headers } }
  const headers = collectReplyHeaders(contract, reply)
  // By its contract, the data is an iterable of body chunks.
  if (form === 'stream')
    return { statusCode, headers, bodyStream: Readable.from(reply.data as AsyncIterable<string>) }
  const etag = contract.reply.etag ? createEtag(serializeData(reply.data)) : undefined
  if (etag && matchesEtag(event, etag)) return createNotModifiedResult(contract, etag)
  return {
    statusCode,
    headers: { ...headers, ...defined({ etag }) },
    ...createBody(form, reply.data, requestId, warnings),
  }
}

export function collectReplyHeaders(
  { reply: declaredReply }: AnyContract,
  { headers }: HandlerReply<unknown>,
) {
  const { contentType = 'application/json; charset=utf-8', cacheControl = 'no-store' } = declaredReply
  return { 'content-type': contentType, 'cache-control': cacheControl, ...headers }
}

export const createNotModifiedResult = (
  { reply: { cacheControl = 'no-store' } }: AnyContract,
  etag: string,
): HttpResult => ({
  statusCode: 304,
  headers: { etag, 'cache-control': cacheControl },
})

/** Reads a streamed body to its end if the gateway cannot stream. */
export async function bufferReplyStream(
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

/** Serializes data for the body of a reply. */
export const serializeData = (data: unknown): Buffer | string =>
  Buffer.isBuffer(data) || typeof data === 'string' ? data : JSON.stringify(data)

function createBody(
  form: 'envelope' | 'mirrored' | 'raw',
  data: unknown,
  requestId: string,
  warnings: readonly Warning[],
): Pick<HttpResult, 'body' | 'isBase64Encoded'> {
  if (form === 'raw' && Buffer.isBuffer(data)) return { body: data.toString('base64'), isBase64Encoded: true }
  if (form === 'raw' && typeof data === 'string') return { body: data }
  if (form === 'raw') return { body: JSON.stringify(data) }
  // A mirrored reply is an object by its contract.
  if (form === 'mirrored')
    return { body: JSON.stringify(createMirrorBody(data as object, requestId, warnings)) }
  return { body: JSON.stringify(createSuccessBody(data, requestId, warnings)) }
}

/**
 * Returns an ETag. It is a hash of the data only, because the timestamp and request id of the envelope differ each
 * time.
 */
export const createEtag = (bytes: Buffer | string): string =>
  `"${createHash('sha256').update(bytes).digest('base64url')}"`

/** Checks `If-None-Match` (RFC 9110, 13.1.2) with a weak comparison of each listed ETag, or `*`. */
export function matchesEtag({ headers }: Pick<HttpEvent, 'headers'>, etag: string): boolean {
  const tags =
    headers['if-none-match']?.split(',').map((tag) => toPlainEtag(tag.trim().replace(/^W\//, ''))) ?? []
  return tags.includes(etag) || tags.includes('*')
}

/** Turns a GET reply into one for HEAD (RFC 9110, 9.3.2): the same headers, including the length, but no content. */
export function removeBody(result: HttpResult): HttpResult {
  const { body = '', isBase64Encoded, ...head } = result
  const length = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8')
  return { ...head, headers: { ...head.headers, ...(body && { 'content-length': String(length) }) } }
}
