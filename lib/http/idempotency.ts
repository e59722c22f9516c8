import { createHmac } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Key } from '../aws/table.ts'
import type { Vault } from '../crypto/sealed.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { sortKeys } from '../validation/canonical-json.ts'
import type { ParsedBody } from './body/body.ts'
import type { HttpEvent } from './contract.ts'
import { IdempotencyStore, renewMs, type StoredReply } from './idempotency-store.ts'

/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a request takes effect once, no matter how many times
 * it is sent, even if the process dies in between. Only successful replies are stored: a rejected request has had no
 * effect, so a corrected one may use the same key.
 */

export const idempotencyHeader = 'idempotency-key'
export const replayedHeader = 'idempotent-replayed'

/** Description of the header for the API reference. */
export const idempotencyKeyDescription =
  'Makes the request safe to retry. Use 1 to 255 visible ASCII characters that are unique to the request, preferably a UUID. For 24 hours a repetition of the request gets the first reply, with the same status and body and the header `Idempotent-Replayed: true`, and nothing is created twice. While the first request is running, a repetition gets 409 `IDEMPOTENCY_IN_PROGRESS` with `Retry-After`; a different request with the same key gets 422 `IDEMPOTENCY_KEY_REUSED`. Requests are the same if they have the same query, the same fields (in any order) and the same files (name, order and content). Errors are not stored: after a 4xx you may send a corrected request with the same key, after a 5xx the same request. A key belongs to the endpoint and to your identity or public key (`ck_`), or to your IP address as long as you have no identity: a repetition then gets the same identity, so choose an unguessable key.'

/** Maximum size in bytes of a stored, compressed reply; a DynamoDB item may have 400 KB. */
const maxReplyBytes = 300_000

type Result = APIGatewayProxyStructuredResultV2

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly key: string
  readonly event: HttpEvent
  readonly body: Pick<ParsedBody, 'value' | 'files'>
}

/** One attempt to run an idempotent request. */
export interface IdempotentAttempt {
  /** Id for the job, if the request creates one. */
  readonly jobId: string
  /** Whether an earlier attempt may have created the job. */
  readonly isRetry: boolean
}

/**
 * Reads the key, which may be quoted, as in the draft, or bare, as most clients send it.
 * @throws AppError INVALID_INPUT
 */
export function parseIdempotencyKey({ headers }: Pick<HttpEvent, 'headers'>): string | undefined {
  const givenKey = headers[idempotencyHeader]
  if (givenKey === undefined) return undefined
  const key = /^"(.*)"$/.exec(givenKey)?.[1]?.replace(/\\(["\\])/g, '$1') ?? givenKey
  if (/^[!-~]{1,255}$/.test(key)) return key
  throw new AppError(
    'INVALID_INPUT',
    `Idempotency-Key: expected 1 to 255 visible ASCII characters such as a UUID, got ${JSON.stringify(givenKey.slice(0, 80))}.`,
    { field: 'Idempotency-Key' },
  )
}

/** Runs each request with an idempotency key once. */
export class Idempotency {
  readonly #store: IdempotencyStore
  readonly #keys: Services['keys']
  readonly #vault: Vault
  readonly #renewMs: number

  /** Creates the store of replies. @param renewIntervalMs interval at which a running request renews its lease. */
  constructor({ table, keys, vault }: Pick<Services, 'table' | 'keys' | 'vault'>, renewIntervalMs = renewMs) {
    this.#store = new IdempotencyStore(table)
    this.#keys = keys
    this.#vault = vault
    this.#renewMs = renewIntervalMs
  }

  /**
   * Returns the sender. A request without an identity gets the one that was issued to the same request from the same IP
   * address before.
   * @throws AppError IDEMPOTENCY_KEY_REUSED
   */
  async resolveSender(request: KeyedRequest, principal: Principal): Promise<Principal> {
    if (!principal.isNew) return principal
    const recordKey = this.#getAddressKey(request)
    const ownerId = await this.#store.claimSender(
      recordKey,
      principal.ownerId,
      this.#createFingerprint(request),
    )
    return { ...principal, ownerId }
  }

  /**
   * Runs the request, or returns the stored reply to an earlier attempt.
   * @throws AppError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS, and errors of `run`.
   */
  async runOnce(
    request: KeyedRequest,
    { principal, log }: { readonly principal: Principal; readonly log: Log },
    run: (attempt: IdempotentAttempt) => Promise<Result>,
  ): Promise<Result> {
    const recordKey = this.#getRecordKey(request, formatSenderName(principal))
    const { reservation, isRetry } = await this.#store.claim(recordKey, this.#createFingerprint(request))
    if (reservation.reply) return this.#fromStoredReply(reservation.reply, recordKey)
    const renew = () =>
      this.#store
        .renew(recordKey, reservation)
        .catch((error) => log.warn({ error }, 'idempotency lease could not be renewed'))
    const renewalTimer = setInterval(renew, this.#renewMs).unref()
    try {
      const result = await run({ jobId: reservation.jobId, isRetry })
      const reply = this.#toStoredReply(result, recordKey)
      if (reply) await this.#store.saveReply(recordKey, reservation, reply)
      // The reply is too large to store, so a repetition creates it again from the job.
      else await this.#store.release(recordKey, reservation)
      return result
    } catch (error) {
      const addressKey = principal.isNew ? this.#getAddressKey(request) : undefined
      if (isClientError(error)) await this.#store.deleteReservation(recordKey, reservation, addressKey)
      else await this.#store.release(recordKey, reservation)
      throw error
    } finally {
      clearInterval(renewalTimer)
    }
  }

  #getAddressKey(request: KeyedRequest): Key {
    return this.#getRecordKey(request, `address ${request.event.requestContext.http.sourceIp}`)
  }

  /**
   * Returns the key of the record. Idempotency keys and IP addresses are private, so the table only contains their
   * HMAC.
   */
  #getRecordKey({ key, event }: KeyedRequest, principal: string): Key {
    const { method } = event.requestContext.http
    return { pk: `IDEM#${this.#createDigest([principal, method, event.rawPath, key])}`, sk: 'IDEM' }
  }

  /**
   * Returns a fingerprint of the request. It is an HMAC, because fields may be passwords: a plain hash of a short
   * password could be guessed.
   */
  #createFingerprint({ event, body }: KeyedRequest): string {
    const files = body.files.map(({ field, filename, size, sha256 }) => [field, filename, size, sha256])
    return this.#createDigest([event.queryStringParameters ?? {}, body.value, files])
  }

  /**
   * Returns the reply in the form in which it is stored. It is encrypted, because some replies contain secrets, such as
   * the secret of a new webhook.
   */
  #toStoredReply(
    { statusCode = 200, headers = {}, body = '' }: Result,
    { pk }: Key,
  ): StoredReply | undefined {
    const { sealed } = this.#vault.seal(gzipSync(body).toString('base64'), pk)
    const bytes = Buffer.from(sealed, 'base64url')
    return bytes.length > maxReplyBytes ? undefined : { status: statusCode, headers, body: bytes }
  }

  #fromStoredReply({ status, headers, body }: StoredReply, { pk }: Key): Result {
    const sealedBody = Buffer.from(body).toString('base64url')
    const compressedBody = Buffer.from(String(this.#vault.unseal({ sealed: sealedBody }, pk)), 'base64')
    return {
      statusCode: status,
      headers: { ...headers, [replayedHeader]: 'true' },
      body: gunzipSync(compressedBody).toString('utf8'),
    }
  }

  #createDigest(value: unknown): string {
    return createHmac('sha256', this.#keys.idempotency)
      .update(JSON.stringify(sortKeys(value)))
      .digest('base64url')
  }
}

/**
 * Returns a name for the sender. A public key has a name of its own: anyone can read it in a web page, so it must not
 * get replies to requests that were sent without it.
 */
const formatSenderName = ({ ownerId, isPublic, keyId }: Principal) =>
  isPublic ? `owner ${ownerId} public key ${keyId}` : `owner ${ownerId}`

/** Whether a client's error was the reason for the failure, in which case the request had no effect. */
const isClientError = (error: unknown) => error instanceof AppError && error.status < 500
