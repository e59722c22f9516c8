import type { PutEventsRequestEntry, PutEventsResponse } from '@aws-sdk/client-eventbridge'
import type { BusEvent } from '../../events/index.ts'
import { lazyAsync } from '../async/lazy-async.ts'
import type { Config } from '../config.ts'
import type { ClientConnection } from '../io/local-connections.ts'
import { eventSource, type InternalEvent } from '../resources/events.ts'
import { getCurrentTraceparent, runSpan } from '../trace.ts'
import { defined } from '../validation/defined.ts'
import { createClientConfig } from './client-config.ts'
import { limitCallTime, type StoreTimeouts } from './timeouts.ts'

/** Maximum number of entries in one PutEvents call (AWS's limit). */
const batchSize = 10

export class Bus {
  /** Loaded on first use, because most requests publish nothing. */
  readonly #openPutEvents: () => Promise<(Entries: PutEventsRequestEntry[]) => Promise<PutEventsResponse>>
  readonly #name: string

  constructor(config: Config, connection?: ClientConnection, timeouts?: StoreTimeouts) {
    this.#openPutEvents = lazyAsync(async () => {
      const { EventBridgeClient, PutEventsCommand } = await import('./event-bridge.ts')
      const client = new EventBridgeClient({ ...createClientConfig(config), ...connection })
      if (timeouts) limitCallTime(client, timeouts)
      return (Entries) => client.send(new PutEventsCommand({ Entries }))
    })
    this.#name = config.BUS_NAME
  }

  /** Sends an internal signal that triggers further work; it is not visible outside the service. */
  async signal(name: InternalEvent, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const eventEntry = {
      Source: eventSource,
      DetailType: name,
      Time: new Date(),
      Detail: JSON.stringify(detail),
    }
    const put = await this.#openPutEvents()
    const { FailedEntryCount } = await put([{ EventBusName: this.#name, ...eventEntry }])
    if (FailedEntryCount) throw new Error(`the bus rejected ${name}`)
  }

  /**
   * Publishes events.
   * @throws if the bus rejected any of them; publishing all of them again is harmless, because ids stay the same.
   */
  async publish(events: readonly BusEvent[]): Promise<void> {
    if (events.length === 0) return
    const put = await this.#openPutEvents()
    for (let at = 0; at < events.length; at += batchSize) {
      const batch = events.slice(at, at + batchSize)
      const { FailedEntryCount, Entries: results } = await runSpan(createPublishSpan(batch), () =>
        put(batch.map((event) => this.#createEntry(event))),
      )
      if (FailedEntryCount) {
        const failedEntry = results?.find((result) => result.ErrorCode)
        throw new Error(
          `the bus rejected ${FailedEntryCount} events: ${failedEntry?.ErrorCode} ${failedEntry?.ErrorMessage}`,
        )
      }
    }
  }

  #createEntry(event: BusEvent): PutEventsRequestEntry {
    return {
      EventBusName: this.#name,
      Source: eventSource,
      DetailType: event.event,
      Time: new Date(event.timestamp),
      Detail: JSON.stringify({ ...event, ...defined({ traceparent: getCurrentTraceparent() }) }),
    }
  }
}

const createPublishSpan = (events: readonly BusEvent[]) => ({
  name: 'publish',
  kind: 'producer' as const,
  attributes: {
    'messaging.system': 'aws_eventbridge',
    'messaging.operation.type': 'send',
    'messaging.batch.message_count': events.length,
    'mutabor.events': [...new Set(events.map(({ event }) => event))].join(' '),
  },
})
