// What an action may use, who calls it, and what it answers.

import type { Acknowledger } from './ack.ts'
import type { Action, ActionInput } from './inputs.ts'
import type { LongPolls } from './long-polls.ts'
import type { MoveTasks } from './move-tasks.ts'
import type { QueueRegistry } from './queues.ts'
import type { MessageReceiver } from './receiving.ts'
import type { Sender } from './sending.ts'
import type { SqsStore } from './store.ts'

export interface SqsServices {
  readonly store: SqsStore
  readonly queues: QueueRegistry
  readonly sender: Sender
  readonly receiver: MessageReceiver
  readonly acknowledger: Acknowledger
  readonly longPolls: LongPolls
  readonly moveTasks: MoveTasks
}

export interface SqsCaller {
  /** host:port under which the client reached the server; queue URLs are made of it. */
  readonly host: string
  readonly accessKeyId: string
  /** X-Amzn-Trace-Id of the request. */
  readonly trace: string | undefined
  /** Aborts when the client hangs up. */
  readonly disconnected: AbortSignal
  /** `undo` runs when the answer could not be delivered. */
  onUndelivered(undo: () => Promise<unknown>): void
}

/** Actions without output answer undefined. */
type Output = object | undefined
export type Actions = {
  readonly [A in Action]: (input: ActionInput<A>, caller: SqsCaller) => Output | Promise<Output>
}
