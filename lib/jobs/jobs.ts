import { eventOf, type ServiceEvent } from '../../events/index.ts'
import type { Bus } from '../aws/bus.ts'
import type { Files } from '../aws/files.ts'
import type { Queues } from '../aws/queues.ts'
import type { VersionedPut } from '../aws/table.ts'
import type { Log } from '../log.ts'
import type { Job } from './job.ts'
import { filesOf } from './job-files.ts'
import { advance, deletions, type Effect, effects, type JobState, type Transition } from './machine.ts'
import type { JobStore } from './store.ts'

/** Resolves when a job may have changed, at the latest after `leftMs`; `pauseMs` is how long to wait where nobody tells. */
export type JobHint = (
  jobId: string,
  wait: { readonly pauseMs: number; readonly leftMs: number },
) => Promise<void>

/** Brings state machine, table, queues, bus and files together: decide, store, then let the effects happen. */
export class Jobs {
  readonly store: JobStore
  readonly #files: Files
  readonly #queues: Queues
  readonly #bus: Bus
  readonly #log: Log
  readonly #hint: JobHint

  constructor(parts: { store: JobStore; files: Files; queues: Queues; bus: Bus; log: Log; hint: JobHint }) {
    this.store = parts.store
    this.#files = parts.files
    this.#queues = parts.queues
    this.#bus = parts.bus
    this.#log = parts.log
    this.#hint = parts.hint
  }

  /**
   * Stores a new job, together with what must not be stored without it, and sets it going.
   * @throws VersionConflict when `along` was changed meanwhile.
   */
  async submit(state: JobState, along: readonly VersionedPut[] = []): Promise<void> {
    await this.store.create(state, along)
    this.#log.info(
      {
        jobId: state.job.id,
        requestId: state.job.requestId,
        route: state.tasks.flatMap(routeOf),
      },
      'job created',
    )
    await this.perform(state)
  }

  /**
   * One transition of a task; the effects are left to the caller, who may have a better moment for them.
   * @param taskNames the task and those that wait for it.
   * @param known the state after the caller's last transition, which saves reading it.
   * @returns the stored state, or undefined when the transition did not apply.
   */
  task(
    jobId: string,
    taskNames: readonly string[],
    transition: Exclude<Transition, { type: 'wake' | 'cancel' }>,
    known?: JobState,
  ): Promise<JobState | undefined> {
    return this.store.update(
      () => this.store.some(jobId, taskNames),
      (state) => advance(state, transition, new Date()),
      known,
    )
  }

  /** Undefined when the job is unknown or over. */
  async cancel(jobId: string, by: 'user' | 'system'): Promise<JobState | undefined> {
    const state = await this.store.update(
      () => this.store.whole(jobId),
      (before) => advance(before, { type: 'cancel', by }, new Date()),
    )
    if (state) await this.perform(state)
    return state
  }

  /** Repairs and goes on with a job that nobody touched in time; its last effects may never have come out. */
  async wake(jobId: string, now = new Date()): Promise<void> {
    const state = await this.store.update(
      () => this.store.whole(jobId),
      (found) => advance(found, { type: 'wake' }, now),
    )
    if (!state) return
    this.#log.info({ jobId, status: state.job.status }, 'job looked at')
    await this.perform(state)
  }

  /** Removes the job, its tasks and its files at once. */
  async delete(state: JobState): Promise<void> {
    const files = filesOf(state)
    await this.#files.delete(files.map(({ key }) => key))
    const told = deletions(files, state.job.sequence + 1)
    await this.#publish(told.map((announcement) => eventOf(announcement, state)))
    await this.store.delete(state)
    this.#log.info({ jobId: state.job.id }, 'job deleted')
  }

  /** Lets everything happen that the state calls for; it may be asked for again at any time. */
  async perform(state: JobState): Promise<void> {
    const due = effects(state)
    const sends = due.flatMap((effect) => (effect.type === 'send' ? [effect] : []))
    const events = due.flatMap((effect) => (effect.type === 'publish' ? [eventOf(effect, state)] : []))
    const deletions = due.flatMap((effect) => (effect.type === 'delete-files' ? [effect] : []))
    // Work first: whoever takes the task begins while the rest happens.
    await Promise.all(sends.map((effect) => this.#send(state, effect)))
    await Promise.all([this.#publish(events), ...deletions.map(({ keys }) => this.#files.delete(keys))])
  }

  async progress(state: JobState): Promise<void> {
    await this.#publish([eventOf({ event: 'job.progress', sequence: state.job.sequence }, state)])
  }

  async #send(
    { job, tasks }: JobState,
    { image, taskName }: Extract<Effect, { type: 'send' }>,
  ): Promise<void> {
    const dependents = tasks.find(({ name }) => name === taskName)?.dependents ?? []
    await this.#queues.send(image, { jobId: job.id, taskName, dependents })
  }

  async #publish(events: readonly ServiceEvent[]): Promise<void> {
    if (events.length > 0) await this.#bus.publish(events)
  }

  /**
   * Waits until the job satisfies the condition or the time is over; then its newest form, undefined when there
   * is none. Where changes are pushed to this process it wakes by them, elsewhere it looks at growing intervals.
   */
  async waitFor(jobId: string, timeoutMs: number, done: (job: Job) => boolean): Promise<Job | undefined> {
    const deadline = Date.now() + timeoutMs
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 1000)) {
      const leftMs = Math.max(0, deadline - Date.now())
      const changed = this.#hint(jobId, { pauseMs: Math.min(pauseMs, leftMs), leftMs })
      const job = await this.store.job(jobId)
      if (!job || done(job) || Date.now() >= deadline) return job
      await changed
    }
  }
}

/** For the log: without the options, which may hold a password. */
const routeOf = ({ steps }: JobState['tasks'][number]) =>
  steps.map(({ engine, from, to }) => `${engine}: ${from} → ${to}`)
