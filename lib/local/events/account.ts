import type { Store } from './store.ts'

export type Log = (message: string, fields?: object) => void

/** What every operation works on: one account in one region. */
export interface Account {
  readonly region: string
  readonly accountId: string
  readonly store: Store
  /** Milliseconds. */
  readonly now: () => number
  readonly log: Log
  readonly busArn: (name: string) => string
}
