import assert from 'node:assert/strict'
import { type BusEvent, eventSchema } from '../../events/index.ts'
import { Bus } from '../../lib/aws/bus.ts'
import type { Config } from '../../lib/config.ts'
import type { Gate } from './function-instance.ts'

/** Keeps what was published, and refuses what is no event or another one under an id that was used. */
export class MemoryBus extends Bus {
  readonly #gate: Gate
  /** Each once, as it came first. */
  readonly events: BusEvent[] = []
  /** With every repetition. */
  readonly published: BusEvent[] = []
  /** Of bodies that changed between two tellings of one event: an error thrown here would only be tried again. */
  readonly contradictions: string[] = []

  constructor(config: Config, gate: Gate) {
    super(config)
    this.#gate = gate
  }

  #refusals = 0

  /** So many times it does not take what it is given. */
  refuse(times: number): void {
    this.#refusals = times
  }

  override async publish(events: readonly BusEvent[]): Promise<void> {
    if (this.#refusals-- > 0) throw new Error('the bus refused the events')
    for (let at = 0; at < events.length; at += 10)
      await this.#gate.effect(`publish ${events.slice(at, at + 10).map(({ event }) => event)}`, async () => {
        for (const event of events.slice(at, at + 10)) this.#take(event)
      })
  }

  #take(given: BusEvent): void {
    const event: BusEvent = JSON.parse(JSON.stringify(given))
    this.published.push(event)
    const parsed = eventSchema(event.event).safeParse(event)
    if (!parsed.success) this.contradictions.push(`${event.event}: ${parsed.error.message}`)
    const before = this.events.find(({ id }) => id === event.id)
    if (!before) this.events.push(event)
    else
      try {
        assert.deepEqual(event, before)
      } catch (error) {
        this.contradictions.push(String(error))
      }
  }
}
