import { createHmac } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Principal } from '../access/principal.ts'
import type { Key } from '../aws/table.ts'
import { inOrder } from '../canonical-json.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../sealed.ts'
import type { Services } from '../services.ts'
import type { ParsedBody } from './body.ts'
import type { HttpEvent } from './contract.ts'
import { IdempotencyStore, renewMs, type StoredReply } from './idempotency-store.ts'

/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): what a request makes is made once, however often it is
 * sent, even if the process dies in between. Only success is kept: what was refused has made nothing, so a mended
 * request may come under the same key.
 */

export const idempotencyHeader = 'idempotency-key'
export const replayedHeader = 'idempotent-replayed'

/** For the reference. */
export const idempotencyKeyDescription =
  'Makes the request safe to repeat. 1 to 255 visible ASCII characters that you use for nothing else, best a UUID. For 24 hours the same request gets the first reply again, status and body unchanged, with the header `Idempotent-Replayed: true`, and nothing is made twice. While the first is at work the answer is 409 `IDEMPOTENCY_IN_PROGRESS` with `Retry-After`; another request under the same key gets 422 `IDEMPOTENCY_KEY_REUSED`. Requests are the same when their query, their fields (in any order) and the names, order and content of their files are. Errors are not kept: after a 4xx a mended request may use the key, after a 5xx the same one. A key belongs to the endpoint and to your identity, or to your address while you have none: a repetition then gets the same identity, so let nobody guess it.'

/** Bytes of a compressed reply; a record takes 400 KB (AWS's limit). */
const maxReplyBytes = 300_000

type Result = APIGatewayProxyStructuredResultV2

/** A request under a key, whoever sent it. */
export interface KeyedRequest {
  readonly key: string
  readonly event: HttpEvent
  readonly body: Pick<ParsedBody, 'value' | 'files'>
}

/** What a request may do once. */
export interface IdempotentAttempt {
  /** Of the job that it makes, if it makes one. */
  readonly jobId: string
  /** An earlier try may have made it. */
  readonly isRetry: boolean
}

/**
 * Quoted, as the draft has it, and bare, as everybody sends it, a key is the same.
 * @throws AppError INVALID_INPUT
 */
export function idempotencyKeyOf({ headers }: HttpEvent): string | undefined {
  const given = headers[idempotencyHeader]
  if (given === undefined) return undefined
  const key = /^"(.*)"$/.exec(given)?.[1]?.replace(/\\(["\\])/g, '$1') ?? given
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw new AppError(
    'INVALID_INPUT',
    `Idempotency-Key: expected 1 to 255 visible ASCII characters such as a UUID, got ${JSON.stringify(given.slice(0, 80))}.`,
    { field: 'Idempotency-Key' },
  )
}

/** Makes each request under a key once. */
export class Idempotency {
  readonly #reservations: IdempotencyStore
  readonly #keys: Services['keys']
  readonly #vault: Vault
  readonly #renewMs: number

  /** @param renewIntervalMs how often a request that is at work says so. */
  constructor({ table, keys, vault }: Pick<Services, 'table' | 'keys' | 'vault'>, renewIntervalMs = renewMs) {
    this.#reservations = new IdempotencyStore(table)
    this.#keys = keys
    this.#vault = vault
    this.#renewMs = renewIntervalMs
  }

  /**
   * Whose request it is: one without an identity comes from whoever sent the same from its address before.
   * @throws AppError IDEMPOTENCY_KEY_REUSED
   */
  async senderOf(keyed: KeyedRequest, principal: Principal): Promise<Principal> {
    if (!principal.isNew) return principal
    const place = this.#addressPlace(keyed)
    const ownerId = await this.#reservations.claimSender(place, principal.ownerId, this.#fingerprint(keyed))
    return { ...principal, ownerId }
  }

  /**
   * Runs it, or gives the answer that it had.
   * @throws AppError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS, and whatever `run` throws.
   */
  async runOnce(
    keyed: KeyedRequest,
    { principal, log }: { readonly principal: Principal; readonly log: Log },
    run: (attempt: IdempotentAttempt) => Promise<Result>,
  ): Promise<Result> {
    const place = this.#place(keyed, `owner ${principal.ownerId}`)
    const { reservation, isRetry } = await this.#reservations.claim(place, this.#fingerprint(keyed))
    if (reservation.reply) return this.#replayed(reservation.reply, place)
    const renew = () =>
      this.#reservations.renew(place, reservation).catch((error) => log.warn({ error }, 'renewal failed'))
    const renewal = setInterval(renew, this.#renewMs).unref()
    try {
      const result = await run({ jobId: reservation.jobId, isRetry })
      const reply = this.#stored(result, place)
      if (reply) await this.#reservations.saveReply(place, reservation, reply)
      // Too large to be kept: it is made again from the job.
      else await this.#reservations.release(place, reservation)
      return result
    } catch (error) {
      const senderPlace = principal.isNew ? this.#addressPlace(keyed) : undefined
      if (isClientError(error)) await this.#reservations.forget(place, reservation, senderPlace)
      else await this.#reservations.release(place, reservation)
      throw error
    } finally {
      clearInterval(renewal)
    }
  }

  #addressPlace(keyed: KeyedRequest): Key {
    return this.#place(keyed, `address ${keyed.event.requestContext.http.sourceIp}`)
  }

  /** Where its record is. Keys and addresses are nobody's business: the table has only what they come to. */
  #place({ key, event }: KeyedRequest, principal: string): Key {
    const { method } = event.requestContext.http
    return { pk: `IDEM#${this.#digest([principal, method, event.rawPath, key])}`, sk: 'IDEM' }
  }

  /** Fields may be passwords, which are short: without our own secret nobody finds them by trying. */
  #fingerprint({ event, body }: KeyedRequest): string {
    const files = body.files.map(({ field, filename, size, sha256 }) => [field, filename, size, sha256])
    return this.#digest([event.queryStringParameters ?? {}, body.value, files])
  }

  /** Sealed: some replies hold secrets, as that of a webhook that was made. */
  #stored({ statusCode = 200, headers = {}, body = '' }: Result, { pk }: Key): StoredReply | undefined {
    const { sealed } = this.#vault.seal(gzipSync(body).toString('base64'), pk)
    const bytes = Buffer.from(sealed, 'base64url')
    return bytes.length > maxReplyBytes ? undefined : { status: statusCode, headers, body: bytes }
  }

  #replayed({ status, headers, body }: StoredReply, { pk }: Key): Result {
    const sealed = Buffer.from(body).toString('base64url')
    const packed = Buffer.from(String(this.#vault.open({ sealed }, pk)), 'base64')
    return {
      statusCode: status,
      headers: { ...headers, [replayedHeader]: 'true' },
      body: gunzipSync(packed).toString('utf8'),
    }
  }

  #digest(value: unknown): string {
    return createHmac('sha256', this.#keys.idempotency)
      .update(JSON.stringify(inOrder(value)))
      .digest('base64url')
  }
}

/** It made nothing. */
const isClientError = (error: unknown) => error instanceof AppError && error.status < 500
