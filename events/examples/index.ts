import type { EventName, ServiceEvent } from '../index.ts'
import accountExamples from './accounts.json' with { type: 'json' }
import recordedExamples from './recorded.json' with { type: 'json' }

/** Base URL of the service in the recorded examples. */
const recordedBaseUrl = 'http://localhost:8080'

/** One example of each event, as sent to webhooks: recorded by `npm run examples`, except the account events. */
// A test checks them against their schemas.
export const eventExamples = { ...recordedExamples, ...accountExamples } as Readonly<
  Record<EventName, ServiceEvent>
>

/** Returns the example of an event as it is on the bus, with unsigned paths instead of URLs. */
export const exampleOnBus = (name: EventName): ServiceEvent =>
  JSON.parse(
    JSON.stringify(eventExamples[name])
      .replaceAll(recordedBaseUrl, '')
      .replaceAll(/\?exp=\d+&kid=\d+&sig=[^"&]*/g, ''),
  )
