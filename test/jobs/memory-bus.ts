import assert from 'node:assert/strict'
import { type BusEvent, eventSchema } from '../../events/index.ts'
import { Bus } from '../../lib/aws/bus.ts'
import type { Config } from '../../lib/config.ts'
import type { EffectGate } from './function-instance.ts'

/** Stores published events, and records invalid ones and different events with the same id. */
export class MemoryBus extends Bus {
  readonly #gate: EffectGate
  /** Each published event once, as it was first published. */
  readonly events: BusEvent[] = []
  /** All events including repetitions. */
  readonly publishedEvents: BusEvent[] = []
  /** Invalid or changed events. Not thrown, because the service would retry publishing. */
  readonly contradictions: string[] = []

  constructor(config: Config, gate: EffectGate) {
    super(config)
    this.#gate = gate
  }

  #failuresLeft = 0

  /** Makes the next calls fail. */
  failNext(times: number): void {
    this.#failuresLeft = times
  }

  override async publish(events: readonly BusEvent[]): Promise<void> {
    if (this.#failuresLeft-- > 0) throw new Error('the bus rejected the events')
    for (let at = 0; at < events.length; at += 10)
      await this.#gate.effect(`publish ${events.slice(at, at + 10).map(({ event }) => event)}`, async () => {
        for (const event of events.slice(at, at + 10)) this.#accept(event)
      })
  }

  #accept(givenEvent: BusEvent): void {
    const event: BusEvent = JSON.parse(JSON.stringify(givenEvent))
    this.publishedEvents.push(event)
    const parsedEvent = eventSchema(event.event).safeParse(event)
    if (!parsedEvent.success) this.contradictions.push(`${event.event}: ${parsedEvent.error.message}`)
    const eventBefore = this.events.find(({ id }) => id === event.id)
    if (!eventBefore) this.events.push(event)
    else
      try {
        assert.deepEqual(event, eventBefore)
      } catch (error) {
        this.contradictions.push(String(error))
      }
  }
}
