import type { Warning } from '../../model/job.ts'
import type { AnyContract, HandlerReply, HttpEvent } from '../contract.ts'
import { AppendableGzip } from './appendable-gzip.ts'
import { acceptsGzip, toGzipEtag } from './compression.ts'
import { createSuccessHead, createSuccessTail } from './envelope.ts'
import {
  collectReplyHeaders,
  createEtag,
  createNotModifiedResult,
  type HttpResult,
  matchesEtag,
  serializeData,
} from './render.ts'

interface CacheableReply {
  readonly contract: AnyContract
  /** Cache key; replies with the same contract and name are identical. */
  readonly name: string
  readonly reply: () => Promise<HandlerReply<unknown>>
}

interface CachedResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly compressedBody: AppendableGzip
}

/** Caches compressed replies that don't change during the lifetime of the process. */
export class ResponseCache {
  readonly #responsesByKey = new Map<string, Promise<CachedResponse>>()

  async respond(
    requestedReply: CacheableReply,
    event: Pick<HttpEvent, 'headers'>,
    requestId: string,
    warnings?: readonly Warning[],
  ): Promise<HttpResult> {
    const { contract } = requestedReply
    const { statusCode, headers, etag, compressedBody } = await this.#get(requestedReply)
    const isCompressed = acceptsGzip(event)
    const sentEtag = isCompressed ? toGzipEtag(etag) : etag
    if (matchesEtag(event, etag)) return createNotModifiedResult(contract, sentEtag)
    const tail = Buffer.from(contract.reply.form === 'raw' ? '' : createSuccessTail(requestId, warnings))
    const body = isCompressed ? compressedBody.gzip(tail) : await compressedBody.decompressAndAppend(tail)
    return {
      statusCode,
      headers: {
        ...headers,
        etag: sentEtag,
        vary: 'accept-encoding',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
      },
      body: body.toString('base64'),
      isBase64Encoded: true,
    }
  }

  #get(requestedReply: CacheableReply): Promise<CachedResponse> {
    const key = `${requestedReply.contract.path}\n${requestedReply.name}`
    const cachedResponse = this.#responsesByKey.get(key) ?? createResponse(requestedReply)
    this.#responsesByKey.set(key, cachedResponse)
    // Failures are not cached.
    cachedResponse.catch(() => this.#responsesByKey.delete(key))
    return cachedResponse
  }
}

async function createResponse({ contract, reply: createReply }: CacheableReply): Promise<CachedResponse> {
  const reply = await createReply()
  const data = serializeData(reply.data)
  const content = contract.reply.form === 'raw' ? data : createSuccessHead(String(data))
  return {
    statusCode: reply.status ?? contract.reply.status,
    headers: collectReplyHeaders(contract, reply),
    etag: createEtag(data),
    compressedBody: await AppendableGzip.compress(Buffer.from(content)),
  }
}
