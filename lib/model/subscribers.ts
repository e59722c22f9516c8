import type { BusEvent, EventName, SubscriberKind } from '../../events/index.ts'

/** Returns the kinds of subscribers that want an event. */
export type SubscriberLookup = (event: EventName) => SubscriberKind[]

/** Returns the event with its subscribers, in the form in which it is published on the bus. */
export function addSubscribers(event: BusEvent, getSubscribers: SubscriberLookup): BusEvent {
  const listeners = [
    ...new Set([...getSubscribers(event.event), ...(event.hasWebhook ? (['webhooks'] as const) : [])]),
  ]
  return listeners.length > 0 ? { ...event, listeners } : event
}
