import type { Change } from '../../aws/table-expressions.ts'
import type { Log } from '../../log.ts'
import { endEvent, importedFileEvents, startedEvent, unpublishedEvents } from '../events.ts'
import type { Job, JobState, Task } from '../job.ts'
import { jobEndChange } from '../job-end.ts'
import { joinStartPercent, maxAttempts, decideOutcome, percentOfTask } from '../job-state-machine.ts'
import { taskRefOf, progressUnitOf, type WriteResult } from '../store.ts'
import { hasImportedFiles, type TaskCompletion } from '../task-completion.ts'
import { attemptOfChunk } from '../task-graph.ts'
import { lookAfterPart } from './stragglers.ts'
import type { TaskRun } from './task-run.ts'

/** Seconds that a claim holds without a sign of life. */
const leaseS = 15
/** A cancelled job's engine is stopped within this time. */
const beatMs = 3000
/** A task that is over sooner tells of its start with its end. */
const startAfterMs = 300
/** Progress is told at most this often, and not for less than these points. */
const tellMs = 500
const tellPoints = 5
const quietMs = 2000

/** The task belongs to somebody else by now, or the job is over. */
export class LeaseLost extends Error {}

/** How a task ends that a worker had. */
export type TaskEnd = Pick<Task, 'status'> & Partial<Task>

/**
 * One worker's hold on a task: claimed once, kept by heartbeats, given back in one of four ways. A heartbeat writes
 * the task alone; what the job shows of it is written when there is something to tell.
 */
export class Lease {
  readonly #run: TaskRun
  readonly #id: string
  readonly #log: Log
  readonly #settlement: TaskCompletion
  #task: Task | undefined
  #job: Job | undefined
  #claimedAt = Date.now()
  #percent = 0
  #stage = 'convert'
  #toldPercent = 0
  #toldAt = Date.now()
  #telling: Promise<void> | undefined
  #heart: NodeJS.Timeout | undefined
  #start: NodeJS.Timeout | undefined
  #onLost = () => {}

  constructor(run: TaskRun, id: string, log: Log) {
    this.#run = run
    this.#id = id
    this.#log = log
    this.#settlement = run.services.jobs.completion
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
  keep(job: Job, onLost: () => void): void {
    this.#job = job
    this.#onLost = onLost
    this.#heart = setInterval(() => this.#tell(() => this.#beat()), beatMs)
    // A part that dies at once is not to wait as long as a message that nobody has received.
    if (this.#task?.part !== undefined) this.#tell(() => this.#run.extendVisibility(leaseS + 1))
    if (job.status === 'queued')
      this.#start = setTimeout(() => this.#tell(() => this.#tellStart()), startAfterMs)
  }

  /** Percent of the task and a word for what happens. */
  progress(percent: number, stage: string): void {
    const isJoin = this.#task?.expandedBy !== undefined
    const shown = isJoin ? joinStartPercent + (percent * (100 - joinStartPercent)) / 100 : percent
    // Another attempt starts from nothing, yet what was shown once does not fall.
    this.#percent = Math.max(this.#percent, Math.min(99, Math.floor(shown)))
    this.#stage = stage
    const sinceMs = Date.now() - this.#toldAt
    const gained = this.#percent - this.#toldPercent
    if ((gained >= tellPoints && sinceMs >= tellMs) || (gained >= 1 && sinceMs >= quietMs))
      this.#tell(() => this.#tellProgress())
  }

  /** One at a time; what fails is made up by the next, or the lease ends and another worker takes over. */
  #tell(news: () => Promise<void>): void {
    this.#telling ??= news()
      .catch((error) => this.#log.warn({ error }, 'heartbeat failed'))
      .finally(() => {
        this.#telling = undefined
      })
  }

  async #beat(): Promise<void> {
    const [kept] = await Promise.all([
      this.#change({ set: { leaseUntil: leaseUntil(), percent: this.#percent, stage: this.#stage } }),
      this.#run.extendVisibility(leaseS + 1),
    ])
    if (!kept.applied || !(await this.#isToBeMade())) this.#onLost()
  }

  /** Of a part, which gets a twin when it takes too long. */
  async #isToBeMade(): Promise<boolean> {
    if (!this.#job || this.#task?.part === undefined) return true
    return lookAfterPart({ part: this.#task, job: this.#job, ranMs: this.#ranMs }, this.#run, this.#log)
  }

  get #ranMs(): number {
    return Math.max(0, Date.now() - this.#claimedAt)
  }

  async #tellStart(): Promise<void> {
    if (!this.#job || !this.#task) return
    this.#job = (await this.#settlement.lifecycle.start(this.#job, this.#task)) ?? this.#job
  }

  async #tellProgress(): Promise<void> {
    const { part, bucketed, number = 0, name = '' } = this.#task ?? {}
    this.#toldPercent = this.#percent
    this.#toldAt = Date.now()
    // What a part or one of hundreds has done is seen when it is over.
    if (!this.#job || part !== undefined || bucketed) return
    if (this.#job.status === 'queued') await this.#tellStart()
    const news = { percent: this.#percent, stage: this.#stage, taskName: name }
    this.#job =
      (await this.#settlement.lifecycle.publishProgress(this.#job, progressUnitOf(this.#job, number), news)) ?? this.#job
  }

  /** Stops the signs of life, the last of which is on its way. */
  async end(): Promise<void> {
    clearInterval(this.#heart)
    clearTimeout(this.#start)
    await this.#telling
  }

  #change(change: Change, mark?: Record<string, unknown>): Promise<WriteResult<Task>> {
    const condition = { equal: { status: 'processing', leaseId: this.#id } }
    return this.#store.changeTask(this.#run.ref, change, { condition, ...(mark && { mark }) })
  }

  /** Keeps what is left while it goes on. @throws LeaseLost when the task is somebody else's by now. */
  async note(left: Pick<Task, 'pieces' | 'begun'>): Promise<void> {
    const { applied } = await this.#change({ set: { ...left, percent: this.#percent } })
    if (!applied) throw new LeaseLost()
  }

  /** Another image goes on with what is left. False when the task is somebody else's by now; so everywhere below. */
  async handOver(done: Pick<Task, 'pieces' | 'warnings'> & Partial<Task>): Promise<boolean> {
    await this.end()
    const { applied, record } = await this.#change(
      {
        set: { ...done, status: 'pending', attempt: 0, percent: this.#percent, endedBy: this.#id },
        remove: ['leaseId', 'leaseUntil', 'expandedBy', 'partCount', 'got'],
      },
      { endedBy: this.#id },
    )
    if (applied && record) await this.#settlement.sendTask(record)
    return applied
  }

  /** Gives the task back as if it had not been taken. */
  async release(): Promise<void> {
    await this.end()
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
    await this.end()
    const status = this.#task?.expandedBy === undefined ? 'pending' : 'processing'
    await this.#change({ set: { status }, remove: ['leaseId', 'leaseUntil'] })
    return true
  }

  /** Parts go on in its place; it comes back when they are over. */
  async expand(parts: readonly Task[], left: Pick<Task, 'pieces' | 'warnings'>): Promise<boolean> {
    await this.end()
    await this.#store.addChunks(parts)
    const { applied } = await this.#change(
      {
        set: {
          open: new Set(parts.map(({ part = 0 }) => part)),
          ...{
            expandedBy: attemptOfChunk(parts[0]?.part ?? 0),
            partCount: parts.length,
            attempt: 0,
            stage: 'convert',
          },
          ...{ ...left, percent: this.#percent, endedBy: this.#id },
        },
        remove: ['leaseId', 'leaseUntil', 'got'],
      },
      { endedBy: this.#id },
    )
    if (!applied) await this.#store.deleteChunks(parts)
    else if (this.#job) await this.#settlement.sendTasks(parts, stateOf(this.#job, []))
    return applied
  }

  /** The task is over, and whoever waits for it hears of it. */
  async finish(end: TaskEnd): Promise<boolean> {
    await this.end()
    const ran = this.#task?.part === undefined ? {} : { ranMs: this.#ranMs }
    const set = { ...end, ...ran, endedAt: new Date().toISOString(), endedBy: this.#id }
    const change: Change = { set, remove: ['leaseId', 'leaseUntil', 'pieces', 'begun', 'stage'] }
    if (await this.#endWithJob(change)) return true
    const mayStart = this.#job?.status === 'queued'
    const [ended] = await Promise.all([
      this.#change(change, { endedBy: this.#id }),
      mayStart ? this.#tellStart() : undefined,
    ])
    // One that ended otherwise keeps its end, though it was this lease that stored it.
    if (!ended.applied || ended.record?.status !== end.status) return false
    await this.#settlement.completeTask(ended.record, { isRepeat: false })
    return true
  }

  /** The only task of a job ends with it in one write, as long as nobody else has changed the job. */
  async #endWithJob(change: Change): Promise<boolean> {
    const [job, task] = [this.#job, this.#task]
    if (!job?.fixed || !task || job.units !== 1 || task.part !== undefined) return false
    if (job.status !== 'queued' && job.status !== 'processing') return false
    const ended: Task = { ...task, ...change.set }
    const state = stateOf(job, [ended])
    const jobChange = jobEndChange(state, decideOutcome(state), this.#id)
    const isStarting = job.status === 'queued'
    const sequence = job.sequence + (isStarting ? 2 : 1)
    const first = isStarting ? { started: job.sequence + 1 } : {}
    const numbers = { ...job.numbers, ...first, ended: sequence }
    const over = stateOf({ ...job, ...jobChange.set, numbers, sequence }, [ended])
    const isDone = await this.#store.endTaskAndJob(
      taskRefOf(task),
      { change, condition: { equal: { status: 'processing', leaseId: this.#id } } },
      { change: jobChange, condition: { equal: { status: job.status, sequence: job.sequence } } },
      over.job,
    )
    if (!isDone) return false
    this.#log.info({ status: over.job.status }, 'job ended')
    const arrived = (await hasImportedFiles(ended)) ? importedFileEvents(job, ended) : []
    const begun = isStarting ? [startedEvent(over)] : unpublishedEvents(over)
    await this.#settlement.lifecycle.publish([...arrived, ...begun, endEvent(over)])
    return true
  }
}

const stateOf = (job: Job, tasks: readonly Task[]): JobState => ({
  job,
  fixed: job.fixed ?? [],
  tasks,
  chunks: [],
})

const leaseUntil = () => new Date(Date.now() + leaseS * 1000).toISOString()
