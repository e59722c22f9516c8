import type { LogFunction } from '../log-line.ts'
import type { RateLimit } from '../rate-limit.ts'
import type { EventsStore } from './store.ts'

/** Context of every operation: one account in one region. */
export interface EventsAccount {
  readonly region: string
  readonly accountId: string
  readonly store: EventsStore
  /** Milliseconds. */
  readonly now: () => number
  readonly log: LogFunction
  readonly busArn: (name: string) => string
  /** Requests of PutEvents; unlimited if omitted. */
  readonly putEventsRate?: RateLimit | undefined
}
