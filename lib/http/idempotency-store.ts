import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Item, Key, Table } from '../aws/table.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'

/** Records of requests that are made once: one is there before its request does anything, and holds its reply after. */

/** Seconds that a request is remembered. */
const retentionS = 24 * 3600
/** Milliseconds without a sign of life after which a request has died with its process. */
const leaseMs = 60_000
export const renewMs = leaseMs / 3
/** Seconds after which it is worth asking again for one that is at work. */
const retryAfterS = 2

const StoredReply = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  body: z.instanceof(Uint8Array).describe('Compressed'),
})
export type StoredReply = z.infer<typeof StoredReply>

const Reservation = z.object({
  fingerprint: z.string(),
  /** The job that the request makes, if it makes one. */
  jobId: z.string(),
  /** The try that holds the record. */
  attempt: z.string(),
  /** Milliseconds since the epoch; until then nobody else begins. */
  leaseUntil: z.number(),
  reply: StoredReply.optional(),
  ttl: z.int(),
})
type Reservation = z.infer<typeof Reservation>

/** The identity that was given to a request which brought none. */
const Sender = z.object({ owner: z.string(), fingerprint: z.string(), ttl: z.int() })

export interface Claim {
  readonly reservation: Reservation
  /** An earlier try had it and kept no reply. */
  readonly isRetry: boolean
}

export class IdempotencyStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /**
   * The owner that the same request was given before, else this one.
   * @throws AppError IDEMPOTENCY_KEY_REUSED
   */
  async claimSender(recordKey: Key, owner: string, fingerprint: string): Promise<string> {
    const own = { ...recordKey, owner, fingerprint, ttl: ttlFromNow() }
    const { applied, item } = await this.#table.put(own, { condition: { exists: false }, mark: { owner } })
    if (applied) return owner
    const found = Sender.parse(item)
    if (!isExpired(found)) return requireSameRequest(found, fingerprint).owner
    const isMine = { condition: { equal: { owner: found.owner, ttl: found.ttl } }, mark: { owner } }
    if (!(await this.#table.put(own, isMine)).applied) throw inProgressError()
    return owner
  }

  /** @throws AppError IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS */
  async claim(recordKey: Key, fingerprint: string): Promise<Claim> {
    const attempt = randomUUID()
    const lease = { attempt, leaseUntil: Date.now() + leaseMs }
    const own = { fingerprint, jobId: newId('job'), ...lease, ttl: ttlFromNow() }
    const first = await this.#put(recordKey, own, { exists: false })
    if (first.applied) return { reservation: own, isRetry: false }
    const found = Reservation.parse(first.item)
    if (isExpired(found)) return this.#takeOver(recordKey, found, own)
    requireSameRequest(found, fingerprint)
    if (found.reply) return { reservation: found, isRetry: true }
    if (found.leaseUntil > Date.now()) throw inProgressError()
    return this.#takeOver(recordKey, found, { ...found, ...lease })
  }

  /** Of several that see the same record only one gets it. */
  async #takeOver(recordKey: Key, found: Reservation, own: Reservation): Promise<Claim> {
    const { attempt, leaseUntil } = found
    const { applied } = await this.#put(recordKey, own, { equal: { attempt, leaseUntil } })
    if (!applied) throw inProgressError()
    return { reservation: own, isRetry: own.jobId === found.jobId }
  }

  #put(recordKey: Key, reservation: Reservation, condition: { exists: false } | { equal: Item }) {
    const { attempt } = reservation
    return this.#table.put({ ...recordKey, ...reservation }, { condition, mark: { attempt } })
  }

  async renew(recordKey: Key, { attempt }: Reservation): Promise<void> {
    await this.#change(recordKey, attempt, { leaseUntil: Date.now() + leaseMs })
  }

  async saveReply(recordKey: Key, { attempt }: Reservation, reply: StoredReply): Promise<void> {
    await this.#change(recordKey, attempt, { reply })
  }

  /** The same request may be sent again at once, and no other. */
  async release(recordKey: Key, { attempt }: Reservation): Promise<void> {
    await this.#change(recordKey, attempt, { leaseUntil: 0 })
  }

  /** Any request may be sent, and from the address of its sender too. */
  async forget(recordKey: Key, { attempt }: Reservation, addressKey?: Key): Promise<void> {
    await this.#table.transact([
      { delete: recordKey, if: { equal: { attempt } } },
      ...(addressKey ? [{ delete: addressKey }] : []),
    ])
  }

  /** Nothing where another try has taken over: then its word holds. */
  #change(recordKey: Key, attempt: string, set: Partial<Reservation>) {
    return this.#table.update(recordKey, { set }, { condition: { equal: { attempt } } })
  }
}

const ttlFromNow = () => Math.floor(Date.now() / 1000) + retentionS

/** The table drops what is too old when it comes to it. */
const isExpired = ({ ttl }: { readonly ttl: number }) => ttl * 1000 <= Date.now()

function requireSameRequest<T extends { readonly fingerprint: string }>(found: T, fingerprint: string): T {
  if (found.fingerprint === fingerprint) return found
  throw new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'Idempotency-Key: it belongs to another request: query, fields or files were different. Send a new key with a new request.',
    { field: 'Idempotency-Key' },
  )
}

const inProgressError = () =>
  new AppError(
    'IDEMPOTENCY_IN_PROGRESS',
    `The first request with this Idempotency-Key is still at work. Send it again in ${retryAfterS} s for its reply.`,
    { field: 'Idempotency-Key', retryAfter: retryAfterS },
  )
