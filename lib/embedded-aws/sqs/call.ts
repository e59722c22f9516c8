// The services, caller and output of actions.

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
  /** Host and port that the client connected to; they become part of queue URLs. */
  readonly host: string
  readonly accessKeyId: string
  /** X-Amzn-Trace-Id of the request. */
  readonly trace: string | undefined
  /** Aborted when the client disconnects. */
  readonly disconnectSignal: AbortSignal
  /** Registers a function to call if the response cannot be delivered. */
  onUndelivered(undo: () => Promise<unknown>): void
}

/** Output of an action; undefined for actions without output. */
type Output = object | undefined
export type Actions = {
  readonly [A in Action]: (input: ActionInput<A>, caller: SqsCaller) => Output | Promise<Output>
}
