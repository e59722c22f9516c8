import type { EventName, SubscriberKind } from '../../events/index.ts'

/** `source` of every event of ours on the bus. */
export const eventSource = 'mutabor'

/** What the service tells itself by the bus; it is no event of a user. */
export type InternalEvent = 'socket.opened'

/** What a function listens to; `job.*` are all of that beginning. */
export type EventSelector = EventName | InternalEvent | `${string}.*`

/** The events that a function listens to, as a pattern of EventBridge. */
export const eventPattern = (events: readonly EventSelector[], subscriberKind?: SubscriberKind) => ({
  source: [eventSource],
  'detail-type': events.map((name) => (name.endsWith('.*') ? { prefix: name.slice(0, -1) } : name)),
  ...(subscriberKind && { detail: { listeners: [subscriberKind] } }),
})
