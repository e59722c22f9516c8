import type { PutEventsRequestEntry, PutEventsResponse } from '@aws-sdk/client-eventbridge'
import type { BusEvent } from '../../events/index.ts'
import type { Config } from '../config.ts'
import { lazyAsync } from '../lazy-async.ts'
import { eventSource, type Signal } from '../resources/events.ts'
import { createClientConfig } from './client-config.ts'
import type { ClientConnection } from './connections.ts'
import { limitCallTime, type StoreTimeouts } from './timeouts.ts'

/** Entries that one PutEvents call takes (AWS's limit). */
const batchSize = 10

export class Bus {
  /** Most requests say nothing, so that a function begins without the client. */
  readonly #put: () => Promise<(Entries: PutEventsRequestEntry[]) => Promise<PutEventsResponse>>
  readonly #name: string

  constructor(config: Config, connection?: ClientConnection, timeouts?: StoreTimeouts) {
    this.#put = lazyAsync(async () => {
      const { EventBridgeClient, PutEventsCommand } = await import('./event-bridge.ts')
      const client = new EventBridgeClient({ ...createClientConfig(config), ...connection })
      if (timeouts) limitCallTime(client, timeouts)
      return (Entries) => client.send(new PutEventsCommand({ Entries }))
    })
    this.#name = config.BUS_NAME
  }

  /** Sets off what the service has to do after this; nobody outside hears of it. */
  async signal(name: Signal, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const entry = { Source: eventSource, DetailType: name, Time: new Date(), Detail: JSON.stringify(detail) }
    const put = await this.#put()
    const { FailedEntryCount } = await put([{ EventBusName: this.#name, ...entry }])
    if (FailedEntryCount) throw new Error(`the bus refused ${name}`)
  }

  /** @throws when the bus did not accept every event; publishing them again is harmless, ids stay the same. */
  async publish(events: readonly BusEvent[]): Promise<void> {
    if (events.length === 0) return
    const put = await this.#put()
    for (let at = 0; at < events.length; at += batchSize) {
      const Entries = events.slice(at, at + batchSize).map((event) => ({
        EventBusName: this.#name,
        Source: eventSource,
        DetailType: event.event,
        Time: new Date(event.timestamp),
        Detail: JSON.stringify(event),
      }))
      const { FailedEntryCount, Entries: results } = await put(Entries)
      if (FailedEntryCount) {
        const failed = results?.find((result) => result.ErrorCode)
        throw new Error(
          `the bus refused ${FailedEntryCount} events: ${failed?.ErrorCode} ${failed?.ErrorMessage}`,
        )
      }
    }
  }
}
