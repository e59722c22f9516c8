import { randomUUID } from 'node:crypto'
import type { BusEvent } from '../../events/index.ts'
import type { Bus } from '../aws/bus.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { Log } from '../log.ts'
import { eachOf } from '../map-concurrently.ts'
import { type ListenersOf, withListeners } from '../subscribers.ts'
import { progressEvent, startedEvent, unpublishedEventsOfEndedJob } from './events.ts'
import { isLiveStatus, isTaskOver, type Job, type JobState, type Task } from './job.ts'
import { jobEndChange } from './job-end.ts'
import { decideOutcome, percentOf } from './job-state-machine.ts'
import { type JobStore, taskRefOf } from './store.ts'

export interface JobLifecycleDeps {
  readonly store: JobStore
  readonly bus: Bus
  readonly log: Log
  /** Who wants to hear of the jobs of an owner. */
  readonly getSubscribers: (owner: string) => Promise<ListenersOf>
  /** A message comes again if this process dies before all that it has to tell is out. */
  readonly isRedelivered: boolean
}

/** The course of a job as a whole: that it starts, how far it is, how it ends; each is stored, and then told. */
export class JobLifecycle {
  readonly #store: JobStore
  readonly #bus: Bus
  readonly #log: Log
  readonly #getSubscribers: JobLifecycleDeps['getSubscribers']
  readonly #isRedelivered: boolean
  /** Moments of the facts that this process has published, by job and name. */
  readonly #publishedAt = new BoundedMap<string>(maxRemembered)
  /** When this process last told of the progress of a job of many tasks or parts. */
  readonly #progressAt = new BoundedMap<number>(maxRemembered)

  constructor({ store, bus, log, getSubscribers, isRedelivered }: JobLifecycleDeps) {
    this.#getSubscribers = getSubscribers
    this.#store = store
    this.#bus = bus
    this.#log = log
    this.#isRedelivered = isRedelivered
  }

  async publish(events: readonly BusEvent[]): Promise<void> {
    const [first] = events
    if (!first) return
    // They are of one job, or of one file.
    const subscribers = await this.#getSubscribers(first.owner)
    await this.#bus.publish(events.map((event) => withListeners(event, subscribers)))
  }

  /** Remembers that a fact is out, so that the next write of the job's record drops it. */
  #rememberPublished(jobId: string, name: string, at: string): void {
    this.#publishedAt.set(`${jobId} ${name}`, at)
  }

  /** Of these facts those that this process has published, and forgets now: their place in the log may be given up. */
  forgetPublished(jobId: string, names: readonly string[]): string[] {
    return names.filter((name) => this.#publishedAt.delete(`${jobId} ${name}`))
  }

  /** Progress of a large job is that of its buckets, and of a task that has split that of its parts. */
  async publishUnitProgress(task: Task, unit: number, percent: number): Promise<void> {
    const { jobId } = task
    const now = Date.now()
    if (now - (this.#progressAt.get(jobId) ?? 0) < minProgressIntervalMs) return
    this.#progressAt.set(jobId, now)
    const job = await this.#store.getJob(jobId)
    // Of all processes that work on it one tells at a time.
    const publishedTimes = Object.values(job?.log ?? {}).map(({ at }) => Date.parse(at))
    if (job && now - Math.max(0, ...publishedTimes) >= minProgressIntervalMs)
      await this.publishProgress(job, unit, { percent, stage: 'convert', taskName: task.name })
  }

  /** The first task of a job is under way. */
  async start(job: Job, task: Pick<Task, 'number' | 'name'>): Promise<Job | undefined> {
    const at = new Date().toISOString()
    const { applied, record } = await this.#store.changeJob(
      job.id,
      {
        set: {
          status: 'processing',
          ...{ startedAt: at, startedWith: task.number, stage: 'convert', taskName: task.name },
          'log.started': { at },
        },
        setPlus: { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] },
      },
      { condition: { equal: { status: 'queued' } }, mark: { startedAt: at, startedWith: task.number } },
    )
    if (!applied || !record) return record
    const state = await this.#store.getState(job.id)
    // What was deleted meanwhile is told of from its beginning to its end by whoever deletes it.
    if (state) await this.publish([startedEvent(state)])
    this.#rememberPublished(job.id, 'started', at)
    return record
  }

  /** Tells how far a job is; undefined when somebody has told more already, or it is over. */
  async publishProgress(
    job: Job,
    unit: number,
    { percent, stage, taskName }: { percent: number; stage: string; taskName: string },
  ): Promise<Job | undefined> {
    const before = job.running[unit] ?? 0
    const unitPercent = Math.max(before, Math.floor(Math.min(99, percent)))
    const toldPercent = percentOf({ ...job, running: { ...job.running, [unit]: unitPercent } })
    if (toldPercent <= (job.toldPercent ?? 0) && before > 0) return undefined
    const fact = { at: new Date().toISOString(), percent: toldPercent, stage, taskName }
    const name = String(unit)
    const earlier = job.log[name]
    // It is about to be replaced, and whoever stored it may not have come to tell it.
    if (earlier && this.#publishedAt.get(`${job.id} ${name}`) !== earlier.at)
      await this.publish([progressEvent(job, name, earlier)])
    const { applied, record } = await this.#store.changeJob(
      job.id,
      {
        set: { [`running.${unit}`]: unitPercent, toldPercent, stage, taskName, [`log.${name}`]: fact },
        setPlus: { [`numbers.${name}`]: ['sequence', 1], sequence: ['sequence', 1] },
      },
      {
        condition: {
          equal: { status: 'processing', ...(earlier && { [`log.${name}.at`]: earlier.at }) },
          absent: earlier ? [] : [`log.${name}`],
          below: { toldPercent },
        },
      },
    )
    // An answer that was lost, where nothing was applied: the fact is ours, or of somebody else in the same moment.
    const stored = record?.log[name]
    const isOurs = applied || stored?.at === fact.at
    if (!isOurs || !record || !stored) return record
    await this.publish([progressEvent(record, name, stored)])
    this.#rememberPublished(job.id, name, fact.at)
    return record
  }

  /** Publishes how a job ended, once more. */
  async republishEnd(jobId: string): Promise<void> {
    const state = await this.#store.getState(jobId)
    if (state?.job.endedAt && state.job.status !== 'expired') await this.#publishEnd(state)
  }

  /** Tasks that a job has left behind end first, so that what is told of them stays so. */
  async #publishEnd(state: JobState): Promise<void> {
    const over = await this.endAllTasks(state)
    await this.publish(unpublishedEventsOfEndedJob(over))
    if (over.job.unsaid) await this.#markEndPublished(over.job)
  }

  /** The job with every task of it over. */
  async endAllTasks(state: JobState): Promise<JobState> {
    if ([...state.tasks, ...state.chunks].every(isTaskOver)) return state
    await this.cancelTasks(state)
    return (await this.#store.getState(state.job.id)) ?? state
  }

  /** All of its end is out: nobody need look before its retention is over. */
  async #markEndPublished({ id, status, expiresAt }: Job): Promise<void> {
    await this.#store.changeJob(
      id,
      { set: { wakeAt: expiresAt }, remove: ['unsaid'] },
      { condition: { equal: { status }, absent: ['deletedAt'] } },
    )
  }

  /** Ends a job whose tasks are over, or that needs no more of them; whoever comes later finds it ended. */
  async finish(jobId: string): Promise<void> {
    for (let attempt = 1; attempt <= maxFinishAttempts; attempt++) {
      const state = await this.#store.getState(jobId)
      if (!state || !isLiveStatus(state.job.status)) return
      const endedBy = randomUUID()
      const end = jobEndChange(state, decideOutcome(state), endedBy)
      const wakeAt = new Date(Date.now() + republishAfterS * 1000).toISOString()
      const change = this.#isRedelivered ? end : { ...end, set: { ...end.set, unsaid: true, wakeAt } }
      // Whether the end has to tell of the start as well depends on it.
      const condition = { equal: { status: state.job.status } }
      const { applied, record } = await this.#store.changeJob(jobId, change, { condition, mark: { endedBy } })
      if (!applied || !record) continue
      this.#log.info({ jobId, status: record.status }, 'job ended')
      await this.#publishEnd({ ...state, job: record })
      return
    }
    throw new Error(`others changed the job ${jobId} ${maxFinishAttempts} times while it was to end`)
  }

  /** What is not over goes no further; workers hear of it by their next sign of life. */
  async cancelTasks({ tasks, chunks }: Pick<JobState, 'tasks' | 'chunks'>): Promise<void> {
    const endedAt = new Date().toISOString()
    const left = [...tasks, ...chunks].filter((task) => !isTaskOver(task))
    await eachOf(left, maxConcurrentTasks, async (task) => {
      await this.#store.changeTask(
        taskRefOf(task),
        { set: { status: 'cancelled', endedAt, endedBy: 'cancel' }, remove: ['leaseId', 'leaseUntil'] },
        { condition: { oneOf: { status: ['pending', 'processing'] } } },
      )
    })
  }
}

/** Seconds after which what nobody is known to have told is told by the sweep. */
export const republishAfterS = 15
const minProgressIntervalMs = 2000
const maxRemembered = 1000
const maxConcurrentTasks = 16
const maxFinishAttempts = 20
