import type { LogFunction } from '../log-line.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { EventsStore } from './store.ts'

/** Context of every operation: one account in one region, its data and its clock. */
export interface EventsAccount {
  readonly region: string
  readonly accountId: string
  readonly store: EventsStore
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number
  readonly log: LogFunction
  readonly createBusArn: (name: string) => string
  /** Rate limit of PutEvents requests; unlimited if omitted. */
  readonly putEventsRate?: RateLimit | undefined
}
