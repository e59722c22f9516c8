import type { Change } from '../../aws/table-expressions.ts'
import type { Log } from '../../log.ts'
import type { Job, JobState, Task } from '../../model/job.ts'
import { defined } from '../../validation/defined.ts'
import {
  createEndEvent,
  createImportedFileEvents,
  createStartedEvent,
  findUnpublishedEvents,
  getImportedFiles,
} from '../events.ts'
import { createJobEndChange } from '../job-end.ts'
import { decideOutcome, getTaskPercent, joinStartPercent } from '../job-state-machine.ts'
import { getFileSequenceName } from '../keys.ts'
import { getProgressUnit, type WriteResult } from '../store.ts'
import { hasImportedFiles, type TaskCompletion } from '../task-completion.ts'
import { getChunkAttempt } from '../task-graph.ts'
import { isLastAttempt, isLeaseLost, releaseLostLease } from './lost-lease.ts'
import { checkStraggler } from './stragglers.ts'
import type { TaskRun } from './task-run.ts'

/** Duration of a lease without a heartbeat, in seconds. */
const leaseDurationS = 15
/** Interval of heartbeats, which is also the longest time until the engine of a cancelled job is stopped. */
const heartbeatIntervalMs = 3000
/** The start of a task is published after this delay; a task that ends sooner publishes start and end together. */
const startEventDelayMs = 300
/** Minimum interval between two progress updates. */
const minProgressIntervalMs = 500
/** Minimum progress since the last update, in percentage points, for the next update. */
const minProgressPoints = 5
/** Interval after which a single percentage point is enough for an update. */
const smallProgressIntervalMs = 2000

/** Another worker has the task, or the job has ended. */
export class LeaseLostError extends Error {}

/** The changes to a task with which a worker ends it. */
export type TaskResult = Pick<Task, 'status'> & Partial<Task>

/**
 * A worker's lease of a task: claimed once, renewed by heartbeats, and ended by finishing, releasing, handing over or
 * splitting the task. A heartbeat only writes the task; the job's record is written when there is progress to publish.
 */
export class Lease {
  readonly #run: TaskRun
  readonly #id: string
  readonly #log: Log
  readonly #completion: TaskCompletion
  #task: Task | undefined
  #job: Job | undefined
  #claimedAt = Date.now()
  #claimedMs = performance.now()
  #percent = 0
  #stage = 'convert'
  #publishedPercent = 0
  #publishedAt = Date.now()
  #pendingUpdate: Promise<void> | undefined
  #heartbeatTimer: NodeJS.Timeout | undefined
  #startTimer: NodeJS.Timeout | undefined
  #hasEndedJob = false
  #onLost = () => {}

  constructor(run: TaskRun, id: string, log: Log) {
    this.#run = run
    this.#id = id
    this.#log = log
    this.#completion = run.services.jobs.completion
  }

  /** Whether this lease ended the job together with its task. */
  get hasEndedJob(): boolean {
    return this.#hasEndedJob
  }

  get #store() {
    return this.#run.services.jobs.store
  }

  /** Claims the task unless it is claimed, is waiting, has ended or must run alone. Returns its record in any case. */
  async claim(): Promise<WriteResult<Task>> {
    let claimResult = await this.#tryClaim()
    if (!claimResult.applied && claimResult.record && isLeaseLost(claimResult.record, new Date())) {
      await this.#releaseLost(claimResult.record)
      claimResult = await this.#tryClaim()
    }
    this.#task = claimResult.record
    this.#percent = claimResult.record ? getTaskPercent(claimResult.record) : 0
    return claimResult
  }

  #tryClaim(): Promise<WriteResult<Task>> {
    const { isShared, runId } = this.#run
    const now = new Date()
    this.#claimedAt = now.getTime()
    this.#claimedMs = performance.now()
    return this.#store.changeTask(
      this.#run.ref,
      {
        set: {
          status: 'processing',
          leaseId: this.#id,
          leaseUntil: leaseUntil(),
          ...(isShared && { shared: true }),
          ...defined({ runId }),
        },
        setOnce: { startedAt: now.toISOString() },
        setPlus: { attempt: ['attempt', 1] },
        remove: ['attemptMs', ...(isShared ? [] : ['shared']), ...(runId === undefined ? ['runId'] : [])],
      },
      {
        condition: {
          absent: isShared ? ['apart'] : [],
          either: [
            { equal: { status: 'pending' }, absent: ['open', 'lost'] },
            { equal: { status: 'processing' }, absent: ['leaseId', 'open', 'lost'], present: ['expandedBy'] },
          ],
        },
        writeMarker: { leaseId: this.#id },
      },
    )
  }

  /**
   * Makes the task claimable again after its lease has expired; changes nothing if the lease was renewed or another
   * worker has already done this.
   */
  async #releaseLost(task: Task): Promise<void> {
    const { leaseId, leaseUntil = '' } = task
    const change = releaseLostLease(task, this.#run)
    const condition = { equal: { status: 'processing', leaseId }, until: { leaseUntil } }
    await this.#store.changeTask(this.#run.ref, change, { condition })
  }

  /** Starts the heartbeat. */
  startHeartbeat(job: Job, onLost: () => void): void {
    this.#job = job
    this.#onLost = onLost
    this.#heartbeatTimer = setInterval(
      () => this.#runUpdate(() => this.#sendHeartbeat()),
      heartbeatIntervalMs,
    )
    // If the worker of a chunk dies immediately, its message must not stay hidden for the full timeout.
    if (this.#task?.part !== undefined) this.#runUpdate(() => this.#run.extendVisibility(leaseDurationS + 1))
    if (job.status === 'queued')
      this.#startTimer = setTimeout(() => this.#runUpdate(() => this.#publishStart()), startEventDelayMs)
  }

  /** Reports the progress of the task in percent, and its current stage. */
  reportProgress(percent: number, stage: string): void {
    const isJoin = this.#task?.expandedBy !== undefined
    const shownPercent = isJoin ? joinStartPercent + (percent * (100 - joinStartPercent)) / 100 : percent
    // Another attempt starts from 0, but the published percentage never decreases.
    this.#percent = Math.max(this.#percent, Math.min(99, Math.floor(shownPercent)))
    this.#stage = stage
    const elapsedMs = Date.now() - this.#publishedAt
    const newPoints = this.#percent - this.#publishedPercent
    if (
      (newPoints >= minProgressPoints && elapsedMs >= minProgressIntervalMs) ||
      (newPoints >= 1 && elapsedMs >= smallProgressIntervalMs)
    )
      this.#runUpdate(() => this.#publishProgress())
  }

  /**
   * Runs one update at a time. After a failed update, the next one catches up, or the lease expires and another worker
   * takes over.
   */
  #runUpdate(update: () => Promise<void>): void {
    this.#pendingUpdate ??= update()
      .catch((error) => this.#log.warn({ error }, 'heartbeat failed'))
      .finally(() => {
        this.#pendingUpdate = undefined
      })
  }

  async #sendHeartbeat(): Promise<void> {
    const [heartbeatResult] = await Promise.all([
      this.#change({
        set: {
          leaseUntil: leaseUntil(),
          percent: this.#percent,
          stage: this.#stage,
          workedMs: this.#workedMs,
          attemptMs: this.#attemptMs,
        },
      }),
      this.#run.extendVisibility(leaseDurationS + 1),
    ])
    if (!heartbeatResult.applied || !(await this.#isStillNeeded())) this.#onLost()
  }

  /** Returns whether a chunk is still needed; starts a speculative copy of it if it takes too long. */
  async #isStillNeeded(): Promise<boolean> {
    if (!this.#job || this.#task?.part === undefined) return true
    return checkStraggler({ chunk: this.#task, job: this.#job, ranMs: this.#ranMs }, this.#run, this.#log)
  }

  get #ranMs(): number {
    return Math.max(0, Date.now() - this.#claimedAt)
  }

  /**
   * Milliseconds that workers have spent on the task. Earlier attempts count up to their last heartbeat. The clock is
   * monotonic.
   */
  get #workedMs(): number {
    return (this.#task?.workedMs ?? 0) + this.#attemptMs
  }

  get #attemptMs(): number {
    return Math.round(performance.now() - this.#claimedMs)
  }

  async #publishStart(): Promise<void> {
    if (!this.#job || !this.#task) return
    this.#job = (await this.#completion.lifecycle.start(this.#job, this.#task)) ?? this.#job
  }

  async #publishProgress(): Promise<void> {
    const { part, bucketed, number = 0, name = '' } = this.#task ?? {}
    this.#publishedPercent = this.#percent
    this.#publishedAt = Date.now()
    // Chunks, and tasks of large jobs, only count toward the job's progress when they have ended.
    if (!this.#job || part !== undefined || bucketed) return
    if (this.#job.status === 'queued') await this.#publishStart()
    const progress = { percent: this.#percent, stage: this.#stage, taskName: name }
    this.#job =
      (await this.#completion.lifecycle.publishProgress(
        this.#job,
        getProgressUnit(this.#job, number),
        progress,
      )) ?? this.#job
  }

  /** Stops the heartbeat and waits for the last update. */
  async stopHeartbeat(): Promise<void> {
    clearInterval(this.#heartbeatTimer)
    clearTimeout(this.#startTimer)
    await this.#pendingUpdate
  }

  #change(change: Change, writeMarker?: Record<string, unknown>): Promise<WriteResult<Task>> {
    const condition = { equal: { status: 'processing', leaseId: this.#id } }
    return this.#store.changeTask(this.#run.ref, change, { condition, ...defined({ writeMarker }) })
  }

  /** Stores the remaining work of a running task. @throws LeaseLostError if another worker has the task. */
  async saveRemaining(remainingWork: Pick<Task, 'pieces' | 'begun'>): Promise<void> {
    const { applied } = await this.#change({ set: { ...remainingWork, percent: this.#percent } })
    if (!applied) throw new LeaseLostError()
  }

  /** Hands the remaining work to another container image. Returns false if another worker has the task. */
  async handOver(doneWork: Pick<Task, 'pieces' | 'warnings'> & Partial<Task>): Promise<boolean> {
    await this.stopHeartbeat()
    const { applied, record } = await this.#change(
      {
        set: {
          ...doneWork,
          status: 'pending',
          attempt: 0,
          percent: this.#percent,
          workedMs: this.#workedMs,
          endedBy: this.#id,
        },
        remove: ['leaseId', 'leaseUntil', 'expandedBy', 'partCount', 'got', ...lostLeaseFields],
      },
      { endedBy: this.#id },
    )
    if (applied && record) await this.#completion.sendTask(record)
    return applied
  }

  /** Releases the task as if it had not been claimed. */
  async release(): Promise<void> {
    await this.stopHeartbeat()
    // When chunks are joined or another container image continues, attempts are counted from 1 again, but the start
    // time stays.
    const isFirst = this.#task?.startedAt === new Date(this.#claimedAt).toISOString()
    const { workedMs, expandedBy } = this.#task ?? {}
    await this.#change({
      set: { status: expandedBy === undefined ? 'pending' : 'processing', ...defined({ workedMs }) },
      setPlus: { attempt: ['attempt', -1] },
      remove: [
        'leaseId',
        'leaseUntil',
        ...(workedMs === undefined ? ['workedMs'] : []),
        ...(isFirst ? ['startedAt'] : []),
      ],
    })
  }

  /** Ends a failed attempt. Returns whether there will be another one. */
  async retry(): Promise<boolean> {
    if (this.#task && isLastAttempt(this.#task)) return false
    await this.stopHeartbeat()
    const status = this.#task?.expandedBy === undefined ? 'pending' : 'processing'
    await this.#change({ set: { status, workedMs: this.#workedMs }, remove: ['leaseId', 'leaseUntil'] })
    return true
  }

  /**
   * Stores and sends the chunks of the task, and releases the task. It is sent again when all of its chunks are
   * complete.
   */
  async splitIntoChunks(
    chunks: readonly Task[],
    remainingWork: Pick<Task, 'pieces' | 'warnings'>,
  ): Promise<boolean> {
    await this.stopHeartbeat()
    await this.#store.addChunks(chunks)
    const { applied } = await this.#change(
      {
        set: {
          open: new Set(chunks.map(({ part = 0 }) => part)),
          expandedBy: getChunkAttempt(chunks[0]?.part ?? 0),
          partCount: chunks.length,
          attempt: 0,
          stage: 'convert',
          ...remainingWork,
          percent: this.#percent,
          workedMs: this.#workedMs,
          endedBy: this.#id,
        },
        remove: ['leaseId', 'leaseUntil', 'got', ...lostLeaseFields],
      },
      { endedBy: this.#id },
    )
    if (!applied) await this.#store.deleteChunks(chunks)
    else if (this.#job) await this.#completion.sendTasks(chunks, createState(this.#job, []))
    return applied
  }

  /** Ends the task and updates the tasks that depend on it. Returns false if another worker has the task. */
  async finish(result: TaskResult): Promise<boolean> {
    await this.stopHeartbeat()
    const ranFields = this.#task?.part === undefined ? {} : { ranMs: this.#ranMs }
    const set = { ...result, ...ranFields, endedAt: new Date().toISOString(), endedBy: this.#id }
    const change: Change = { set, remove: ['leaseId', 'leaseUntil', 'pieces', 'begun', 'stage'] }
    const job = this.#getJobOfOnlyTask()
    const isQueued = this.#job?.status === 'queued'
    const [endResult] = await Promise.all([
      this.#change(change, { endedBy: this.#id }),
      isQueued && !job ? this.#publishStart() : undefined,
    ])
    // A repeated write may find that this lease ended the task earlier with a different status, which is kept.
    if (!endResult.applied || endResult.record?.status !== result.status) return false
    if (job && (await this.#endJob(job, endResult.record))) return true
    await this.#completion.completeTask(endResult.record, { isRepeat: false })
    return true
  }

  /** Returns the job if this is its only task, so that both end at the same time. */
  #getJobOfOnlyTask(): Job | undefined {
    const [job, task] = [this.#job, this.#task]
    const isOnlyTask =
      job?.fixed !== undefined && job.units === 1 && task !== undefined && task.part === undefined
    return isOnlyTask && (job.status === 'queued' || job.status === 'processing') ? job : undefined
  }

  /**
   * Ends a job after its only task, in one write. Returns false if the job was changed meanwhile. If this process dies
   * first, the redelivered message ends the job; a transaction of both writes would cost twice as much.
   */
  async #endJob(job: Job, endedTask: Task): Promise<boolean> {
    const isImport = await hasImportedFiles(endedTask)
    const fileSequences = isImport ? { [getFileSequenceName(endedTask.number)]: job.sequence + 1 } : {}
    const files = isImport ? getImportedFiles(endedTask).length : 0
    const state = createState(job, [endedTask])
    const isStarting = job.status === 'queued'
    const startedNumber = job.sequence + files + 1
    const sequence = isStarting ? startedNumber + 1 : startedNumber
    const numbers = {
      ...job.numbers,
      ...fileSequences,
      ...(isStarting && { started: startedNumber }),
      ended: sequence,
    }
    const { setPlus: _, ...end } = createJobEndChange(state, decideOutcome(state), this.#id)
    // The condition below requires that the job's sequence is unchanged.
    const jobChange = { ...end, set: { ...end.set, numbers, sequence } }
    const { applied, record } = await this.#store.changeJob(job.id, jobChange, {
      condition: { equal: { status: job.status, sequence: job.sequence } },
      writeMarker: { endedBy: this.#id },
    })
    if (!applied || !record) return false
    this.#hasEndedJob = true
    const endedState = createState(record, [endedTask])
    this.#log.info({ status: record.status }, 'job ended')
    const importEvents = isImport ? createImportedFileEvents(endedState.job, endedTask) : []
    const startEvents = isStarting ? [createStartedEvent(endedState)] : findUnpublishedEvents(endedState)
    const events = [...importEvents, ...startEvents, createEndEvent(endedState)]
    await this.#completion.lifecycle.publish(events.sort((a, b) => a.sequence - b.sequence))
    return true
  }
}

const createState = (job: Job, tasks: readonly Task[]): JobState => ({
  job,
  fixed: job.fixed ?? [],
  tasks,
  chunks: [],
})

/**
 * Fields about lost leases. They are removed when chunks or another container image continue, because attempts are then
 * counted from 1 again.
 */
const lostLeaseFields = ['uncounted', 'apart']

const leaseUntil = () => new Date(Date.now() + leaseDurationS * 1000).toISOString()
