import { randomUUID } from 'node:crypto'
import type { ServiceEvent } from '../../events/index.ts'
import type { Bus } from '../aws/bus.ts'
import type { Queues } from '../aws/queues.ts'
import type { Change } from '../aws/table-expressions.ts'
import { routeFiles, type Wish } from '../conversion/plan-files.ts'
import { eachOf } from '../each-of.ts'
import type { Engine, ImageId } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { processOperation } from '../tasks/index.ts'
import { Spec } from '../tasks/operation.ts'
import { arrival } from './arrival.ts'
import { progress, started, untold } from './events.ts'
import {
  isLive,
  isOver,
  type Job,
  type JobError,
  type JobState,
  type Piece,
  type StoredFile,
  type Task,
} from './job.ts'
import { bucketOf, countKey, latchKey, type TaskRef } from './keys.ts'
import { listKeyOf } from './list.ts'
import { filesOfTask, isDecided, isLoss, type Outcome, outcomeOf, percentOf, verdictOf } from './machine.ts'
import { settlePart } from './settle-part.ts'
import { type JobStore, refOf } from './store.ts'
import type { TaskMessage } from './task-message.ts'

/**
 * What follows when a task ends: those that wait for it hear of it, run or are skipped, and with the last one the job
 * ends. All of it may be asked for again; `again` says that it is, and then what was done before is said once more.
 */
export class Settlement {
  readonly #store: JobStore
  readonly #queues: Queues
  readonly #bus: Bus
  readonly #engines: readonly Engine[]
  readonly #log: Log
  readonly #isGuarded: boolean
  /** Moments of the facts that this process has published, by job and name. */
  readonly #told = new Map<string, string>()
  /** When this process last told of the progress of a job of many tasks or parts. */
  readonly #toldAt = new Map<string, number>()

  /** @param parts.isGuarded a message comes again if this process dies before all that it has to tell is out. */
  constructor(parts: {
    store: JobStore
    queues: Queues
    bus: Bus
    engines: readonly Engine[]
    log: Log
    isGuarded: boolean
  }) {
    this.#store = parts.store
    this.#queues = parts.queues
    this.#bus = parts.bus
    this.#engines = parts.engines
    this.#log = parts.log
    this.#isGuarded = parts.isGuarded
  }

  async publish(events: readonly ServiceEvent[]): Promise<void> {
    if (events.length > 0) await this.#bus.publish(events)
  }

  /** Tells whoever waits for a task that it is over. */
  async settle(task: Task, { again }: { again: boolean }): Promise<void> {
    if (task.part !== undefined)
      return settlePart(task, again, {
        store: this.#store,
        send: (ready) => this.send(ready),
        settle: (over, how) => this.settle(over, how),
        tellPercent: (split, percent) => this.#tellShare(split, split.number, percent),
      })
    const [job] = await Promise.all([
      this.#count(task),
      this.#tellDependents(task, { again, held: task.uploadId !== undefined }),
    ])
    if (job) await this.#endIfDecided(job, again)
  }

  /** Sends a task that is ready to the queue of the image that has the next step; one that cannot run fails. */
  async send(task: Task, known?: Pick<JobState, 'fixed' | 'tasks'>): Promise<void> {
    try {
      const image = await this.#imageOf(task, known)
      await this.#queues.send(image, [messageOf(refOf(task))])
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      await this.#endUnclaimed(
        task,
        { status: 'failed', ...errorForClient(error), endedBy: unplanned },
        false,
      )
    }
  }

  /** Sends many tasks of a job whose files are known, in as few calls as there may be. */
  async sendAll(tasks: readonly Task[], state: JobState): Promise<void> {
    const ready: { image: ImageId; message: TaskMessage }[] = []
    for (const task of tasks) {
      try {
        const image = await this.#imageOf(task, state)
        ready.push({ image, message: messageOf(refOf(task)) })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        await this.#endUnclaimed(
          task,
          { status: 'failed', ...errorForClient(error), endedBy: unplanned },
          false,
        )
      }
    }
    const byImage = Map.groupBy(ready, ({ image }) => image)
    await Promise.all(
      [...byImage].map(([image, group]) =>
        this.#queues.send(
          image,
          group.map(({ message }) => message),
        ),
      ),
    )
  }

  async #imageOf(task: Task, known?: Pick<JobState, 'fixed' | 'tasks'>): Promise<ImageId> {
    if (task.pieces) return imageOf(task.pieces)
    const state = known ?? (await this.#store.inputsOf(task))
    if (!state) throw new AppError('NO_FILES', 'The job of this task is gone.')
    const [first] = routeFiles(...wishedOf(task, state), this.#engines)
    if (!first) throw new Error('no way was planned')
    return first.route.steps[0].image
  }

  /** One more task of the job is over; the job's record, where that changed it. */
  async #count(task: Task): Promise<Job | undefined> {
    const { jobId, number } = task
    const change = arrival(number, task.status === 'completed', isLoss(task))
    if (!task.bucketed) return this.#countUnit(jobId, number, change)
    const bucket = bucketOf(number)
    const { record: latch } = await this.#store.changeLatch(countKey(jobId, bucket), change)
    if (!latch) return undefined
    if (!latch.open)
      return this.#countUnit(
        jobId,
        bucket,
        arrival(bucket, latch.got !== undefined, latch.lost !== undefined),
      )
    // A job that ends with its first failure learns of it at once.
    if (isLoss(task))
      return (await this.#store.changeJob(jobId, { include: { lost: new Set([bucket]) } })).record
    await this.#tellShare(task, bucket, ((latch.size - latch.open.size) / latch.size) * 100)
    return undefined
  }

  async #countUnit(jobId: string, unit: number, change: Change): Promise<Job | undefined> {
    // Only what this process has told of: what another one had to tell may not be out.
    const told = ['started', String(unit)].filter((name) => this.#told.delete(`${jobId} ${name}`))
    const remove = [`running.${unit}`, ...told.map((name) => `log.${name}`)]
    return (await this.#store.changeJob(jobId, { ...change, remove })).record
  }

  /** Remembers that a fact is out, so that the next write of the job's record drops it. */
  #remember(jobId: string, name: string, at: string): void {
    this.#told.set(`${jobId} ${name}`, at)
    if (this.#told.size > mostRemembered) this.#told.delete(this.#told.keys().next().value ?? '')
  }

  /** Progress of a large job is that of its buckets, and of a task that has split that of its parts. */
  async #tellShare(task: Task, unit: number, percent: number): Promise<void> {
    const { jobId } = task
    const now = Date.now()
    if (now - (this.#toldAt.get(jobId) ?? 0) < tellEveryMs) return
    this.#toldAt.set(jobId, now)
    if (this.#toldAt.size > mostRemembered) this.#toldAt.delete(this.#toldAt.keys().next().value ?? '')
    const job = await this.#store.job(jobId)
    // Of all processes that work on it one tells at a time.
    const told = Object.values(job?.log ?? {}).map(({ at }) => Date.parse(at))
    if (job && now - Math.max(0, ...told) >= tellEveryMs)
      await this.progress(job, unit, { percent, stage: 'convert', taskName: task.name })
  }

  async #tellDependents(task: Task, how: { again: boolean; held: boolean }): Promise<void> {
    const outs = await this.#store.outsOf(task)
    await eachOf(outs, dependentsAtATime, (out) => this.#tellDependent(task, out, how))
  }

  async #tellDependent(
    task: Task,
    out: string,
    { again, held }: { again: boolean; held: boolean },
  ): Promise<void> {
    const { jobId } = task
    const [dependent = 0, latch] = out.split('#').map(Number)
    let change = arrival(task.number, task.status === 'completed', isLoss(task))
    if (latch !== undefined) {
      const { record } = await this.#store.changeLatch(latchKey(jobId, dependent, latch), change)
      if (!record || (record.open && !record.lost)) return
      change = arrival(latch, record.got !== undefined, record.lost !== undefined)
    }
    const { record } = await this.#store.changeTask({ jobId, task: dependent }, change)
    if (!record) return
    if (record.status !== 'pending') {
      // It ended because of this one, and whoever did that may not have come to say so.
      const isOurs = record.endedBy === skipped || record.endedBy === unplanned
      if (again && isOurs) await this.settle(record, { again })
      return
    }
    const verdict = verdictOf(record)
    if (verdict === 'run' && !held)
      await this.send(record, record.ins.length === 1 ? knownOf(task) : undefined)
    if (verdict === 'skip') await this.#endUnclaimed(record, leftWithoutInput, again)
  }

  /** The end of a task that nobody has begun. */
  async #endUnclaimed(
    task: Task,
    ending: Pick<Task, 'status' | 'code' | 'message' | 'details' | 'endedBy'>,
    again: boolean,
  ): Promise<void> {
    const endedAt = new Date().toISOString()
    const { applied, record } = await this.#store.changeTask(
      refOf(task),
      { set: { ...ending, endedAt } },
      { condition: { equal: { status: 'pending' } }, mark: { endedBy: ending.endedBy, endedAt } },
    )
    if (record && (applied || (again && record.endedBy === ending.endedBy)))
      await this.settle(record, { again })
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
    await this.publish([started(await this.#stateFor(record))])
    this.#remember(job.id, 'started', at)
    return record
  }

  /** The tasks of a job of one stand in its own record and in the caller's hand; of others they are read. */
  async #stateFor(job: Job): Promise<JobState> {
    const state = await this.#store.whole(job.id)
    return state ? { ...state, job } : { job, fixed: job.fixed ?? [], tasks: [], parts: [] }
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
          below: { toldPercent, [`running.${name}`]: share },
        },
      },
    )
    // An answer that was lost: the fact is ours.
    const isOurs = applied || record?.log[name]?.at === fact.at
    if (!isOurs || !record) return record
    await this.publish([progress(record, name, fact)])
    this.#remember(job.id, name, fact.at)
    return record
  }

  async #endIfDecided(job: Job, again: boolean): Promise<void> {
    if (!isDecided(job)) return
    if (isLive(job.status)) await this.finish(job.id)
    else if (again) await this.tellEnd(job.id)
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
    await eachOf(left, dependentsAtATime, async (task) => {
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
const dependentsAtATime = 16
const finishAttempts = 20
const skipped = 'skip'
const unplanned = 'plan'

const leftWithoutInput = {
  status: 'cancelled',
  code: 'INPUT_TASK_FAILED',
  message: 'A task whose files this one takes did not give any.',
  details: undefined,
  endedBy: skipped,
} as const

const knownOf = (task: Task) => ({ fixed: [], tasks: [task] })

export const messageOf = ({ jobId, task, part }: TaskRef): TaskMessage => ({
  jobId,
  task,
  ...(part !== undefined && { part }),
})

/** The files of a task's inputs, and what it wants of them. @throws AppError for files that it does not take. */
export function wishedOf(
  task: Pick<Task, 'operation' | 'ins' | 'spec'>,
  state: Pick<JobState, 'fixed' | 'tasks'>,
): [StoredFile[], Wish] {
  const files = task.ins.flatMap((number) => filesOfTask(number, state))
  return [files, processOperation(task.operation).wish(files, Spec.parse(task.spec))]
}

/** Where the next step of pieces is done. Pieces for several images go to one after the other. */
export function imageOf(pieces: readonly Piece[]): ImageId {
  const next = pieces.map(({ steps, step }) => steps[step]).find((step) => step !== undefined)
  if (!next) throw new Error('the task has no step that is left')
  // Images of steps come from our own planner.
  return next.image as ImageId
}

/** What the client hears of it, of anything but an AppError when the last attempt ended by it. */
export function errorForClient(error: unknown): JobError {
  if (!(error instanceof AppError)) return brokeDown
  const { code, message, details } = error
  return { code, message, ...(details && { details: { ...details } }) }
}

const brokeDown: JobError = {
  code: 'CONVERSION_FAILED',
  message:
    'The engine broke down on this file, three times. The file may be damaged or need more memory than one conversion gets.',
}

/** Bytes of a result that the job's own record takes. */
const mostResultInside = 2000

/** The write that ends a job; it starts it as well where nobody has told of that. */
export function endOfJob(state: JobState, outcome: Outcome, endedBy: string, now = new Date()): Change {
  const { job } = state
  const { status, error, summary, result } = outcome
  const isStarting = job.status === 'queued'
  const first = state.tasks
    .filter(({ startedAt }) => startedAt !== undefined)
    .sort((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? '') || a.number - b.number)[0]
  // Retention counts from the end, so that a long conversion does not eat into it.
  const expiresAt = new Date(now.getTime() + job.retentionS * 1000).toISOString()
  return {
    set: {
      ...{ status, error, summary, endedBy, expiresAt, wakeAt: expiresAt, endedAt: now.toISOString() },
      ...(JSON.stringify(result).length <= mostResultInside && { result }),
      ...(isStarting && first && { startedAt: first.startedAt, startedWith: first.number }),
      ...(isStarting && { 'log.started': { at: now.toISOString() } }),
      listKey: listKeyOf(job.owner, status),
    },
    setPlus: {
      ...(isStarting && { 'numbers.started': ['sequence', 1] as const }),
      'numbers.ended': ['sequence', isStarting ? 2 : 1],
      sequence: ['sequence', isStarting ? 2 : 1],
    },
  }
}
