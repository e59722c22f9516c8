import type { Warning } from '../../model/job.ts'
import type { AnyContract, HandlerReply, HttpEvent } from '../contract.ts'
import { AppendableGzip } from './appendable-gzip.ts'
import { acceptsGzip, gzipEtag } from './compression.ts'
import { successHead, successTail } from './envelope.ts'
import { etagOf, type HttpResult, matchesEtag, notModified, replyHeadersOf, serializeData } from './render.ts'

interface CacheableReply {
  readonly contract: AnyContract
  /** Cache key: replies with the same contract and name are identical. */
  readonly name: string
  readonly reply: () => Promise<HandlerReply<unknown>>
}

interface CachedResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly packed: AppendableGzip
}

/** Caches replies that don't change during the lifetime of the process, compressed. */
export class ResponseCache {
  readonly #keptResponses = new Map<string, Promise<CachedResponse>>()

  async answer(
    requestedReply: CacheableReply,
    event: Pick<HttpEvent, 'headers'>,
    requestId: string,
    warnings?: readonly Warning[],
  ): Promise<HttpResult> {
    const { contract } = requestedReply
    const { statusCode, headers, etag, packed } = await this.#get(requestedReply)
    const isCompressed = acceptsGzip(event)
    const sentEtag = isCompressed ? gzipEtag(etag) : etag
    if (matchesEtag(event, etag)) return notModified(contract, sentEtag)
    const tail = Buffer.from(contract.reply.form === 'raw' ? '' : successTail(requestId, warnings))
    const body = isCompressed ? packed.gzip(tail) : await packed.plain(tail)
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
    const keptResponse = this.#keptResponses.get(key) ?? make(requestedReply)
    this.#keptResponses.set(key, keptResponse)
    // Failures are not cached.
    keptResponse.catch(() => this.#keptResponses.delete(key))
    return keptResponse
  }
}

async function make({ contract, reply: ask }: CacheableReply): Promise<CachedResponse> {
  const reply = await ask()
  const data = serializeData(reply.data)
  const content = contract.reply.form === 'raw' ? data : successHead(String(data))
  return {
    statusCode: reply.status ?? contract.reply.status,
    headers: replyHeadersOf(contract, reply),
    etag: etagOf(data),
    packed: await AppendableGzip.compress(Buffer.from(content)),
  }
}
