import { randomUUID } from 'node:crypto'
import type { BusEvent } from '../../events/index.ts'
import { BoundedMap } from '../async/bounded-map.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { Bus } from '../aws/bus.ts'
import type { Log } from '../log.ts'
import { isLiveStatus, isTaskOver, type Job, type JobState, type Task } from '../model/job.ts'
import { addSubscribers, type SubscriberLookup } from '../model/subscribers.ts'
import { continueTrace } from '../trace.ts'
import { createProgressEvent, createStartedEvent, findUnpublishedEventsOfEndedJob } from './events.ts'
import { createJobEndChange } from './job-end.ts'
import { decideOutcome, getJobPercent } from './job-state-machine.ts'
import { type JobStore, toTaskRef } from './store.ts'

export interface JobLifecycleDeps {
  readonly store: JobStore
  readonly bus: Bus
  readonly log: Log
  /** Returns the subscribers to an owner's jobs. */
  readonly getSubscribers: (owner: string) => Promise<SubscriberLookup>
  /** Whether a queue message is delivered again if this process dies before it has published everything. */
  readonly isRedelivered: boolean
}

/** Stores the start, progress and end of a job, then publishes the event for each. */
export class JobLifecycle {
  readonly #store: JobStore
  readonly #bus: Bus
  readonly #log: Log
  readonly #getSubscribers: JobLifecycleDeps['getSubscribers']
  readonly #isRedelivered: boolean
  /** Timestamps of the facts that this process has published, by job and name. */
  readonly #publishedAtByEvent = new BoundedMap<string>(maxCachedTimes)
  /** When this process last published progress of a job with many tasks or chunks, by job. */
  readonly #progressAtByJob = new BoundedMap<number>(maxCachedTimes)

  constructor({ store, bus, log, getSubscribers, isRedelivered }: JobLifecycleDeps) {
    this.#getSubscribers = getSubscribers
    this.#store = store
    this.#bus = bus
    this.#log = log
    this.#isRedelivered = isRedelivered
  }

  async publish(events: readonly BusEvent[]): Promise<void> {
    const [firstEvent] = events
    if (!firstEvent) return
    // All events belong to the same job or file.
    const subscribers = await this.#getSubscribers(firstEvent.owner)
    await this.#bus.publish(events.map((event) => addSubscribers(event, subscribers)))
  }

  /** Records that a fact is published, so that the next write removes it from the job's record. */
  #rememberPublished(jobId: string, name: string, at: string): void {
    this.#publishedAtByEvent.set(`${jobId} ${name}`, at)
  }

  /**
   * Returns which of the named facts this process has published, and forgets these facts. They can be removed from the
   * job's log.
   */
  forgetPublished(jobId: string, names: readonly string[]): string[] {
    return names.filter((name) => this.#publishedAtByEvent.delete(`${jobId} ${name}`))
  }

  /** Publishes the progress of a unit: a bucket of tasks in a large job, or a chunk of a split task. */
  async publishUnitProgress(task: Task, unit: number, percent: number): Promise<void> {
    const { jobId } = task
    const now = Date.now()
    if (now - (this.#progressAtByJob.get(jobId) ?? 0) < minProgressIntervalMs) return
    this.#progressAtByJob.set(jobId, now)
    const job = await this.#store.getJob(jobId)
    // Only one of the processes that work on the job publishes within the interval.
    const publishedTimes = Object.values(job?.log ?? {}).map(({ at }) => Date.parse(at))
    if (job && now - Math.max(0, ...publishedTimes) >= minProgressIntervalMs)
      await this.publishProgress(job, unit, { percent, stage: 'convert', taskName: task.name })
  }

  /** Records that the first task of a job has started. */
  async start(job: Job, task: Pick<Task, 'number' | 'name'>): Promise<Job | undefined> {
    const at = new Date().toISOString()
    const { applied, record } = await this.#store.changeJob(
      job.id,
      {
        set: {
          status: 'processing',
          startedAt: at,
          startedWith: task.number,
          stage: 'convert',
          taskName: task.name,
          'log.started': { at },
        },
        setPlus: { 'numbers.started': ['sequence', 1], sequence: ['sequence', 1] },
      },
      {
        condition: { equal: { status: 'queued' } },
        writeMarker: { startedAt: at, startedWith: task.number },
      },
    )
    if (!applied || !record) return record
    const state = await this.#store.getState(job.id)
    // If the job was deleted in the meantime, its deletion publishes all events.
    if (state) await this.publish([createStartedEvent(state)])
    this.#rememberPublished(job.id, 'started', at)
    return record
  }

  /**
   * Publishes progress, unless as much progress was already published or the job has ended. Returns the job's current
   * record; undefined if it was not read or does not exist.
   */
  async publishProgress(
    job: Job,
    unit: number,
    { percent, stage, taskName }: { percent: number; stage: string; taskName: string },
  ): Promise<Job | undefined> {
    const previousPercent = job.running[unit] ?? 0
    const unitPercent = Math.max(previousPercent, Math.floor(Math.min(99, percent)))
    const newPercent = getJobPercent({ ...job, running: { ...job.running, [unit]: unitPercent } })
    if (newPercent <= (job.toldPercent ?? 0) && previousPercent > 0) return undefined
    const fact = { at: new Date().toISOString(), percent: newPercent, stage, taskName }
    const name = String(unit)
    const earlierFact = job.log[name]
    // The earlier fact is about to be replaced, and its writer may have died before publishing it.
    if (earlierFact && this.#publishedAtByEvent.get(`${job.id} ${name}`) !== earlierFact.at)
      await this.publish([createProgressEvent(job, name, earlierFact)])
    const { applied, record } = await this.#store.changeJob(
      job.id,
      {
        set: {
          [`running.${unit}`]: unitPercent,
          toldPercent: newPercent,
          stage,
          taskName,
          [`log.${name}`]: fact,
        },
        setPlus: { [`numbers.${name}`]: ['sequence', 1], sequence: ['sequence', 1] },
      },
      {
        condition: {
          equal: { status: 'processing', ...(earlierFact && { [`log.${name}.at`]: earlierFact.at }) },
          absent: earlierFact ? [] : [`log.${name}`],
          below: { toldPercent: newPercent },
        },
      },
    )
    // After a lost response, the write is not reported as applied, but the stored fact has this timestamp.
    const storedFact = record?.log[name]
    const isOurs = applied || storedFact?.at === fact.at
    if (!isOurs || !record || !storedFact) return record
    await this.publish([createProgressEvent(record, name, storedFact)])
    this.#rememberPublished(job.id, name, fact.at)
    return record
  }

  /** Publishes the end of a job again, in case it was not published before. */
  async republishEnd(jobId: string): Promise<void> {
    const state = await this.#store.getState(jobId)
    if (!state?.job.endedAt || state.job.status === 'expired') return
    await continueTrace(state.tasks[0]?.traceparent, () => this.#publishEnd(state))
  }

  /** Publishes the end of a job. Ends unfinished tasks first, so that their published status stays correct. */
  async #publishEnd(state: JobState): Promise<void> {
    const stateAfterEnd = await this.endAllTasks(state)
    await this.publish(findUnpublishedEventsOfEndedJob(stateAfterEnd))
    if (stateAfterEnd.job.unsaid) await this.#markEndPublished(stateAfterEnd.job)
  }

  /** Cancels unfinished tasks and returns the resulting state. */
  async endAllTasks(state: JobState): Promise<JobState> {
    if ([...state.tasks, ...state.chunks].every(isTaskOver)) return state
    await this.cancelTasks(state)
    return (await this.#store.getState(state.job.id)) ?? state
  }

  /** Records that the end is published, so the sweep need not check the job before its retention ends. */
  async #markEndPublished({ id, status, expiresAt }: Job): Promise<void> {
    await this.#store.changeJob(
      id,
      { set: { wakeAt: expiresAt }, remove: ['unsaid'] },
      { condition: { equal: { status }, absent: ['deletedAt'] } },
    )
  }

  /** Ends a job whose outcome is known; does nothing if it has already ended. */
  async finish(jobId: string): Promise<void> {
    for (let attempt = 1; attempt <= maxFinishAttempts; attempt++) {
      const state = await this.#store.getState(jobId)
      if (!state || !isLiveStatus(state.job.status)) return
      const endedBy = randomUUID()
      const endChange = createJobEndChange(state, decideOutcome(state), endedBy)
      const wakeAt = new Date(Date.now() + republishAfterS * 1000).toISOString()
      const change = this.#isRedelivered
        ? endChange
        : { ...endChange, set: { ...endChange.set, unsaid: true, wakeAt } }
      // The write depends on the status, because a queued job has to be started as well.
      const condition = { equal: { status: state.job.status } }
      const { applied, record } = await this.#store.changeJob(jobId, change, {
        condition,
        writeMarker: { endedBy },
      })
      if (!applied || !record) continue
      this.#log.info({ jobId, status: record.status }, 'job ended')
      await this.#publishEnd({ ...state, job: record })
      return
    }
    throw new Error(`gave up after ${maxFinishAttempts} write conflicts on job ${jobId}`)
  }

  /** Cancels unfinished tasks; their workers notice it at the next heartbeat. */
  async cancelTasks({ tasks, chunks }: Pick<JobState, 'tasks' | 'chunks'>): Promise<void> {
    const endedAt = new Date().toISOString()
    const unfinishedTasks = [...tasks, ...chunks].filter((task) => !isTaskOver(task))
    await forEachConcurrently(unfinishedTasks, maxConcurrentTasks, async (task) => {
      await this.#store.changeTask(
        toTaskRef(task),
        { set: { status: 'cancelled', endedAt, endedBy: 'cancel' }, remove: ['leaseId', 'leaseUntil'] },
        { condition: { oneOf: { status: ['pending', 'processing'] } } },
      )
    })
  }
}

/** Seconds after which the sweep publishes events that may be unpublished. */
export const republishAfterS = 15
const minProgressIntervalMs = 2000
const maxCachedTimes = 1000
const maxConcurrentTasks = 16
const maxFinishAttempts = 20
