import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Item, Key, Table } from '../aws/table.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'

/** Stores records of idempotent requests: before a request has any effect, and later with its reply. */

/** How long a record is kept. */
const retentionS = 24 * 3600
/** A request that has not renewed its lease for this long is assumed to have died with its process. */
const leaseMs = 60_000
export const renewMs = leaseMs / 3
/** Value of `Retry-After` in seconds while the first request is still running. */
const retryAfterS = 2

const StoredReply = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  body: z.instanceof(Uint8Array).describe('Compressed'),
})
export type StoredReply = z.infer<typeof StoredReply>

const Reservation = z.object({
  fingerprint: z.string(),
  /** Id for the job, if the request creates one. */
  jobId: z.string(),
  /** Id of the attempt that holds the lease. */
  attempt: z.string(),
  /** End of the lease in milliseconds since 1970; no other attempt starts before that. */
  leaseUntil: z.number(),
  reply: StoredReply.optional(),
  ttl: z.int(),
})
type Reservation = z.infer<typeof Reservation>

/** The identity that was issued to a request without one. */
const Sender = z.object({ owner: z.string(), fingerprint: z.string(), ttl: z.int() })

interface Claim {
  readonly reservation: Reservation
  /** True if an earlier attempt held the reservation and saved no reply. */
  readonly isRetry: boolean
}

export class IdempotencyStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /**
   * Returns the owner that an earlier, identical request got; if there was no such request, the given owner.
   * @throws AppError IDEMPOTENCY_KEY_REUSED
   */
  async claimSender(recordKey: Key, owner: string, fingerprint: string): Promise<string> {
    const ownRecord = { ...recordKey, owner, fingerprint, ttl: createTtl() }
    const { applied, item } = await this.#table.put(ownRecord, {
      condition: { exists: false },
      writeMarker: { owner },
    })
    if (applied) return owner
    const storedSender = Sender.parse(item)
    if (!isExpired(storedSender)) return requireSameRequest(storedSender, fingerprint).owner
    const ownerCondition = {
      condition: { equal: { owner: storedSender.owner, ttl: storedSender.ttl } },
      writeMarker: { owner },
    }
    if (!(await this.#table.put(ownRecord, ownerCondition)).applied) throw createInProgressError()
    return owner
  }

  /**
   * Reserves the key for an attempt, or returns the stored reply.
   * @throws AppError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS
   */
  async claim(recordKey: Key, fingerprint: string): Promise<Claim> {
    const attempt = randomUUID()
    const lease = { attempt, leaseUntil: Date.now() + leaseMs }
    const ownReservation = { fingerprint, jobId: newId('job'), ...lease, ttl: createTtl() }
    const firstResult = await this.#put(recordKey, ownReservation, { exists: false })
    if (firstResult.applied) return { reservation: ownReservation, isRetry: false }
    const storedReservation = Reservation.parse(firstResult.item)
    if (isExpired(storedReservation)) return this.#takeOver(recordKey, storedReservation, ownReservation)
    requireSameRequest(storedReservation, fingerprint)
    if (storedReservation.reply) return { reservation: storedReservation, isRetry: true }
    if (storedReservation.leaseUntil > Date.now()) throw createInProgressError()
    return this.#takeOver(recordKey, storedReservation, { ...storedReservation, ...lease })
  }

  /** Takes over an expired reservation. If several attempts saw the same record, one of them succeeds. */
  async #takeOver(
    recordKey: Key,
    storedReservation: Reservation,
    ownReservation: Reservation,
  ): Promise<Claim> {
    const { attempt, leaseUntil } = storedReservation
    const { applied } = await this.#put(recordKey, ownReservation, { equal: { attempt, leaseUntil } })
    if (!applied) throw createInProgressError()
    return { reservation: ownReservation, isRetry: ownReservation.jobId === storedReservation.jobId }
  }

  #put(recordKey: Key, reservation: Reservation, condition: { exists: false } | { equal: Item }) {
    const { attempt } = reservation
    return this.#table.put({ ...recordKey, ...reservation }, { condition, writeMarker: { attempt } })
  }

  async renew(recordKey: Key, { attempt }: Reservation): Promise<void> {
    await this.#updateAttempt(recordKey, attempt, { leaseUntil: Date.now() + leaseMs })
  }

  async saveReply(recordKey: Key, { attempt }: Reservation, reply: StoredReply): Promise<void> {
    await this.#updateAttempt(recordKey, attempt, { reply })
  }

  /**
   * Ends the lease, so that the same request may be sent again immediately; the key still cannot be used for another
   * request.
   */
  async release(recordKey: Key, { attempt }: Reservation): Promise<void> {
    await this.#updateAttempt(recordKey, attempt, { leaseUntil: 0 })
  }

  /**
   * Deletes the record and, if given, the record of the sender's IP address, so that any request may use the key again.
   */
  async deleteReservation(recordKey: Key, { attempt }: Reservation, addressKey?: Key): Promise<void> {
    await this.#table.transact([
      { delete: recordKey, if: { equal: { attempt } } },
      ...(addressKey ? [{ delete: addressKey }] : []),
    ])
  }

  /** Changes the record, unless another attempt has taken over. */
  #updateAttempt(recordKey: Key, attempt: string, changes: Partial<Reservation>) {
    return this.#table.update(recordKey, { set: changes }, { condition: { equal: { attempt } } })
  }
}

const createTtl = () => Math.floor(Date.now() / 1000) + retentionS

/** DynamoDB deletes expired records only some time later. */
const isExpired = ({ ttl }: { readonly ttl: number }) => ttl * 1000 <= Date.now()

function requireSameRequest<T extends { readonly fingerprint: string }>(
  storedRequest: T,
  fingerprint: string,
): T {
  if (storedRequest.fingerprint === fingerprint) return storedRequest
  throw new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key: already used for a request with a different query, fields or files. Use a new key for each request.',
    { field: 'Idempotency-Key' },
  )
}

const createInProgressError = () =>
  new AppError(
    'IDEMPOTENCY_IN_PROGRESS',
    `Idempotency-Key: the first request with this key is still running. Send the request again in ${retryAfterS} s to get its reply.`,
    { field: 'Idempotency-Key', retryAfter: retryAfterS },
  )
