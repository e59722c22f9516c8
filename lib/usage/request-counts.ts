import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Table } from '../aws/table.ts'
import { getDay, getOwnerDayKey, usageLifetimeS } from './records.ts'

/** Interval at which a process writes its counts, in milliseconds. */
const writeIntervalMs = 10_000
const maxConcurrentWrites = 8

/**
 * Counts the requests of accounts in memory, so that almost no request waits for a write. A process that ends loses the
 * counts of the last seconds, which is acceptable because they are not billed.
 */
export class RequestCounts {
  readonly #table: Table
  readonly #intervalMs: number
  #countsByOwner = new Map<string, number>()
  #nextWriteAt = 0

  constructor(table: Table, intervalMs = writeIntervalMs) {
    this.#table = table
    this.#intervalMs = intervalMs
  }

  async count(owner: string, now = new Date()): Promise<void> {
    this.#countsByOwner.set(owner, (this.#countsByOwner.get(owner) ?? 0) + 1)
    if (now.getTime() < this.#nextWriteAt) return
    this.#nextWriteAt = now.getTime() + this.#intervalMs
    const counts = [...this.#countsByOwner]
    this.#countsByOwner = new Map()
    const [day, ttl] = [getDay(now.toISOString()), Math.floor(now.getTime() / 1000) + usageLifetimeS]
    await forEachConcurrently(counts, maxConcurrentWrites, async ([owner, requests]) => {
      const requestUpdate = { add: { requests }, set: { ttl } }
      // If a write fails, its counts are added to the next write, so that no request fails because of it.
      await this.#table.update(getOwnerDayKey(owner, day), requestUpdate, { condition: {} }).catch(() => {
        this.#countsByOwner.set(owner, (this.#countsByOwner.get(owner) ?? 0) + requests)
      })
    })
  }
}
