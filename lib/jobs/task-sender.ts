import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { QueueId } from '../resources/queues.ts'
import type { JobState, Task } from './job.ts'
import { type JobStore, taskRefOf } from './store.ts'
import { type TaskMessage, taskMessageOf } from './task-message.ts'

/** The files of a task's inputs, where they are at hand. */
export type TaskInputs = Pick<JobState, 'fixed' | 'tasks'>

export interface RoutedTask {
  readonly queue: QueueId
  readonly message: TaskMessage
}

/** How a task that is ready gets to a worker. */
export interface TaskSender {
  /** @throws AppError for a task that cannot run. */
  readonly route: (task: Task, inputs?: TaskInputs) => Promise<RoutedTask>
  /** Where a task waits for another worker that this one of a queue could not take. */
  readonly retryQueue: (queue: QueueId) => QueueId
}

interface DirectSenderDeps {
  readonly store: JobStore
  readonly engines: () => Promise<readonly Engine[]>
}

/** Straight to the queue that has its next step; its worker reaches all that it needs. */
export const createDirectSender = (deps: DirectSenderDeps): TaskSender => ({
  route: async (task, inputs) => ({
    queue: await queueOf(task, inputs, deps),
    message: taskMessageOf(taskRefOf(task)),
  }),
  retryQueue: (queue) => queue,
})

/** By the function that plans it and signs what its worker needs, which itself reaches no file. */
export const preparingSender: TaskSender = {
  route: async (task) => ({ queue: 'ready', message: taskMessageOf(taskRefOf(task)) }),
  retryQueue: () => 'ready',
}

async function queueOf(
  task: Task,
  inputs: TaskInputs | undefined,
  { store, engines }: DirectSenderDeps,
): Promise<QueueId> {
  // Where tasks go by way of preparing, nothing is planned here.
  const [{ transferQueueOf, findTransferOperation }, { nextImageOf, resolveConversion }] = await Promise.all([
    import('../tasks/index.ts'),
    import('./next-image.ts'),
  ])
  const transfer = findTransferOperation(task.operation)
  if (transfer) return transferQueueOf(transfer)
  if (task.pieces) return nextImageOf(task.pieces)
  const state = inputs ?? (await store.getInputs(task))
  if (!state) throw new AppError('NO_FILES', 'The job of this task is gone.')
  const [files, spec] = resolveConversion(task, state)
  const [{ routeFiles }, { firstImageOf }] = await Promise.all([
    import('../conversion/plan-files.ts'),
    import('../plan/index.ts'),
  ])
  const [first] = routeFiles(files, spec, await engines())
  if (!first) throw new Error('no way was planned')
  return firstImageOf(first.route, spec.options)
}
