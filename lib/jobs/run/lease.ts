import type { Change } from '../../aws/table-expressions.ts'
import type { Log } from '../../log.ts'
import { endEvent, importedFileEvents, startedEvent, unpublishedEvents } from '../events.ts'
import type { Job, JobState, Task } from '../job.ts'
import { jobEndChange } from '../job-end.ts'
import { decideOutcome, joinStartPercent, maxAttempts, percentOfTask } from '../job-state-machine.ts'
import { progressUnitOf, taskRefOf, type WriteResult } from '../store.ts'
import { hasImportedFiles, type TaskCompletion } from '../task-completion.ts'
import { attemptOfChunk } from '../task-graph.ts'
import { checkStraggler } from './stragglers.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds that a claim holds without a sign of life. */
const leaseDurationS = 15
/** A cancelled job's engine is stopped within this time. */
const heartbeatIntervalMs = 3000
/** A task that is over sooner tells of its start with its end. */
const startEventDelayMs = 300
/** Progress is told at most this often, and not for less than these points. */
const minProgressIntervalMs = 500
const minProgressPoints = 5
const smallProgressIntervalMs = 2000

/** The task belongs to somebody else by now, or the job is over. */
export class LeaseLost extends Error {}

/** How a task ends that a worker had. */
export type TaskResult = Pick<Task, 'status'> & Partial<Task>

/**
 * One worker's hold on a task: claimed once, kept by heartbeats, given back in one of four ways. A heartbeat writes
 * the task alone; what the job shows of it is written when there is something to tell.
 */
export class Lease {
  readonly #run: TaskRun
  readonly #id: string
  readonly #log: Log
  readonly #completion: TaskCompletion
  #task: Task | undefined
  #job: Job | undefined
  #claimedAt = Date.now()
  #percent = 0
  #stage = 'convert'
  #publishedPercent = 0
  #publishedAt = Date.now()
  #pendingUpdate: Promise<void> | undefined
  #heartbeatTimer: NodeJS.Timeout | undefined
  #startTimer: NodeJS.Timeout | undefined
  #onLost = () => {}

  constructor(run: TaskRun, id: string, log: Log) {
    this.#run = run
    this.#id = id
    this.#log = log
    this.#completion = run.services.jobs.completion
  }

  get #store() {
    return this.#run.services.jobs.store
  }

  /** Takes the task unless somebody has it, it has to wait or is over; the answer shows it either way. */
  async claim(): Promise<WriteResult<Task>> {
    const now = new Date()
    this.#claimedAt = now.getTime()
    const claimed = await this.#store.changeTask(
      this.#run.ref,
      {
        set: { status: 'processing', leaseId: this.#id, leaseUntil: leaseUntil() },
        setOnce: { startedAt: now.toISOString() },
        setPlus: { attempt: ['attempt', 1] },
      },
      {
        condition: {
          either: [
            { equal: { status: 'pending' }, absent: ['open', 'lost'] },
            { equal: { status: 'processing' }, until: { leaseUntil: now.toISOString() } },
            { equal: { status: 'processing' }, absent: ['leaseId', 'open', 'lost'], present: ['expandedBy'] },
          ],
        },
        mark: { leaseId: this.#id },
      },
    )
    this.#task = claimed.record
    this.#percent = claimed.record ? percentOfTask(claimed.record) : 0
    return claimed
  }

  /** Begins to show signs of life. */
  startHeartbeat(job: Job, onLost: () => void): void {
    this.#job = job
    this.#onLost = onLost
    this.#heartbeatTimer = setInterval(
      () => this.#runUpdate(() => this.#sendHeartbeat()),
      heartbeatIntervalMs,
    )
    // A part that dies at once is not to wait as long as a message that nobody has received.
    if (this.#task?.part !== undefined) this.#runUpdate(() => this.#run.extendVisibility(leaseDurationS + 1))
    if (job.status === 'queued')
      this.#startTimer = setTimeout(() => this.#runUpdate(() => this.#publishStart()), startEventDelayMs)
  }

  /** Percent of the task and a word for what happens. */
  reportProgress(percent: number, stage: string): void {
    const isJoin = this.#task?.expandedBy !== undefined
    const shown = isJoin ? joinStartPercent + (percent * (100 - joinStartPercent)) / 100 : percent
    // Another attempt starts from nothing, yet what was shown once does not fall.
    this.#percent = Math.max(this.#percent, Math.min(99, Math.floor(shown)))
    this.#stage = stage
    const elapsedMs = Date.now() - this.#publishedAt
    const gained = this.#percent - this.#publishedPercent
    if (
      (gained >= minProgressPoints && elapsedMs >= minProgressIntervalMs) ||
      (gained >= 1 && elapsedMs >= smallProgressIntervalMs)
    )
      this.#runUpdate(() => this.#publishProgress())
  }

  /** One at a time; what fails is made up by the next, or the lease ends and another worker takes over. */
  #runUpdate(update: () => Promise<void>): void {
    this.#pendingUpdate ??= update()
      .catch((error) => this.#log.warn({ error }, 'heartbeat failed'))
      .finally(() => {
        this.#pendingUpdate = undefined
      })
  }

  async #sendHeartbeat(): Promise<void> {
    const [kept] = await Promise.all([
      this.#change({ set: { leaseUntil: leaseUntil(), percent: this.#percent, stage: this.#stage } }),
      this.#run.extendVisibility(leaseDurationS + 1),
    ])
    if (!kept.applied || !(await this.#isStillNeeded())) this.#onLost()
  }

  /** Of a part, which gets a twin when it takes too long. */
  async #isStillNeeded(): Promise<boolean> {
    if (!this.#job || this.#task?.part === undefined) return true
    return checkStraggler({ chunk: this.#task, job: this.#job, ranMs: this.#ranMs }, this.#run, this.#log)
  }

  get #ranMs(): number {
    return Math.max(0, Date.now() - this.#claimedAt)
  }

  async #publishStart(): Promise<void> {
    if (!this.#job || !this.#task) return
    this.#job = (await this.#completion.lifecycle.start(this.#job, this.#task)) ?? this.#job
  }

  async #publishProgress(): Promise<void> {
    const { part, bucketed, number = 0, name = '' } = this.#task ?? {}
    this.#publishedPercent = this.#percent
    this.#publishedAt = Date.now()
    // What a part or one of hundreds has done is seen when it is over.
    if (!this.#job || part !== undefined || bucketed) return
    if (this.#job.status === 'queued') await this.#publishStart()
    const progress = { percent: this.#percent, stage: this.#stage, taskName: name }
    this.#job =
      (await this.#completion.lifecycle.publishProgress(
        this.#job,
        progressUnitOf(this.#job, number),
        progress,
      )) ?? this.#job
  }

  /** Stops the signs of life, the last of which is on its way. */
  async stopHeartbeat(): Promise<void> {
    clearInterval(this.#heartbeatTimer)
    clearTimeout(this.#startTimer)
    await this.#pendingUpdate
  }

  #change(change: Change, mark?: Record<string, unknown>): Promise<WriteResult<Task>> {
    const condition = { equal: { status: 'processing', leaseId: this.#id } }
    return this.#store.changeTask(this.#run.ref, change, { condition, ...(mark && { mark }) })
  }

  /** Keeps what is left while it goes on. @throws LeaseLost when the task is somebody else's by now. */
  async saveRemaining(remaining: Pick<Task, 'pieces' | 'begun'>): Promise<void> {
    const { applied } = await this.#change({ set: { ...remaining, percent: this.#percent } })
    if (!applied) throw new LeaseLost()
  }

  /** Another image goes on with what is left. False when the task is somebody else's by now; so everywhere below. */
  async handOver(done: Pick<Task, 'pieces' | 'warnings'> & Partial<Task>): Promise<boolean> {
    await this.stopHeartbeat()
    const { applied, record } = await this.#change(
      {
        set: { ...done, status: 'pending', attempt: 0, percent: this.#percent, endedBy: this.#id },
        remove: ['leaseId', 'leaseUntil', 'expandedBy', 'partCount', 'got'],
      },
      { endedBy: this.#id },
    )
    if (applied && record) await this.#completion.sendTask(record)
    return applied
  }

  /** Gives the task back as if it had not been taken. */
  async release(): Promise<void> {
    await this.stopHeartbeat()
    // Attempts are counted anew where parts are joined or another image goes on, the time of a task is not.
    const isFirst = this.#task?.startedAt === new Date(this.#claimedAt).toISOString()
    await this.#change({
      set: { status: this.#task?.expandedBy === undefined ? 'pending' : 'processing' },
      setPlus: { attempt: ['attempt', -1] },
      remove: ['leaseId', 'leaseUntil', ...(isFirst ? ['startedAt'] : [])],
    })
  }

  /** An attempt is over that may be made up for; true when there is another. */
  async retry(): Promise<boolean> {
    if ((this.#task?.attempt ?? 0) >= maxAttempts) return false
    await this.stopHeartbeat()
    const status = this.#task?.expandedBy === undefined ? 'pending' : 'processing'
    await this.#change({ set: { status }, remove: ['leaseId', 'leaseUntil'] })
    return true
  }

  /** Parts go on in its place; it comes back when they are over. */
  async splitIntoChunks(
    chunks: readonly Task[],
    remaining: Pick<Task, 'pieces' | 'warnings'>,
  ): Promise<boolean> {
    await this.stopHeartbeat()
    await this.#store.addChunks(chunks)
    const { applied } = await this.#change(
      {
        set: {
          open: new Set(chunks.map(({ part = 0 }) => part)),
          ...{
            expandedBy: attemptOfChunk(chunks[0]?.part ?? 0),
            partCount: chunks.length,
            attempt: 0,
            stage: 'convert',
          },
          ...{ ...remaining, percent: this.#percent, endedBy: this.#id },
        },
        remove: ['leaseId', 'leaseUntil', 'got'],
      },
      { endedBy: this.#id },
    )
    if (!applied) await this.#store.deleteChunks(chunks)
    else if (this.#job) await this.#completion.sendTasks(chunks, stateOf(this.#job, []))
    return applied
  }

  /** The task is over, and whoever waits for it hears of it. */
  async finish(result: TaskResult): Promise<boolean> {
    await this.stopHeartbeat()
    const ranFields = this.#task?.part === undefined ? {} : { ranMs: this.#ranMs }
    const set = { ...result, ...ranFields, endedAt: new Date().toISOString(), endedBy: this.#id }
    const change: Change = { set, remove: ['leaseId', 'leaseUntil', 'pieces', 'begun', 'stage'] }
    if (await this.#finishWithJob(change)) return true
    const isQueued = this.#job?.status === 'queued'
    const [ended] = await Promise.all([
      this.#change(change, { endedBy: this.#id }),
      isQueued ? this.#publishStart() : undefined,
    ])
    // One that ended otherwise keeps its end, though it was this lease that stored it.
    if (!ended.applied || ended.record?.status !== result.status) return false
    await this.#completion.completeTask(ended.record, { isRepeat: false })
    return true
  }

  /** The only task of a job ends with it in one write, as long as nobody else has changed the job. */
  async #finishWithJob(change: Change): Promise<boolean> {
    const [job, task] = [this.#job, this.#task]
    if (!job?.fixed || !task || job.units !== 1 || task.part !== undefined) return false
    if (job.status !== 'queued' && job.status !== 'processing') return false
    const ended: Task = { ...task, ...change.set }
    const state = stateOf(job, [ended])
    const jobChange = jobEndChange(state, decideOutcome(state), this.#id)
    const isStarting = job.status === 'queued'
    const sequence = job.sequence + (isStarting ? 2 : 1)
    const startNumbers = isStarting ? { started: job.sequence + 1 } : {}
    const numbers = { ...job.numbers, ...startNumbers, ended: sequence }
    const endedState = stateOf({ ...job, ...jobChange.set, numbers, sequence }, [ended])
    const isDone = await this.#store.endTaskAndJob(
      taskRefOf(task),
      { change, condition: { equal: { status: 'processing', leaseId: this.#id } } },
      { change: jobChange, condition: { equal: { status: job.status, sequence: job.sequence } } },
      endedState.job,
    )
    if (!isDone) return false
    this.#log.info({ status: endedState.job.status }, 'job ended')
    const importEvents = (await hasImportedFiles(ended)) ? importedFileEvents(job, ended) : []
    const startEvents = isStarting ? [startedEvent(endedState)] : unpublishedEvents(endedState)
    await this.#completion.lifecycle.publish([...importEvents, ...startEvents, endEvent(endedState)])
    return true
  }
}

const stateOf = (job: Job, tasks: readonly Task[]): JobState => ({
  job,
  fixed: job.fixed ?? [],
  tasks,
  chunks: [],
})

const leaseUntil = () => new Date(Date.now() + leaseDurationS * 1000).toISOString()
