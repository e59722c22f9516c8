import type { Queues } from '../aws/queues.ts'
import type { Change } from '../aws/table-expressions.ts'
import { AppError } from '../errors.ts'
import { eachOf } from '../map-concurrently.ts'
import { completeChunk } from './chunk-completion.ts'
import { dependencyUpdate } from './dependency-update.ts'
import { importedFileEvents } from './events.ts'
import { toClientError } from './failure.ts'
import { isLiveStatus, type Job, type JobState, type Task } from './job.ts'
import { JobLifecycle, type JobLifecycleDeps } from './job-lifecycle.ts'
import { decideNextAction, failsDependents, isOutcomeKnown } from './job-state-machine.ts'
import { bucketCountKey, bucketNumber, joinBucketKey } from './keys.ts'
import { type JobStore, taskRefOf } from './store.ts'
import type { RoutedTask, TaskInputs, TaskSender } from './task-sender.ts'

export interface TaskCompletionDeps extends JobLifecycleDeps {
  readonly queues: Queues
  readonly taskSender: TaskSender
}

/**
 * What follows when a task ends: those that wait for it hear of it, run or are skipped, and with the last one the job
 * ends. All of it may be asked for again; `again` says that it is, and then what was done before is said once more.
 */
export class TaskCompletion {
  /** That of the job as a whole. */
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

  /** Tells whoever waits for a task that it is over. */
  async completeTask(task: Task, { isRepeat }: { isRepeat: boolean }): Promise<void> {
    if (task.part !== undefined)
      return completeChunk(task, isRepeat, {
        store: this.#store,
        sendTask: (ready) => this.sendTask(ready),
        completeTask: (over, options) => this.completeTask(over, options),
        publishPercent: (split, percent) => this.lifecycle.publishUnitProgress(split, split.number, percent),
      })
    const [job] = await Promise.all([
      this.#countTask(task),
      this.#publishImportedFiles(task),
      this.#updateDependents(task, { isRepeat, isHeldBack: task.uploadId !== undefined }),
    ])
    if (job) await this.#finishJobIfDecided(job, isRepeat)
  }

  async #publishImportedFiles(task: Task): Promise<void> {
    if (!(await hasImportedFiles(task))) return
    const job = await this.#store.getJob(task.jobId)
    if (job) await this.lifecycle.publish(importedFileEvents(job, task))
  }

  /** Sends a task that is ready on its way to a worker; one that cannot run fails. */
  async sendTask(task: Task, inputs?: TaskInputs): Promise<void> {
    const routed = await this.#routeTask(task, inputs)
    if (routed) await this.#queues.send(routed.queue, [routed.message], task.owner)
  }

  /** Undefined for a task that cannot run, which has failed then. */
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

  /** Sends many tasks of a job whose files are known, in as few calls as there may be. */
  async sendTasks(tasks: readonly Task[], state: JobState): Promise<void> {
    const ready: RoutedTask[] = []
    for (const task of tasks) {
      const routed = await this.#routeTask(task, state)
      if (routed) ready.push(routed)
    }
    const byQueue = Map.groupBy(ready, ({ queue }) => queue)
    await Promise.all(
      [...byQueue].map(([queue, group]) =>
        this.#queues.send(
          queue,
          group.map(({ message }) => message),
          state.job.owner,
        ),
      ),
    )
  }

  /** One more task of the job is over; the job's record, where that changed it. */
  async #countTask(task: Task): Promise<Job | undefined> {
    const { jobId, number } = task
    const change = dependencyUpdate(number, task.status === 'completed', failsDependents(task))
    if (!task.bucketed) return this.#countUnit(jobId, number, change)
    const bucket = bucketNumber(number)
    const { record: bucketRecord } = await this.#store.changeJoinBucket(bucketCountKey(jobId, bucket), change)
    if (!bucketRecord) return undefined
    if (!bucketRecord.open)
      return this.#countUnit(
        jobId,
        bucket,
        dependencyUpdate(bucket, bucketRecord.got !== undefined, bucketRecord.lost !== undefined),
      )
    // A job that ends with its first failure learns of it at once.
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
    // Only what this process has told of: what another one had to tell may not be out.
    const published = this.lifecycle.forgetPublished(jobId, ['started', String(unit)])
    const remove = [`running.${unit}`, ...published.map((name) => `log.${name}`)]
    return (await this.#store.changeJob(jobId, { ...change, remove })).record
  }

  async #updateDependents(task: Task, options: { isRepeat: boolean; isHeldBack: boolean }): Promise<void> {
    const outs = await this.#store.getDependents(task)
    await eachOf(outs, maxConcurrentDependents, (out) => this.#updateDependent(task, out, options))
  }

  async #updateDependent(
    task: Task,
    out: string,
    { isRepeat, isHeldBack }: { isRepeat: boolean; isHeldBack: boolean },
  ): Promise<void> {
    const { jobId } = task
    const [dependent = 0, joinBucket] = out.split('#').map(Number)
    let change = dependencyUpdate(task.number, task.status === 'completed', failsDependents(task))
    if (joinBucket !== undefined) {
      const { record } = await this.#store.changeJoinBucket(
        joinBucketKey(jobId, dependent, joinBucket),
        change,
      )
      if (!record || (record.open && !record.lost)) return
      change = dependencyUpdate(joinBucket, record.got !== undefined, record.lost !== undefined)
    }
    const { record } = await this.#store.changeTask({ jobId, task: dependent }, change)
    if (!record) return
    if (record.status !== 'pending') {
      // It ended because of this one, and whoever did that may not have come to say so.
      const isOurs = record.endedBy === skipMark || record.endedBy === planFailureMark
      if (isRepeat && isOurs) await this.completeTask(record, { isRepeat })
      return
    }
    const action = decideNextAction(record)
    if (action === 'run' && !isHeldBack)
      await this.sendTask(record, record.ins.length === 1 ? inputsFrom(task) : undefined)
    if (action === 'skip') await this.#endUnclaimed(record, inputTaskFailed, isRepeat)
  }

  /** The end of a task that nobody has begun. */
  async #endUnclaimed(
    task: Task,
    end: Pick<Task, 'status' | 'code' | 'message' | 'details' | 'endedBy'>,
    isRepeat: boolean,
  ): Promise<void> {
    const endedAt = new Date().toISOString()
    const { applied, record } = await this.#store.changeTask(
      taskRefOf(task),
      { set: { ...end, endedAt } },
      { condition: { equal: { status: 'pending' } }, mark: { endedBy: end.endedBy, endedAt } },
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

/** It has brought files from elsewhere, which somebody may want to know. */
export async function hasImportedFiles({ operation, status }: Task): Promise<boolean> {
  if (status !== 'completed') return false
  // Most functions end no task.
  const { findTransferOperation } = await import('../tasks/index.ts')
  return findTransferOperation(operation)?.kind === 'import'
}

const maxConcurrentDependents = 16
const skipMark = 'skip'
const planFailureMark = 'plan'

const inputTaskFailed = {
  status: 'cancelled',
  code: 'INPUT_TASK_FAILED',
  message: 'A task whose files this one takes did not give any.',
  endedBy: skipMark,
} as const

const inputsFrom = (task: Task) => ({ fixed: [], tasks: [task] })
