import * as z from 'zod'
import type { Table } from '../aws/table.ts'

/** What conversions of one kind took lately, all together. */
const DurationTotals = z.object({
  runs: z.number(),
  ms: z.number(),
  /** Of their first files. */
  bytes: z.number(),
})
export type DurationTotals = z.infer<typeof DurationTotals>

export interface ConversionKind {
  readonly operation: string
  readonly from: string
  readonly to: string
}

/** With more runs than these the older ones count for less: machines and engines change. */
const maxWeightedRuns = 64
const recordLifetimeS = 90 * 24 * 3600
/** A kind is written down, and looked up, no more often than this: many of one kind end, or begin, at a time. */
const writeIntervalMs = 10_000
const cacheMs = 30_000

const nameOf = ({ operation, from, to }: ConversionKind) => `${operation} ${from} ${to}`
const keyOf = (name: string) => ({ pk: `DURATION#${name}`, sk: 'DURATION' })

/**
 * How long conversions of a kind take here, for those who wait for the next one. Two processes that write at the same
 * moment lose some runs of one of them, which no estimate shows.
 */
export class DurationStats {
  readonly #table: Table
  readonly #unwritten = new Map<string, { totals: DurationTotals; writeAt: number }>()
  readonly #cache = new Map<string, { totals: DurationTotals; until: number }>()

  constructor(table: Table) {
    this.#table = table
  }

  async add(kind: ConversionKind, run: { readonly ms: number; readonly bytes: number }): Promise<void> {
    const name = nameOf(kind)
    const { totals, writeAt } = this.#unwritten.get(name) ?? { totals: noRuns, writeAt: 0 }
    const now = Date.now()
    const added = addTotals(totals, { runs: 1, ...run })
    if (now < writeAt) {
      this.#unwritten.set(name, { totals: added, writeAt })
      return
    }
    this.#unwritten.set(name, { totals: noRuns, writeAt: now + writeIntervalMs })
    const known = (await this.#readTotals(name)) ?? noRuns
    const weight = Math.min(1, maxWeightedRuns / known.runs)
    const weighted = { runs: known.runs * weight, ms: known.ms * weight, bytes: known.bytes * weight }
    const ttl = Math.floor(now / 1000) + recordLifetimeS
    await this.#table.writeAll([{ ...keyOf(name), ...addTotals(weighted, added), ttl }], [])
  }

  /** Undefined where none has run. */
  async get(kind: ConversionKind): Promise<DurationTotals | undefined> {
    const name = nameOf(kind)
    const known = this.#cache.get(name)
    if (known && known.until > Date.now()) return known.totals
    const totals = await this.#readTotals(name)
    if (totals) this.#cache.set(name, { totals, until: Date.now() + cacheMs })
    return totals
  }

  async #readTotals(name: string): Promise<DurationTotals | undefined> {
    const item = await this.#table.get(keyOf(name))
    return item && DurationTotals.parse(item)
  }
}

const noRuns: DurationTotals = { runs: 0, ms: 0, bytes: 0 }
const addTotals = (a: DurationTotals, b: DurationTotals): DurationTotals => ({
  runs: a.runs + b.runs,
  ms: a.ms + b.ms,
  bytes: a.bytes + b.bytes,
})
