import * as z from 'zod'
import type { Table } from '../aws/table.ts'

/** What conversions of one kind took lately, all together. */
const Past = z.object({
  runs: z.number(),
  ms: z.number(),
  /** Of their first files. */
  bytes: z.number(),
})
export type Past = z.infer<typeof Past>

export interface Kind {
  readonly operation: string
  readonly from: string
  readonly to: string
}

/** With more runs than these the older ones count for less: machines and engines change. */
const rememberedRuns = 64
const keptS = 90 * 24 * 3600
/** A kind is written down, and looked up, no more often than this: many of one kind end, or begin, at a time. */
const writtenEachMs = 10_000
const readEachMs = 30_000

const nameOf = ({ operation, from, to }: Kind) => `${operation} ${from} ${to}`
const keyOf = (name: string) => ({ pk: `DURATION#${name}`, sk: 'DURATION' })

/**
 * How long conversions of a kind take here, for those who wait for the next one. Two processes that write at the same
 * moment lose some runs of one of them, which no estimate shows.
 */
export class Durations {
  readonly #table: Table
  readonly #new = new Map<string, { past: Past; writeAt: number }>()
  readonly #read = new Map<string, { past: Past; until: number }>()

  constructor(table: Table) {
    this.#table = table
  }

  async add(kind: Kind, run: { readonly ms: number; readonly bytes: number }): Promise<void> {
    const name = nameOf(kind)
    const { past, writeAt } = this.#new.get(name) ?? { past: nothing, writeAt: 0 }
    const now = Date.now()
    const added = sum(past, { runs: 1, ...run })
    if (now < writeAt) {
      this.#new.set(name, { past: added, writeAt })
      return
    }
    this.#new.set(name, { past: nothing, writeAt: now + writtenEachMs })
    const known = (await this.#stored(name)) ?? nothing
    const share = Math.min(1, rememberedRuns / known.runs)
    const faded = { runs: known.runs * share, ms: known.ms * share, bytes: known.bytes * share }
    const ttl = Math.floor(now / 1000) + keptS
    await this.#table.writeAll([{ ...keyOf(name), ...sum(faded, added), ttl }], [])
  }

  /** Undefined where none has run. */
  async of(kind: Kind): Promise<Past | undefined> {
    const name = nameOf(kind)
    const known = this.#read.get(name)
    if (known && known.until > Date.now()) return known.past
    const past = await this.#stored(name)
    if (past) this.#read.set(name, { past, until: Date.now() + readEachMs })
    return past
  }

  async #stored(name: string): Promise<Past | undefined> {
    const item = await this.#table.get(keyOf(name))
    return item && Past.parse(item)
  }
}

const nothing: Past = { runs: 0, ms: 0, bytes: 0 }
const sum = (a: Past, b: Past): Past => ({ runs: a.runs + b.runs, ms: a.ms + b.ms, bytes: a.bytes + b.bytes })
