import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Queues } from '../aws/queues.ts'
import type { Change } from '../aws/table-expressions.ts'
import { AppError } from '../errors.ts'
import { isLiveStatus, type Job, type JobState, type Task } from '../model/job.ts'
import { completeChunk, createDependencyUpdate } from './chunk-completion.ts'
import { createImportedFileEvents, getImportedFiles } from './events.ts'
import { toClientError } from './failure.ts'
import { JobLifecycle, type JobLifecycleDeps } from './job-lifecycle.ts'
import { decideNextAction, failsDependents, isOutcomeKnown } from './job-state-machine.ts'
import { getBucketCountKey, getBucketNumber, getJoinBucketKey } from './keys.ts'
import { type JobStore, toTaskRef } from './store.ts'
import type { RoutedTask, TaskInputs, TaskSender } from './task-sender.ts'

interface TaskCompletionDeps extends JobLifecycleDeps {
  readonly queues: Queues
  readonly taskSender: TaskSender
}

/**
 * Handles the end of a task: updates its dependents, which are sent or skipped, and ends the job after the last task.
 * All steps can be repeated; with `isRepeat`, events and messages of earlier calls are sent again.
 */
export class TaskCompletion {
  /** Lifecycle of the job as a whole. */
  readonly lifecycle: JobLifecycle
  readonly #store: JobStore
  readonly #queues: Queues
  readonly #taskSender: TaskSender

  constructor({ store, queues, taskSender, ...deps }: TaskCompletionDeps) {
    this.#store = store
    this.#queues = queues
    this.#taskSender = taskSender
    this.lifecycle = new JobLifecycle({ store, ...deps })
  }

  /** Updates everything that waits for a finished task. */
  async completeTask(task: Task, { isRepeat }: { isRepeat: boolean }): Promise<void> {
    if (task.part !== undefined)
      return completeChunk(task, isRepeat, {
        store: this.#store,
        sendTask: (readyTask) => this.sendTask(readyTask),
        completeTask: (over, options) => this.completeTask(over, options),
        publishPercent: (splitTask, percent) =>
          this.lifecycle.publishUnitProgress(splitTask, splitTask.number, percent),
      })
    // Files are published before the task is counted, because another process may then end the job.
    await this.#publishImportedFiles(task)
    const [job] = await Promise.all([
      this.#countTask(task),
      this.#updateDependents(task, { isRepeat, isAwaitingUpload: task.uploadId !== undefined }),
    ])
    if (job) await this.#finishJobIfDecided(job, isRepeat)
  }

  async #publishImportedFiles(task: Task): Promise<void> {
    if (!(await hasImportedFiles(task))) return
    const job = await this.#store.numberFiles(toTaskRef(task), getImportedFiles(task).length)
    if (job) await this.lifecycle.publish(createImportedFileEvents(job, task))
  }

  /** Sends a ready task to a worker; fails a task that cannot be planned. */
  async sendTask(task: Task, inputs?: TaskInputs): Promise<void> {
    const routedTask = await this.#routeTask(task, inputs)
    if (routedTask) await this.#queues.send(routedTask.queue, [routedTask.message], task.owner)
  }

  /** Decides where to send a task. Fails a task that cannot be planned, and returns undefined. */
  async #routeTask(task: Task, inputs: TaskInputs | undefined): Promise<RoutedTask | undefined> {
    try {
      return await this.#taskSender.route(task, inputs)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const end = { status: 'failed', ...toClientError(error), endedBy: planFailureMark } as const
      await this.#endUnclaimed(task, end, false)
      return undefined
    }
  }

  /** Sends several tasks of a job whose files are known, with one call per queue. */
  async sendTasks(tasks: readonly Task[], state: JobState): Promise<void> {
    const readyTasks: RoutedTask[] = []
    for (const task of tasks) {
      const routedTask = await this.#routeTask(task, state)
      if (routedTask) readyTasks.push(routedTask)
    }
    const tasksByQueue = Map.groupBy(readyTasks, ({ queue }) => queue)
    await Promise.all(
      [...tasksByQueue].map(([queue, group]) =>
        this.#queues.send(
          queue,
          group.map(({ message }) => message),
          state.job.owner,
        ),
      ),
    )
  }

  /** Counts a finished task. Returns the job's record if it was changed. */
  async #countTask(task: Task): Promise<Job | undefined> {
    const { jobId, number } = task
    const dependencyUpdate = createDependencyUpdate(
      number,
      task.status === 'completed',
      failsDependents(task),
    )
    if (!task.bucketed) return this.#countUnit(jobId, number, dependencyUpdate)
    const bucket = getBucketNumber(number)
    const { record: bucketRecord } = await this.#store.changeJoinBucket(
      getBucketCountKey(jobId, bucket),
      dependencyUpdate,
    )
    if (!bucketRecord) return undefined
    if (!bucketRecord.open)
      return this.#countUnit(
        jobId,
        bucket,
        createDependencyUpdate(bucket, bucketRecord.got !== undefined, bucketRecord.lost !== undefined),
      )
    // A fail-fast job must learn of the failure immediately.
    if (failsDependents(task))
      return (await this.#store.changeJob(jobId, { include: { lost: new Set([bucket]) } })).record
    await this.lifecycle.publishUnitProgress(
      task,
      bucket,
      ((bucketRecord.size - bucketRecord.open.size) / bucketRecord.size) * 100,
    )
    return undefined
  }

  async #countUnit(jobId: string, unit: number, change: Change): Promise<Job | undefined> {
    // Removes only facts that this process has published, because facts of other processes may still be unpublished.
    const publishedEvents = this.lifecycle.forgetPublished(jobId, ['started', String(unit)])
    const remove = [`running.${unit}`, ...publishedEvents.map((name) => `log.${name}`)]
    return (await this.#store.changeJob(jobId, { ...change, remove })).record
  }

  async #updateDependents(
    task: Task,
    options: { isRepeat: boolean; isAwaitingUpload: boolean },
  ): Promise<void> {
    const dependents = await this.#store.getDependents(task)
    await forEachConcurrently(dependents, maxConcurrentDependents, (dependentRef) =>
      this.#updateDependent(task, dependentRef, options),
    )
  }

  async #updateDependent(
    task: Task,
    out: string,
    { isRepeat, isAwaitingUpload }: { isRepeat: boolean; isAwaitingUpload: boolean },
  ): Promise<void> {
    const { jobId } = task
    const [dependentNumber = 0, joinBucket] = out.split('#').map(Number)
    let dependencyUpdate = createDependencyUpdate(
      task.number,
      task.status === 'completed',
      failsDependents(task),
    )
    if (joinBucket !== undefined) {
      const { record } = await this.#store.changeJoinBucket(
        getJoinBucketKey(jobId, dependentNumber, joinBucket),
        dependencyUpdate,
      )
      if (!record || (record.open && !record.lost)) return
      dependencyUpdate = createDependencyUpdate(
        joinBucket,
        record.got !== undefined,
        record.lost !== undefined,
      )
    }
    const { record } = await this.#store.changeTask({ jobId, task: dependentNumber }, dependencyUpdate)
    if (!record) return
    if (record.status !== 'pending') {
      // The dependent ended because of this task, but the process that ended it may have died before completing it.
      const isOurs = record.endedBy === skipMark || record.endedBy === planFailureMark
      if (isRepeat && isOurs) await this.completeTask(record, { isRepeat })
      return
    }
    const action = decideNextAction(record)
    if (action === 'run' && !isAwaitingUpload)
      await this.sendTask(record, record.ins.length === 1 ? toTaskInputs(task) : undefined)
    if (action === 'skip') await this.#endUnclaimed(record, inputTaskFailedError, isRepeat)
  }

  /** Ends a task that no worker has claimed. */
  async #endUnclaimed(
    task: Task,
    end: Pick<Task, 'status' | 'code' | 'message' | 'details' | 'endedBy'>,
    isRepeat: boolean,
  ): Promise<void> {
    const endedAt = new Date().toISOString()
    const { applied, record } = await this.#store.changeTask(
      toTaskRef(task),
      { set: { ...end, endedAt } },
      { condition: { equal: { status: 'pending' } }, writeMarker: { endedBy: end.endedBy, endedAt } },
    )
    if (record && (applied || (isRepeat && record.endedBy === end.endedBy)))
      await this.completeTask(record, { isRepeat })
  }

  async #finishJobIfDecided(job: Job, isRepeat: boolean): Promise<void> {
    if (!isOutcomeKnown(job)) return
    if (isLiveStatus(job.status)) await this.lifecycle.finish(job.id)
    else if (isRepeat) await this.lifecycle.republishEnd(job.id)
  }
}

/** Whether the task imported files from elsewhere, which have to be published as events. */
export async function hasImportedFiles({ operation, status }: Task): Promise<boolean> {
  if (status !== 'completed') return false
  // Loaded on demand, because most functions never end a task.
  const { findTransferOperation } = await import('../tasks/index.ts')
  return findTransferOperation(operation)?.kind === 'import'
}

const maxConcurrentDependents = 16
const skipMark = 'skip'
const planFailureMark = 'plan'

const inputTaskFailedError = {
  status: 'cancelled',
  code: 'INPUT_TASK_FAILED',
  message: 'An input task of this task did not produce any files.',
  endedBy: skipMark,
} as const

const toTaskInputs = (task: Task) => ({ fixed: [], tasks: [task] })
