// What an action may use, who calls it, and what it answers.

import type { Settler } from './ack.ts'
import type { Action, Input } from './inputs.ts'
import type { LongPolls } from './long-polls.ts'
import type { MoveTasks } from './move-tasks.ts'
import type { Queues } from './queues.ts'
import type { Receiver } from './receiving.ts'
import type { Sender } from './sending.ts'
import type { Store } from './store.ts'

export interface Services {
  readonly store: Store
  readonly queues: Queues
  readonly sender: Sender
  readonly receiver: Receiver
  readonly settler: Settler
  readonly longPolls: LongPolls
  readonly moveTasks: MoveTasks
}

export interface Caller {
  /** host:port under which the client reached the server; queue URLs are made of it. */
  readonly host: string
  readonly accessKeyId: string
  /** X-Amzn-Trace-Id of the request. */
  readonly trace: string | undefined
  /** Aborts when the client hangs up. */
  readonly gone: AbortSignal
  /** `undo` runs when the answer could not be delivered. */
  onUndelivered(undo: () => Promise<unknown>): void
}

/** Actions without output answer undefined. */
type Output = object | undefined
export type Actions = {
  readonly [A in Action]: (input: Input<A>, caller: Caller) => Output | Promise<Output>
}
