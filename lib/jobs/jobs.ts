import { randomUUID } from 'node:crypto'
import type { Bus } from '../aws/bus.ts'
import type { Files } from '../aws/files.ts'
import type { Queues } from '../aws/queues.ts'
import type { Log } from '../log.ts'
import type { ListenersOf } from '../subscribers.ts'
import type { Uploads } from '../uploads.ts'
import { eraseJob, expireJob, markDeleted } from './delete-job.ts'
import {
  type ArrivalFacts,
  beginnings,
  type DownloadFacts,
  fileDownloaded,
  fileUploaded,
  queued,
  unpublished,
} from './events.ts'
import { isLive, isOver, isTerminal, type Job, type JobState, type StoredFile, type Task } from './job.ts'
import { unsaidS } from './job-lifecycle.ts'
import type { TaskRef } from './keys.ts'
import { listKeyOf } from './list.ts'
import { stalledIn, verdictOf } from './job-state-machine.ts'
import { type Along, isJobLive, type JobStore } from './store.ts'
import { Settlement } from './task-completion.ts'
import { firstLookS, type GraphRecords } from './task-graph.ts'
import type { Outlet } from './task-sender.ts'

/**
 * Resolves when a job may have changed, with what it is now where that is told too, at the latest after `leftMs`;
 * `pauseMs` is how long to wait where nobody tells.
 */
export type JobHint = (
  jobId: string,
  wait: { readonly pauseMs: number; readonly leftMs: number },
) => Promise<Job | undefined>

export interface JobParts {
  readonly store: JobStore
  readonly files: Files
  readonly uploads: Uploads
  readonly queues: Queues
  readonly bus: Bus
  readonly outlet: Outlet
  readonly log: Log
  readonly listenersOf: (owner: string) => Promise<ListenersOf>
  readonly hint: JobHint
  /** Looks whether the upload that a task waits for is there, and reports it by `uploadArrived`. */
  readonly lookForUpload: (task: Task) => Promise<void>
}

/** Seconds between looks at a live job: as long as it is old, within these. */
const looksS = { least: 300, most: 3600 }
/** Seconds between looks for an upload, and after which it is no longer waited for. */
const uploadLookS = 60
export const uploadTimeoutS = 3600

const soon = (seconds: number, now = new Date()) => new Date(now.getTime() + seconds * 1000).toISOString()

/** Jobs as the rest of the service knows them: made, cancelled, deleted, waited for, looked after. */
export class Jobs {
  readonly store: JobStore
  readonly outlet: Outlet
  /** For whoever has a message that comes again. */
  readonly settlement: Settlement
  /** For what an API call, the clock or an upload sets off. */
  readonly #unguarded: Settlement
  readonly #parts: JobParts

  constructor(parts: JobParts) {
    this.#parts = parts
    this.store = parts.store
    this.outlet = parts.outlet
    this.settlement = new Settlement({ ...parts, isGuarded: true })
    this.#unguarded = new Settlement({ ...parts, isGuarded: false })
  }

  /**
   * Stores a new job, together with what must not be stored without it, and sets it going.
   * @returns false when something of `along` was changed meanwhile.
   */
  async create(records: GraphRecords, along: readonly Along[] = []): Promise<boolean> {
    const { job, fixed, tasks } = records
    if (!(await this.store.create(records, along))) return false
    this.#parts.log.info(
      { jobId: job.id, requestId: job.requestId, operations: job.display.operations, tasks: job.total },
      'job created',
    )
    const state = { job, fixed, tasks, parts: [] }
    await Promise.all([this.#tellBeginning(state), this.#begin(state)])
    return true
  }

  async #tellBeginning(state: JobState): Promise<void> {
    await this.#unguarded.course.publish(beginnings(state))
    if (state.job.log['created']) await this.store.changeJob(state.job.id, { remove: ['log.created'] })
  }

  /** Sends what can run from the start; a job of which nothing can is over. */
  async #begin(state: JobState): Promise<void> {
    if (state.job.status === 'pending') return
    const ready = state.tasks.filter((task) => task.status === 'pending' && verdictOf(task) === 'run')
    await this.#unguarded.sendAll(ready, state)
    if (state.tasks.length === 0) await this.#unguarded.course.finish(state.job.id)
  }

  /** Undefined when the job is unknown or over. */
  async cancel(jobId: string, by: 'user' | 'system'): Promise<JobState | undefined> {
    const job = await this.store.job(jobId)
    if (!job) return undefined
    const endedBy = randomUUID()
    const endedAt = new Date().toISOString()
    const { applied } = await this.store.changeJob(
      jobId,
      {
        set: {
          ...{ status: 'cancelled', cancelledBy: by, endedAt, endedBy, unsaid: true, wakeAt: soon(unsaidS) },
          expiresAt: soon(job.retentionS),
          listKey: listKeyOf(job.owner, 'cancelled'),
        },
        setPlus: { 'numbers.ended': ['sequence', 1], sequence: ['sequence', 1] },
      },
      { condition: isJobLive, mark: { endedBy } },
    )
    if (!applied) return undefined
    this.#parts.log.info({ jobId }, 'job cancelled')
    await this.#unguarded.course.tellEnd(jobId)
    return this.store.whole(jobId)
  }

  /** A file has arrived that may belong to a job, or to none yet. */
  uploaded(facts: ArrivalFacts): Promise<void> {
    return this.#unguarded.course.publish([fileUploaded(facts)])
  }

  /** Somebody is led to a file of a job, which each time counts. */
  async downloaded(job: Job, file: StoredFile, facts: DownloadFacts): Promise<void> {
    const { applied, record } = await this.store.changeJob(
      job.id,
      { setPlus: { sequence: ['sequence', 1] } },
      { condition: { equal: { status: job.status }, absent: ['deletedAt'] } },
    )
    if (!applied || !record) return
    const event = fileDownloaded(record, file, facts, new Date().toISOString())
    await this.#unguarded.course.publish([event])
  }

  /** Removes the job, its tasks and its files at once; false when somebody else has done so. */
  async delete(jobId: string): Promise<boolean> {
    const job = await this.store.job(jobId)
    if (!job || !(await markDeleted(job, this.store, soon(unsaidS)))) return false
    await eraseJob(jobId, this.#erasing())
    return true
  }

  #erasing() {
    const { store, files, uploads, log } = this.#parts
    return { store, files, uploads, log, course: this.#unguarded.course }
  }

  /** A job in which nothing moves, or that is over: whatever has to happen to it now. */
  async wake(jobId: string, now = new Date()): Promise<void> {
    const job = await this.store.job(jobId)
    if (!job) return
    this.#parts.log.info({ jobId, status: job.status }, 'job looked at')
    if (job.deletedAt || job.status === 'expired') return eraseJob(jobId, this.#erasing())
    if (isTerminal(job.status)) {
      if (job.unsaid) await this.#unguarded.course.tellEnd(jobId)
      else if (job.expiresAt <= now.toISOString()) await expireJob(job, 'retention', now, this.#erasing())
      else await this.#lookAgain(job, job.expiresAt)
      return
    }
    const state = await this.store.whole(jobId)
    if (!state) return
    if (job.status === 'pending') await this.#awaitUploads(state, now)
    else await this.#revive(state, now)
  }

  #lookAgain(job: Job, wakeAt: string) {
    // Who deletes or ends it meanwhile wants it looked at sooner.
    const condition = { equal: { status: job.status }, absent: ['unsaid'] }
    return this.store.changeJob(job.id, { set: { wakeAt } }, { condition })
  }

  /** An upload that nobody told of, or that never came. */
  async #awaitUploads(state: JobState, now: Date): Promise<void> {
    const { job, tasks } = state
    if (job.log['created']) await this.#tellBeginning(state)
    for (const task of tasks.filter(({ uploadId }) => uploadId !== undefined)) {
      if (isOver(task)) await this.#uploadIsOver(task, { again: true })
      else await this.#parts.lookForUpload(task)
    }
    const isLate = now.getTime() - Date.parse(job.createdAt) > uploadTimeoutS * 1000
    const current = await this.store.job(job.id)
    if (current?.status !== 'pending') return
    if (isLate) await expireJob(current, 'upload_timeout', now, this.#erasing())
    else await this.#lookAgain(job, soon(uploadLookS, now))
  }

  /** A file that a task waited for is there, or is none that can be used. False when the task took no such file. */
  async uploadArrived(
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
    if (record && isOver(record)) await this.#uploadIsOver(record, { again: !applied })
    return record?.status === 'completed'
  }

  /** With the last upload the job is queued. */
  async #uploadIsOver(task: Task, { again }: { again: boolean }): Promise<void> {
    await this.#unguarded.settle(task, { again })
    const { jobId, number } = task
    const { record: job } = await this.store.changeJob(jobId, { exclude: { waiting: new Set([number]) } })
    if (!job || job.waiting || job.status !== 'pending') return
    const at = new Date().toISOString()
    const { applied, record } = await this.store.changeJob(
      jobId,
      {
        set: { status: 'queued', queuedAt: at, 'log.queued': { at }, wakeAt: firstLookAt(at) },
        setPlus: { 'numbers.queued': ['sequence', 1], sequence: ['sequence', 1] },
      },
      { condition: { equal: { status: 'pending' } }, mark: { queuedAt: at } },
    )
    const state = applied && record && (await this.store.whole(jobId))
    if (!state) return
    await this.#unguarded.course.publish([queued(state)])
    await this.#begin(state)
  }

  /** Repairs and goes on with a live job: messages or workers may be lost. */
  async #revive(state: JobState, now: Date): Promise<void> {
    const { job, tasks } = state
    // Whoever set it going may not have come to tell of it.
    if (job.wakeAt === firstLookAt(job.queuedAt ?? job.createdAt))
      await this.#unguarded.course.publish([...beginnings(state), ...unpublished(state)])
    const { sends, untold } = stalledIn(state, now)
    for (const task of untold) await this.#unguarded.settle(task, { again: true })
    await this.#unguarded.sendAll(sends, state)
    if (tasks.every(isOver)) await this.#unguarded.course.finish(job.id)
    const ageS = (now.getTime() - Date.parse(job.createdAt)) / 1000
    const pauseS = Math.min(looksS.most, Math.max(looksS.least, ageS))
    const current = await this.store.job(job.id)
    if (current && isLive(current.status)) await this.#lookAgain(current, soon(pauseS, now))
  }

  /**
   * Waits until the job satisfies the condition or the time is over; then its newest form, undefined when there
   * is none. Where changes are pushed to this process it wakes by them, elsewhere it looks at growing intervals.
   * @param made the job as whoever calls has just made it, so that it need not be read.
   */
  async waitFor(
    jobId: string,
    timeoutMs: number,
    done: (job: Job) => boolean,
    made?: Job,
  ): Promise<Job | undefined> {
    const deadline = Date.now() + timeoutMs
    let job = made
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 1000)) {
      if (job && done(job)) return job
      const leftMs = Math.max(0, deadline - Date.now())
      const changed = this.#parts.hint(jobId, { pauseMs: Math.min(pauseMs, leftMs), leftMs })
      job ??= await this.store.job(jobId)
      if (!job || done(job) || Date.now() >= deadline) return job
      job = await changed
    }
  }
}

const firstLookAt = (queuedAt: string) => soon(firstLookS, new Date(queuedAt))
