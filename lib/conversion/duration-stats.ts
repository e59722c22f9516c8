import * as z from 'zod'
import type { Table } from '../aws/table.ts'

/** Totals of recent conversions of one kind. */
const DurationTotals = z.object({
  runs: z.number(),
  ms: z.number(),
  /** Total size of the first input file of each run. */
  bytes: z.number(),
})
export type DurationTotals = z.infer<typeof DurationTotals>

export interface ConversionKind {
  readonly operation: string
  readonly from: string
  readonly to: string
}

/** Beyond this number of runs, older ones lose weight, because machines and engines change. */
const maxWeightedRuns = 64
const recordLifetimeS = 90 * 24 * 3600
/** Minimum interval between two writes of one kind, because many conversions of a kind run at the same time. */
const writeIntervalMs = 10_000
/** How long the totals of one kind are cached. */
const cacheMs = 30_000

const getKindName = ({ operation, from, to }: ConversionKind) => `${operation} ${from} ${to}`
const getKey = (name: string) => ({ pk: `DURATION#${name}`, sk: 'DURATION' })

/**
 * Records how long conversions of a kind take, for estimates. Concurrent writes of two processes may lose some runs,
 * which does not affect estimates.
 */
export class DurationStats {
  readonly #table: Table
  readonly #unwrittenByName = new Map<string, { totals: DurationTotals; writeAt: number }>()
  readonly #cache = new Map<string, { totals: DurationTotals; expiresAt: number }>()

  constructor(table: Table) {
    this.#table = table
  }

  async add(kind: ConversionKind, run: { readonly ms: number; readonly bytes: number }): Promise<void> {
    const name = getKindName(kind)
    const { totals, writeAt } = this.#unwrittenByName.get(name) ?? { totals: noRuns, writeAt: 0 }
    const now = Date.now()
    const addedTotals = addTotals(totals, { runs: 1, ...run })
    if (now < writeAt) {
      this.#unwrittenByName.set(name, { totals: addedTotals, writeAt })
      return
    }
    this.#unwrittenByName.set(name, { totals: noRuns, writeAt: now + writeIntervalMs })
    const storedTotals = (await this.#readTotals(name)) ?? noRuns
    const weight = Math.min(1, maxWeightedRuns / storedTotals.runs)
    const weightedTotals = {
      runs: storedTotals.runs * weight,
      ms: storedTotals.ms * weight,
      bytes: storedTotals.bytes * weight,
    }
    const ttl = Math.floor(now / 1000) + recordLifetimeS
    await this.#table.writeAll([{ ...getKey(name), ...addTotals(weightedTotals, addedTotals), ttl }], [])
  }

  /** Returns the totals of a kind; undefined if no run of this kind is on record. */
  async get(kind: ConversionKind): Promise<DurationTotals | undefined> {
    const name = getKindName(kind)
    const cachedTotals = this.#cache.get(name)
    if (cachedTotals && cachedTotals.expiresAt > Date.now()) return cachedTotals.totals
    const totals = await this.#readTotals(name)
    if (totals) this.#cache.set(name, { totals, expiresAt: Date.now() + cacheMs })
    return totals
  }

  async #readTotals(name: string): Promise<DurationTotals | undefined> {
    const item = await this.#table.get(getKey(name))
    return item && DurationTotals.parse(item)
  }
}

const noRuns: DurationTotals = { runs: 0, ms: 0, bytes: 0 }
const addTotals = (a: DurationTotals, b: DurationTotals): DurationTotals => ({
  runs: a.runs + b.runs,
  ms: a.ms + b.ms,
  bytes: a.bytes + b.bytes,
})
