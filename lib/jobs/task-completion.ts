import type { Queues } from '../aws/queues.ts'
import type { Change } from '../aws/table-expressions.ts'
import { AppError } from '../errors.ts'
import { eachOf } from '../map-concurrently.ts'
import { settlePart } from './chunk-completion.ts'
import { arrival } from './dependency-update.ts'
import { fetched } from './events.ts'
import { errorForClient } from './failure.ts'
import { isLive, type Job, type JobState, type Task } from './job.ts'
import { Course, type CourseParts } from './job-lifecycle.ts'
import { bucketOf, countKey, latchKey } from './keys.ts'
import { isDecided, isLoss, verdictOf } from './job-state-machine.ts'
import { type JobStore, refOf } from './store.ts'
import type { Known, Outlet, Sending } from './task-sender.ts'

export interface SettlementParts extends CourseParts {
  readonly queues: Queues
  readonly outlet: Outlet
}

/**
 * What follows when a task ends: those that wait for it hear of it, run or are skipped, and with the last one the job
 * ends. All of it may be asked for again; `again` says that it is, and then what was done before is said once more.
 */
export class Settlement {
  /** That of the job as a whole. */
  readonly course: Course
  readonly #store: JobStore
  readonly #queues: Queues
  readonly #outlet: Outlet

  constructor({ store, queues, outlet, ...parts }: SettlementParts) {
    this.#store = store
    this.#queues = queues
    this.#outlet = outlet
    this.course = new Course({ store, ...parts })
  }

  /** Tells whoever waits for a task that it is over. */
  async settle(task: Task, { again }: { again: boolean }): Promise<void> {
    if (task.part !== undefined)
      return settlePart(task, again, {
        store: this.#store,
        send: (ready) => this.send(ready),
        settle: (over, how) => this.settle(over, how),
        tellPercent: (split, percent) => this.course.tellShare(split, split.number, percent),
      })
    const [job] = await Promise.all([
      this.#count(task),
      this.#tellFetched(task),
      this.#tellDependents(task, { again, held: task.uploadId !== undefined }),
    ])
    if (job) await this.#endIfDecided(job, again)
  }

  async #tellFetched(task: Task): Promise<void> {
    if (!(await hasFetched(task))) return
    const job = await this.#store.job(task.jobId)
    if (job) await this.course.publish(fetched(job, task))
  }

  /** Sends a task that is ready on its way to a worker; one that cannot run fails. */
  async send(task: Task, known?: Known): Promise<void> {
    const sending = await this.#routed(task, known)
    if (sending) await this.#queues.send(sending.queue, [sending.message], task.owner)
  }

  /** Undefined for a task that cannot run, which has failed then. */
  async #routed(task: Task, known: Known | undefined): Promise<Sending | undefined> {
    try {
      return await this.#outlet.route(task, known)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const ending = { status: 'failed', ...errorForClient(error), endedBy: unplanned } as const
      await this.#endUnclaimed(task, ending, false)
      return undefined
    }
  }

  /** Sends many tasks of a job whose files are known, in as few calls as there may be. */
  async sendAll(tasks: readonly Task[], state: JobState): Promise<void> {
    const ready: Sending[] = []
    for (const task of tasks) {
      const sending = await this.#routed(task, state)
      if (sending) ready.push(sending)
    }
    const byQueue = Map.groupBy(ready, ({ queue }) => queue)
    await Promise.all(
      [...byQueue].map(([queue, group]) =>
        this.#queues.send(
          queue,
          group.map(({ message }) => message),
          state.job.owner,
        ),
      ),
    )
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
    await this.course.tellShare(task, bucket, ((latch.size - latch.open.size) / latch.size) * 100)
    return undefined
  }

  async #countUnit(jobId: string, unit: number, change: Change): Promise<Job | undefined> {
    // Only what this process has told of: what another one had to tell may not be out.
    const told = this.course.forget(jobId, ['started', String(unit)])
    const remove = [`running.${unit}`, ...told.map((name) => `log.${name}`)]
    return (await this.#store.changeJob(jobId, { ...change, remove })).record
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

  async #endIfDecided(job: Job, again: boolean): Promise<void> {
    if (!isDecided(job)) return
    if (isLive(job.status)) await this.course.finish(job.id)
    else if (again) await this.course.tellEnd(job.id)
  }
}

/** It has brought files from elsewhere, which somebody may want to know. */
export async function hasFetched({ operation, status }: Task): Promise<boolean> {
  if (status !== 'completed') return false
  // Most functions end no task.
  const { transferOperation } = await import('../tasks/index.ts')
  return transferOperation(operation)?.kind === 'import'
}

const dependentsAtATime = 16
const skipped = 'skip'
const unplanned = 'plan'

const leftWithoutInput = {
  status: 'cancelled',
  code: 'INPUT_TASK_FAILED',
  message: 'A task whose files this one takes did not give any.',
  endedBy: skipped,
} as const

const knownOf = (task: Task) => ({ fixed: [], tasks: [task] })
