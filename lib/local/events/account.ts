import type { LogLine } from '../log-line.ts'
import type { Store } from './store.ts'

/** What every operation works on: one account in one region. */
export interface Account {
  readonly region: string
  readonly accountId: string
  readonly store: Store
  /** Milliseconds. */
  readonly now: () => number
  readonly log: LogLine
  readonly busArn: (name: string) => string
}
