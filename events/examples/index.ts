import type { EventName, ServiceEvent } from '../index.ts'
import accountExamples from './accounts.json' with { type: 'json' }
import recordedExamples from './recorded.json' with { type: 'json' }

/** Base URL of the service in the recorded examples. */
const recordedBaseUrl = 'http://localhost:8080'

/**
 * One example of each event as webhooks receive it. `npm run examples` records them, except those of the account
 * events.
 */
// A test validates the examples against the schemas of their events.
export const eventExamples = { ...recordedExamples, ...accountExamples } as Readonly<
  Record<EventName, ServiceEvent>
>

/** Returns the example of an event as it is on the bus, with unsigned paths instead of URLs. */
export const createExampleOnBus = (name: EventName): ServiceEvent =>
  JSON.parse(
    JSON.stringify(eventExamples[name])
      .replaceAll(recordedBaseUrl, '')
      .replaceAll(/\?exp=\d+&kid=\d+&sig=[^"&]*/g, ''),
  )
