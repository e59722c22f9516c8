import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { QueueId } from '../resources/queues.ts'
import type { JobState, Task } from './job.ts'
import { type JobStore, refOf } from './store.ts'
import { messageOf, type TaskMessage } from './task-message.ts'

/** The files of a task's inputs, where they are at hand. */
export type Known = Pick<JobState, 'fixed' | 'tasks'>

export interface Sending {
  readonly queue: QueueId
  readonly message: TaskMessage
}

/** How a task that is ready gets to a worker. */
export interface Outlet {
  /** @throws AppError for a task that cannot run. */
  readonly route: (task: Task, known?: Known) => Promise<Sending>
  /** Where a task waits for another worker that this one of a queue could not take. */
  readonly again: (queue: QueueId) => QueueId
}

interface Parts {
  readonly store: JobStore
  readonly engines: () => Promise<readonly Engine[]>
}

/** Straight to the queue that has its next step; its worker reaches all that it needs. */
export const direct = (parts: Parts): Outlet => ({
  route: async (task, known) => ({
    queue: await queueOf(task, known, parts),
    message: messageOf(refOf(task)),
  }),
  again: (queue) => queue,
})

/** By the function that plans it and signs what its worker needs, which itself reaches no file. */
export const byWayOfPreparing: Outlet = {
  route: async (task) => ({ queue: 'ready', message: messageOf(refOf(task)) }),
  again: () => 'ready',
}

async function queueOf(task: Task, known: Known | undefined, { store, engines }: Parts): Promise<QueueId> {
  // Where tasks go by way of preparing, nothing is planned here.
  const [{ queueOfTransfer, transferOperation }, { imageOf, wishedOf }] = await Promise.all([
    import('../tasks/index.ts'),
    import('./next-image.ts'),
  ])
  const transfer = transferOperation(task.operation)
  if (transfer) return queueOfTransfer(transfer)
  if (task.pieces) return imageOf(task.pieces)
  const state = known ?? (await store.inputsOf(task))
  if (!state) throw new AppError('NO_FILES', 'The job of this task is gone.')
  const [files, wish] = wishedOf(task, state)
  const [{ routeFiles }, { firstImage }] = await Promise.all([
    import('../conversion/plan-files.ts'),
    import('../plan/index.ts'),
  ])
  const [first] = routeFiles(files, wish, await engines())
  if (!first) throw new Error('no way was planned')
  return firstImage(first.route, wish.options)
}
