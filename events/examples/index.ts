import type { EventName, ServiceEvent } from '../index.ts'
import accountExamples from './accounts.json' with { type: 'json' }
import recorded from './recorded.json' with { type: 'json' }

/** What addresses of the service begin with in the examples. */
const recordedBaseUrl = 'http://localhost:8080'

/** One of each, as webhooks get them: recorded by `npm run examples`, but for those that only accounts will send. */
export const eventExamples = { ...recorded, ...accountExamples } as Readonly<Record<EventName, ServiceEvent>> // a test holds them to their schemas

/** The example of an event with addresses as events on the bus have them: paths of the service. */
export const exampleOnBus = (name: EventName): ServiceEvent =>
  JSON.parse(JSON.stringify(eventExamples[name]).replaceAll(recordedBaseUrl, ''))
