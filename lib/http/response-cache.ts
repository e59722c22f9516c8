import { Packed } from './appendable-gzip.ts'
import { compressedTag, takesGzip } from './compression.ts'
import type { AnyContract, HttpEvent, Reply } from './contract.ts'
import { successHead, successTail } from './envelope.ts'
import { bytesOf, etagOf, headersOf, matches, notModified, type Result } from './render.ts'

interface Asked {
  readonly contract: AnyContract
  /** Answers of the same contract and name are the same. */
  readonly name: string
  readonly reply: () => Promise<Reply<unknown>>
}

interface Kept {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  readonly packed: Packed
}

/** Answers that stay as they are while the process lives: each is made once, and kept compressed. */
export class KeptAnswers {
  readonly #kept = new Map<string, Promise<Kept>>()

  async answer(asked: Asked, event: HttpEvent, requestId: string): Promise<Result> {
    const { contract } = asked
    const { statusCode, headers, etag, packed } = await this.#get(asked)
    const isCompressed = takesGzip(event)
    const shown = isCompressed ? compressedTag(etag) : etag
    if (matches(event, etag)) return notModified(contract, shown)
    const tail = Buffer.from(contract.reply.form === 'raw' ? '' : successTail(requestId))
    const body = isCompressed ? packed.gzip(tail) : await packed.plain(tail)
    return {
      statusCode,
      headers: {
        ...{ ...headers, etag: shown, vary: 'accept-encoding' },
        ...(isCompressed && { 'content-encoding': 'gzip' }),
      },
      body: body.toString('base64'),
      isBase64Encoded: true,
    }
  }

  #get(asked: Asked): Promise<Kept> {
    const key = `${asked.contract.path}\n${asked.name}`
    const kept = this.#kept.get(key) ?? make(asked)
    this.#kept.set(key, kept)
    // What cannot be had is asked for again.
    kept.catch(() => this.#kept.delete(key))
    return kept
  }
}

async function make({ contract, reply: ask }: Asked): Promise<Kept> {
  const reply = await ask()
  const data = bytesOf(reply.data)
  const content = contract.reply.form === 'raw' ? data : successHead(String(data))
  return {
    statusCode: reply.status ?? contract.reply.status,
    headers: headersOf(contract, reply),
    etag: etagOf(data),
    packed: await Packed.of(Buffer.from(content)),
  }
}
