import type { EventName, SubscriberKind } from '../../events/index.ts'
import { defined } from '../validation/defined.ts'

/** The field `source` of every event that the service publishes on the bus. */
export const eventSource = 'mutabor'

/** An event between parts of the service, which is never delivered to users. */
export type InternalEvent = 'socket.opened' | 'sockets.waiting' | 'credential.revoked'

/** An event name, or a prefix such as `job.*`. */
export type EventSelector = EventName | InternalEvent | `${string}.*`

/** Returns the EventBridge pattern for the events that a function receives. */
export const createEventPattern = (events: readonly EventSelector[], subscriberKind?: SubscriberKind) => ({
  source: [eventSource],
  'detail-type': events.map((name) => (name.endsWith('.*') ? { prefix: name.slice(0, -1) } : name)),
  ...defined({ detail: subscriberKind && { listeners: [subscriberKind] } }),
})
