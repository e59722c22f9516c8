import { randomUUID } from 'node:crypto'
import type { Bus } from '../aws/bus.ts'
import type { Files } from '../aws/files.ts'
import type { Queues } from '../aws/queues.ts'
import type { TransactionWrite } from '../aws/table.ts'
import type { Log } from '../log.ts'
import {
  isLiveStatus,
  isTaskOver,
  isTerminalStatus,
  type Job,
  type JobState,
  type StoredFile,
  type Task,
} from '../model/job.ts'
import type { SubscriberLookup } from '../model/subscribers.ts'
import type { TaskRef } from '../model/task-message.ts'
import { continueTrace } from '../trace.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { deleteJobData, expireJob, markJobDeleted } from './delete-job.ts'
import {
  createCreationEvents,
  createFileDownloadedEvent,
  createFileUploadedEvent,
  createQueuedEvent,
  type DownloadDetails,
  findUnpublishedEvents,
  type UploadedFile,
} from './events.ts'
import { republishAfterS } from './job-lifecycle.ts'
import { decideNextAction, findStalledTasks } from './job-state-machine.ts'
import { getFileSequenceName } from './keys.ts'
import { getListKey } from './list.ts'
import { type JobStore, liveJobCondition } from './store.ts'
import { TaskCompletion } from './task-completion.ts'
import { firstCheckS, type GraphRecords } from './task-graph.ts'
import type { TaskSender } from './task-sender.ts'

/**
 * Waits until a job may have changed, but at most `remainingMs`. Returns the new record if the notification contains
 * it. Without notifications, waits `pauseMs`.
 */
export type WaitForJobChange = (
  jobId: string,
  timing: { readonly pauseMs: number; readonly remainingMs: number },
) => Promise<Job | undefined>

export interface JobsDeps {
  readonly store: JobStore
  readonly files: Files
  readonly uploads: Uploads
  readonly queues: Queues
  readonly bus: Bus
  readonly taskSender: TaskSender
  readonly log: Log
  readonly getSubscribers: (owner: string) => Promise<SubscriberLookup>
  readonly waitForChange: WaitForJobChange
  /** Checks whether the upload that a task waits for has arrived, and if so calls `completeUpload`. */
  readonly checkForUpload: (task: Task) => Promise<void>
}

/**
 * Limits of the time between checks of an unfinished job, in seconds. Between the limits, this time equals the age of
 * the job.
 */
const checkIntervalS = { min: 300, max: 3600 }
/** Seconds between checks for an upload. */
const uploadCheckIntervalS = 60
/** Seconds after the creation of a job after which it stops waiting for uploads and expires. */
const uploadTimeoutS = 3600

const getTimeAfter = (seconds: number, now = new Date()) =>
  new Date(now.getTime() + seconds * 1000).toISOString()

/** Creates, cancels, deletes, awaits and maintains jobs. */
export class Jobs {
  readonly store: JobStore
  readonly taskSender: TaskSender
  /** Completes tasks on behalf of a queue message, which is delivered again after a crash. */
  readonly completion: TaskCompletion
  /** Completes tasks on behalf of an API call, the clock or an upload, which are not delivered again. */
  readonly #firstDeliveryCompletion: TaskCompletion
  readonly #deps: JobsDeps

  constructor(deps: JobsDeps) {
    this.#deps = deps
    this.store = deps.store
    this.taskSender = deps.taskSender
    this.completion = new TaskCompletion({ ...deps, isRedelivered: true })
    this.#firstDeliveryCompletion = new TaskCompletion({ ...deps, isRedelivered: false })
  }

  /**
   * Stores a new job together with `otherWrites`, and starts it.
   * @returns false if a condition of `otherWrites` is not met.
   */
  async create(records: GraphRecords, otherWrites: readonly TransactionWrite[] = []): Promise<boolean> {
    const { job, fixed, tasks } = records
    if (!(await this.store.create(records, otherWrites))) return false
    this.#deps.log.info(
      { jobId: job.id, requestId: job.requestId, operations: job.display.operations, tasks: job.total },
      'job created',
    )
    const state = { job, fixed, tasks, chunks: [] }
    try {
      await this.#publishCreation(state)
    } catch (error) {
      // The job is stored, so an error must not reach the client, which would send the job again.
      this.#deps.log.error({ jobId: job.id, error }, 'the creation of a job could not be published yet')
      // If that can't be recorded either, only the first check publishes the creation, so the job must not end before
      // it: the check sends the tasks, too.
      if (!(await this.#storeUnpublishedCreation(job))) return true
    }
    try {
      await this.#sendReadyTasks(state)
    } catch (error) {
      this.#deps.log.error({ jobId: job.id, error }, 'the tasks of a new job could not be sent yet')
    }
    return true
  }

  /** Adds the creation to the job's log, so that the end of the job publishes it. Returns whether it was added. */
  async #storeUnpublishedCreation({ id, createdAt }: Job): Promise<boolean> {
    try {
      await this.store.changeJob(id, { set: { 'log.created': { at: createdAt } } })
      return true
    } catch (error) {
      this.#deps.log.error({ jobId: id, error }, 'the unpublished creation of a job could not be stored')
      return false
    }
  }

  async #publishCreation(state: JobState): Promise<void> {
    await this.#firstDeliveryCompletion.lifecycle.publish(createCreationEvents(state))
    if (state.job.log['created']) await this.store.changeJob(state.job.id, { remove: ['log.created'] })
  }

  /** Sends the tasks that are ready from the start. A job without tasks ends immediately. */
  async #sendReadyTasks(state: JobState): Promise<void> {
    if (state.job.status === 'pending') return
    const readyTasks = state.tasks.filter(
      (task) => task.status === 'pending' && decideNextAction(task) === 'run',
    )
    await this.#firstDeliveryCompletion.sendTasks(readyTasks, state)
    if (state.tasks.length === 0) await this.#firstDeliveryCompletion.lifecycle.finish(state.job.id)
  }

  /** Cancels a job. Returns undefined if it is unknown or has already ended. */
  async cancel(jobId: string, by: 'user' | 'system'): Promise<JobState | undefined> {
    const job = await this.store.getJob(jobId)
    if (!job) return undefined
    const endedBy = randomUUID()
    const endedAt = new Date().toISOString()
    const { applied } = await this.store.changeJob(
      jobId,
      {
        set: {
          status: 'cancelled',
          cancelledBy: by,
          endedAt,
          endedBy,
          unsaid: true,
          wakeAt: getTimeAfter(republishAfterS),
          expiresAt: getTimeAfter(job.retentionS),
          listKey: getListKey({ ...job, status: 'cancelled' }),
        },
        setPlus: { 'numbers.ended': ['sequence', 1], sequence: ['sequence', 1] },
      },
      { condition: liveJobCondition, writeMarker: { endedBy } },
    )
    if (!applied) return undefined
    this.#deps.log.info({ jobId }, 'job cancelled')
    await this.#firstDeliveryCompletion.lifecycle.republishEnd(jobId)
    return this.store.getState(jobId)
  }

  /**
   * Publishes that a file has arrived.
   * @param ref the task that waits for the file. The event then belongs to the job of this task. Nothing is published
   * if the job was deleted or has expired.
   */
  async publishUpload(uploadedFile: Omit<UploadedFile, 'ofJob'>, ref?: TaskRef): Promise<void> {
    const job = ref && (await this.store.numberFiles(ref, 1))
    const sequence = ref && job?.numbers[getFileSequenceName(ref.task)]
    if (ref && sequence === undefined) return
    const ofJob = job && sequence !== undefined ? { job, sequence } : undefined
    await this.#firstDeliveryCompletion.lifecycle.publish([
      createFileUploadedEvent({ ...uploadedFile, ofJob }),
    ])
  }

  /**
   * Publishes that a file of a job was downloaded, if there are subscribers. The service itself does not need this
   * event, which costs a write. Each download gets its own sequence number.
   */
  async publishDownload(job: Job, file: StoredFile, downloadDetails: DownloadDetails): Promise<void> {
    const findSubscribers = await this.#deps.getSubscribers(job.owner)
    if (!job.hasWebhook && findSubscribers('file.downloaded').length === 0) return
    const { applied, record } = await this.store.changeJob(
      job.id,
      { setPlus: { sequence: ['sequence', 1] } },
      { condition: { equal: { status: job.status }, absent: ['deletedAt'] } },
    )
    if (!applied || !record) return
    const event = createFileDownloadedEvent(record, file, downloadDetails, new Date().toISOString())
    await this.#firstDeliveryCompletion.lifecycle.publish([event])
  }

  /** Deletes the job, its tasks and its files. Returns false if it is already deleted. */
  async delete(jobId: string): Promise<boolean> {
    const job = await this.store.getJob(jobId)
    if (!job || !(await markJobDeleted(job, this.store, getTimeAfter(republishAfterS)))) return false
    await deleteJobData(jobId, this.#deleteJobDeps())
    return true
  }

  #deleteJobDeps() {
    const { store, files, uploads, log } = this.#deps
    return { store, files, uploads, log, lifecycle: this.#firstDeliveryCompletion.lifecycle }
  }

  /** Does everything that is due for a job whose `wakeAt` has passed. */
  async wake(jobId: string, now = new Date()): Promise<void> {
    const job = await this.store.getJob(jobId)
    if (!job) return
    this.#deps.log.info({ jobId, status: job.status }, 'processing a due job')
    if (job.deletedAt || job.status === 'expired') return deleteJobData(jobId, this.#deleteJobDeps())
    if (isTerminalStatus(job.status)) {
      if (job.unsaid) await this.#firstDeliveryCompletion.lifecycle.republishEnd(jobId)
      else if (job.expiresAt <= now.toISOString())
        await expireJob(job, 'retention', now, this.#deleteJobDeps())
      else await this.#scheduleCheck(job, job.expiresAt)
      return
    }
    const state = await this.store.getState(jobId)
    if (!state) return
    await continueTrace(state.tasks[0]?.traceparent, () =>
      job.status === 'pending' ? this.#checkUploads(state, now) : this.#resume(state, now),
    )
  }

  #scheduleCheck(job: Job, wakeAt: string) {
    // A concurrent deletion or end sets an earlier time, which must not be overwritten.
    const condition = { equal: { status: job.status }, absent: ['unsaid'] }
    return this.store.changeJob(job.id, { set: { wakeAt } }, { condition })
  }

  /** Checks for uploads whose notification was lost or that never arrived. */
  async #checkUploads(state: JobState, now: Date): Promise<void> {
    const { job, tasks } = state
    if (job.log['created']) await this.#publishCreation(state)
    for (const task of tasks.filter(({ uploadId }) => uploadId !== undefined)) {
      if (isTaskOver(task)) await this.#queueWhenUploaded(task, { isRepeat: true })
      else await this.#deps.checkForUpload(task)
    }
    const isLate = now.getTime() - Date.parse(job.createdAt) > uploadTimeoutS * 1000
    const currentJob = await this.store.getJob(job.id)
    if (currentJob?.status !== 'pending') return
    if (isLate) await expireJob(currentJob, 'upload_timeout', now, this.#deleteJobDeps())
    else await this.#scheduleCheck(job, getTimeAfter(uploadCheckIntervalS, now))
  }

  /** Ends the task that waits for an upload, with the file or an error. Returns whether the task has completed. */
  async completeUpload(
    ref: TaskRef,
    outcome: { readonly file: StoredFile } | { readonly error: Pick<Task, 'code' | 'message' | 'details'> },
  ): Promise<boolean> {
    const endedAt = new Date().toISOString()
    const end =
      'file' in outcome
        ? { status: 'completed', percent: 100, files: [outcome.file] }
        : { status: 'failed', ...outcome.error }
    const { applied, record } = await this.store.changeTask(
      ref,
      { set: { ...end, startedAt: endedAt, endedAt, endedBy: 'upload' }, remove: ['form'] },
      { condition: { equal: { status: 'pending' } } },
    )
    if (record && isTaskOver(record))
      await continueTrace(record.traceparent, () => this.#queueWhenUploaded(record, { isRepeat: !applied }))
    return record?.status === 'completed'
  }

  /** Queues the job once its last upload is complete. */
  async #queueWhenUploaded(task: Task, { isRepeat }: { isRepeat: boolean }): Promise<void> {
    await this.#firstDeliveryCompletion.completeTask(task, { isRepeat })
    const { jobId, number } = task
    const { record: job } = await this.store.changeJob(jobId, { exclude: { waiting: new Set([number]) } })
    if (!job || job.waiting || job.status !== 'pending') return
    const at = new Date().toISOString()
    const { applied, record } = await this.store.changeJob(
      jobId,
      {
        set: { status: 'queued', queuedAt: at, 'log.queued': { at }, wakeAt: getFirstCheckAt(at) },
        setPlus: { 'numbers.queued': ['sequence', 1], sequence: ['sequence', 1] },
      },
      { condition: { equal: { status: 'pending' } }, writeMarker: { queuedAt: at } },
    )
    const state = applied && record && (await this.store.getState(jobId))
    if (!state) return
    await this.#firstDeliveryCompletion.lifecycle.publish([createQueuedEvent(state)])
    await this.#sendReadyTasks(state)
  }

  /** Repairs and resumes an unfinished job, because messages or workers may have been lost. */
  async #resume(state: JobState, now: Date): Promise<void> {
    const { job, tasks } = state
    // The process that started the job may have died before publishing its start.
    if (job.wakeAt === getFirstCheckAt(job.queuedAt ?? job.createdAt))
      await this.#firstDeliveryCompletion.lifecycle.publish([
        ...createCreationEvents(state),
        ...findUnpublishedEvents(state),
      ])
    const { unsentTasks, unreportedTasks } = findStalledTasks(state, now)
    for (const task of unreportedTasks)
      await this.#firstDeliveryCompletion.completeTask(task, { isRepeat: true })
    await this.#firstDeliveryCompletion.sendTasks(unsentTasks, state)
    if (tasks.every(isTaskOver)) await this.#firstDeliveryCompletion.lifecycle.finish(job.id)
    const ageS = (now.getTime() - Date.parse(job.createdAt)) / 1000
    const pauseS = Math.min(checkIntervalS.max, Math.max(checkIntervalS.min, ageS))
    const currentJob = await this.store.getJob(job.id)
    if (currentJob && isLiveStatus(currentJob.status))
      await this.#scheduleCheck(currentJob, getTimeAfter(pauseS, now))
  }

  /**
   * Waits until the job satisfies the condition or the timeout has passed. Returns its latest version, or undefined if
   * it does not exist. Reacts to notifications if this process receives them, and polls at growing intervals otherwise.
   * @param knownJob the job that the caller has just created, to save a read.
   */
  async waitFor(
    jobId: string,
    timeoutMs: number,
    isDone: (job: Job) => boolean,
    knownJob?: Job,
  ): Promise<Job | undefined> {
    const deadline = Date.now() + timeoutMs
    let job = knownJob
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 1000)) {
      if (job && isDone(job)) return job
      const remainingMs = Math.max(0, deadline - Date.now())
      const changedJob = this.#deps.waitForChange(jobId, {
        pauseMs: Math.min(pauseMs, remainingMs),
        remainingMs,
      })
      job ??= await this.store.getJob(jobId)
      if (!job || isDone(job) || Date.now() >= deadline) return job
      job = await changedJob
    }
  }
}

const getFirstCheckAt = (queuedAt: string) => getTimeAfter(firstCheckS, new Date(queuedAt))
