import { randomUUID } from 'node:crypto'
import type { BusEvent } from '../../events/index.ts'
import type { Bus } from '../aws/bus.ts'
import { BoundedMap } from '../bounded-map.ts'
import type { Log } from '../log.ts'
import { eachOf } from '../map-concurrently.ts'
import { type ListenersOf, withListeners } from '../subscribers.ts'
import { progress, started, untold } from './events.ts'
import { isLive, isOver, type Job, type JobState, type Task } from './job.ts'
import { endOfJob } from './job-end.ts'
import { outcomeOf, percentOf } from './job-state-machine.ts'
import { type JobStore, refOf } from './store.ts'

export interface CourseParts {
  readonly store: JobStore
  readonly bus: Bus
  readonly log: Log
  /** Who wants to hear of the jobs of an owner. */
  readonly listenersOf: (owner: string) => Promise<ListenersOf>
  /** A message comes again if this process dies before all that it has to tell is out. */
  readonly isGuarded: boolean
}

/** The course of a job as a whole: that it starts, how far it is, how it ends; each is stored, and then told. */
export class Course {
  readonly #store: JobStore
  readonly #bus: Bus
  readonly #log: Log
  readonly #listenersOf: CourseParts['listenersOf']
  readonly #isGuarded: boolean
  /** Moments of the facts that this process has published, by job and name. */
  readonly #told = new BoundedMap<string>(mostRemembered)
  /** When this process last told of the progress of a job of many tasks or parts. */
  readonly #toldAt = new BoundedMap<number>(mostRemembered)

  constructor({ store, bus, log, listenersOf, isGuarded }: CourseParts) {
    this.#listenersOf = listenersOf
    this.#store = store
    this.#bus = bus
    this.#log = log
    this.#isGuarded = isGuarded
  }

  async publish(events: readonly BusEvent[]): Promise<void> {
    const [first] = events
    if (!first) return
    // They are of one job, or of one file.
    const found = await this.#listenersOf(first.owner)
    await this.#bus.publish(events.map((event) => withListeners(event, found)))
  }

  /** Remembers that a fact is out, so that the next write of the job's record drops it. */
  #remember(jobId: string, name: string, at: string): void {
    this.#told.set(`${jobId} ${name}`, at)
  }

  /** Of these facts those that this process has published, and forgets now: their place in the log may be given up. */
  forget(jobId: string, names: readonly string[]): string[] {
    return names.filter((name) => this.#told.delete(`${jobId} ${name}`))
  }

  /** Progress of a large job is that of its buckets, and of a task that has split that of its parts. */
  async tellShare(task: Task, unit: number, percent: number): Promise<void> {
    const { jobId } = task
    const now = Date.now()
    if (now - (this.#toldAt.get(jobId) ?? 0) < tellEveryMs) return
    this.#toldAt.set(jobId, now)
    const job = await this.#store.job(jobId)
    // Of all processes that work on it one tells at a time.
    const told = Object.values(job?.log ?? {}).map(({ at }) => Date.parse(at))
    if (job && now - Math.max(0, ...told) >= tellEveryMs)
      await this.progress(job, unit, { percent, stage: 'convert', taskName: task.name })
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
    const state = await this.#store.whole(job.id)
    // What was deleted meanwhile is told of from its beginning to its end by whoever deletes it.
    if (state) await this.publish([started(state)])
    this.#remember(job.id, 'started', at)
    return record
  }

  /** Tells how far a job is; undefined when somebody has told more already, or it is over. */
  async progress(
    job: Job,
    unit: number,
    { percent, stage, taskName }: { percent: number; stage: string; taskName: string },
  ): Promise<Job | undefined> {
    const before = job.running[unit] ?? 0
    const share = Math.max(before, Math.floor(Math.min(99, percent)))
    const toldPercent = percentOf({ ...job, running: { ...job.running, [unit]: share } })
    if (toldPercent <= (job.toldPercent ?? 0) && before > 0) return undefined
    const fact = { at: new Date().toISOString(), percent: toldPercent, stage, taskName }
    const name = String(unit)
    const told = job.log[name]
    // It is about to be replaced, and whoever stored it may not have come to tell it.
    if (told && this.#told.get(`${job.id} ${name}`) !== told.at)
      await this.publish([progress(job, name, told)])
    const { applied, record } = await this.#store.changeJob(
      job.id,
      {
        set: { [`running.${unit}`]: share, toldPercent, stage, taskName, [`log.${name}`]: fact },
        setPlus: { [`numbers.${name}`]: ['sequence', 1], sequence: ['sequence', 1] },
      },
      {
        condition: {
          equal: { status: 'processing', ...(told && { [`log.${name}.at`]: told.at }) },
          absent: told ? [] : [`log.${name}`],
          below: { toldPercent },
        },
      },
    )
    // An answer that was lost, where nothing was applied: the fact is ours, or of somebody else in the same moment.
    const stored = record?.log[name]
    const isOurs = applied || stored?.at === fact.at
    if (!isOurs || !record || !stored) return record
    await this.publish([progress(record, name, stored)])
    this.#remember(job.id, name, fact.at)
    return record
  }

  /** Publishes how a job ended, once more. */
  async tellEnd(jobId: string): Promise<void> {
    const state = await this.#store.whole(jobId)
    if (state?.job.endedAt && state.job.status !== 'expired') await this.#publishEnd(state)
  }

  /** Tasks that a job has left behind end first, so that what is told of them stays so. */
  async #publishEnd(state: JobState): Promise<void> {
    const over = await this.allOver(state)
    await this.publish(untold(over))
    if (over.job.unsaid) await this.#confirm(over.job)
  }

  /** The job with every task of it over. */
  async allOver(state: JobState): Promise<JobState> {
    if ([...state.tasks, ...state.parts].every(isOver)) return state
    await this.cancelTasks(state)
    return (await this.#store.whole(state.job.id)) ?? state
  }

  /** All of its end is out: nobody need look before its retention is over. */
  async #confirm({ id, status, expiresAt }: Job): Promise<void> {
    await this.#store.changeJob(
      id,
      { set: { wakeAt: expiresAt }, remove: ['unsaid'] },
      { condition: { equal: { status }, absent: ['deletedAt'] } },
    )
  }

  /** Ends a job whose tasks are over, or that needs no more of them; whoever comes later finds it ended. */
  async finish(jobId: string): Promise<void> {
    for (let attempt = 1; attempt <= finishAttempts; attempt++) {
      const state = await this.#store.whole(jobId)
      if (!state || !isLive(state.job.status)) return
      const endedBy = randomUUID()
      const end = endOfJob(state, outcomeOf(state), endedBy)
      const wakeAt = new Date(Date.now() + unsaidS * 1000).toISOString()
      const change = this.#isGuarded ? end : { ...end, set: { ...end.set, unsaid: true, wakeAt } }
      // Whether the end has to tell of the start as well depends on it.
      const condition = { equal: { status: state.job.status } }
      const { applied, record } = await this.#store.changeJob(jobId, change, { condition, mark: { endedBy } })
      if (!applied || !record) continue
      this.#log.info({ jobId, status: record.status }, 'job ended')
      await this.#publishEnd({ ...state, job: record })
      return
    }
    throw new Error(`others changed the job ${jobId} ${finishAttempts} times while it was to end`)
  }

  /** What is not over goes no further; workers hear of it by their next sign of life. */
  async cancelTasks({ tasks, parts }: Pick<JobState, 'tasks' | 'parts'>): Promise<void> {
    const endedAt = new Date().toISOString()
    const left = [...tasks, ...parts].filter((task) => !isOver(task))
    await eachOf(left, tasksAtATime, async (task) => {
      await this.#store.changeTask(
        refOf(task),
        { set: { status: 'cancelled', endedAt, endedBy: 'cancel' }, remove: ['leaseId', 'leaseUntil'] },
        { condition: { oneOf: { status: ['pending', 'processing'] } } },
      )
    })
  }
}

/** Seconds after which what nobody is known to have told is told by the sweep. */
export const unsaidS = 15
const tellEveryMs = 2000
const mostRemembered = 1000
const tasksAtATime = 16
const finishAttempts = 20
