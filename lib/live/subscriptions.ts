import type { ServiceEvent } from '../../events/index.ts'
import type { FeedEntry } from './event-feed.ts'
import { maxSubscriptions, type Subscription } from './frames.ts'

/** Decides which events a client receives. All functions are pure. */

/** Subscriptions of a client that has not subscribed yet. */
const allEvents: readonly Subscription[] = [{ jobs: '*', events: ['*'] }]

export const isSubscribed = (
  { event, stream }: Pick<FeedEntry, 'event' | 'stream'>,
  subscriptions: readonly Subscription[] | undefined,
): boolean =>
  (subscriptions ?? allEvents).some(
    ({ jobs, events }) =>
      (jobs === '*' || jobs.includes(stream)) && events.some((pattern) => matchesPattern(event, pattern)),
  )

const matchesPattern = ({ event }: ServiceEvent, pattern: string): boolean =>
  pattern === '*' || pattern === event || (pattern.endsWith('.*') && event.startsWith(pattern.slice(0, -1)))

/** Adds a subscription. The first subscription replaces the default; if there are too many, the oldest is dropped. */
export const addSubscription = (
  subscriptions: readonly Subscription[] | undefined,
  addedSubscription: Subscription,
): Subscription[] => [...(subscriptions ?? []), addedSubscription].slice(-maxSubscriptions)

/** Removes subscriptions to these jobs; `*` removes those to all jobs, and undefined removes everything. */
export function removeSubscriptions(
  subscriptions: readonly Subscription[] | undefined,
  jobs: '*' | readonly string[] | undefined,
): Subscription[] {
  if (jobs === undefined || subscriptions === undefined) return []
  if (jobs === '*') return subscriptions.filter((subscription) => subscription.jobs !== '*')
  return subscriptions.flatMap((subscription) => {
    if (subscription.jobs === '*') return [subscription]
    const remainingJobs = subscription.jobs.filter((job) => !jobs.includes(job))
    return remainingJobs.length > 0 ? [{ ...subscription, jobs: remainingJobs }] : []
  })
}
