import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { JobState, Task } from '../model/job.ts'
import { createTaskMessage, type TaskMessage } from '../model/task-message.ts'
import type { QueueId } from '../resources/queues.ts'
import { type JobStore, toTaskRef } from './store.ts'

/** Records of a task's inputs, if the caller has read them. */
export type TaskInputs = Pick<JobState, 'fixed' | 'tasks'>

export interface RoutedTask {
  readonly queue: QueueId
  readonly message: TaskMessage
}

/** Decides to which queue a ready task is sent. */
export interface TaskSender {
  /** Decides the queue of a task. @throws AppError for a task that cannot run. */
  readonly route: (task: Task, inputs?: TaskInputs) => Promise<RoutedTask>
  /** Returns the queue for a task that has to be sent again because a worker of `queue` could not process it. */
  readonly retryQueue: (queue: QueueId) => QueueId
}

interface DirectSenderDeps {
  readonly store: JobStore
  readonly engines: () => Promise<readonly Engine[]>
}

/** Routes tasks directly to the queue of their next step; its workers have access to files and secrets. */
export const createDirectSender = (deps: DirectSenderDeps): TaskSender => ({
  route: async (task, inputs) => ({
    queue: await chooseQueue(task, inputs, deps),
    message: createTaskMessage(toTaskRef(task)),
  }),
  retryQueue: (queue) => queue,
})

/** Routes tasks to the function that plans them and presigns URLs, for workers without access to files. */
export const preparingSender: TaskSender = {
  route: async (task) => ({ queue: 'ready', message: createTaskMessage(toTaskRef(task)) }),
  retryQueue: () => 'ready',
}

async function chooseQueue(
  task: Task,
  inputs: TaskInputs | undefined,
  { store, engines }: DirectSenderDeps,
): Promise<QueueId> {
  // Loaded on demand, because processes that use `preparingSender` never plan conversions.
  const [{ getTransferQueue, findTransferOperation }, { getNextImage, resolveConversion }] =
    await Promise.all([import('../tasks/index.ts'), import('./next-image.ts')])
  const transferOperation = findTransferOperation(task.operation)
  if (transferOperation) return getTransferQueue(transferOperation)
  if (task.pieces) return getNextImage(task.pieces)
  const state = inputs ?? (await store.getInputs(task))
  if (!state) throw new AppError('NO_FILES', 'The job of this task no longer exists.')
  const [files, spec] = resolveConversion(task, state)
  const [{ routeFiles }, { getFirstImage: firstImageOf }] = await Promise.all([
    import('../plan/plan-files.ts'),
    import('../plan/index.ts'),
  ])
  const [firstInput] = routeFiles(files, spec, await engines())
  if (!firstInput) throw new Error('no route was planned')
  return firstImageOf(firstInput.route, spec.options)
}
