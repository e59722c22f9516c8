import type { ServiceEvent } from '../../events/index.ts'
import type { Entry } from './event-feed.ts'
import { mostSubscriptions, type Subscription } from './frames.ts'

/** What a client hears of: pure. */

/** Of everything, until the client chooses. */
const everything: readonly Subscription[] = [{ jobs: '*', events: ['*'] }]

export const isWanted = (
  { event, stream }: Pick<Entry, 'event' | 'stream'>,
  subscriptions: readonly Subscription[] | undefined,
): boolean =>
  (subscriptions ?? everything).some(
    ({ jobs, events }) =>
      (jobs === '*' || jobs.includes(stream)) && events.some((pattern) => fits(event, pattern)),
  )

const fits = ({ event }: ServiceEvent, pattern: string): boolean =>
  pattern === '*' || pattern === event || (pattern.endsWith('.*') && event.startsWith(pattern.slice(0, -1)))

/** The first one takes the place of everything. The oldest goes where there are too many. */
export const withMore = (
  subscriptions: readonly Subscription[] | undefined,
  more: Subscription,
): Subscription[] => [...(subscriptions ?? []), more].slice(-mostSubscriptions)

/** Without these jobs; `*` takes away what was for all of them, nothing takes away all. */
export function withLess(
  subscriptions: readonly Subscription[] | undefined,
  jobs: '*' | readonly string[] | undefined,
): Subscription[] {
  if (jobs === undefined || subscriptions === undefined) return []
  if (jobs === '*') return subscriptions.filter((one) => one.jobs !== '*')
  return subscriptions.flatMap((one) => {
    if (one.jobs === '*') return [one]
    const left = one.jobs.filter((job) => !jobs.includes(job))
    return left.length > 0 ? [{ ...one, jobs: left }] : []
  })
}
