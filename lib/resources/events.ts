import type { EventName, SubscriberKind } from '../../events/index.ts'

/** `source` of every event of ours on the bus. */
export const eventSource = 'mutabor'

/** What the service tells itself by the bus; it is no event of a user. */
export type Signal = 'socket.opened'

/** What a function listens to; `job.*` are all of that beginning. */
export type Heard = EventName | Signal | `${string}.*`

/** The events that a function listens to, as a pattern of EventBridge. */
export const eventPattern = (events: readonly Heard[], listener?: SubscriberKind) => ({
  source: [eventSource],
  'detail-type': events.map((name) => (name.endsWith('.*') ? { prefix: name.slice(0, -1) } : name)),
  ...(listener && { detail: { listeners: [listener] } }),
})
