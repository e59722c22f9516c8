import { getOwnerLimits } from '../../accounts/plan-limits.ts'
import { startChain } from '../../aws/message-chain.ts'
import type { Item, Key } from '../../aws/table.ts'
import { isLiveStatus, type Job } from '../../model/job.ts'
import { createTaskMessage, TaskMessage, type TaskRef } from '../../model/task-message.ts'
import type { QueueId } from '../../resources/queues.ts'
import type { Services } from '../../services/services.ts'
import { getCurrentTraceparent } from '../../trace.ts'
import { defined } from '../../validation/defined.ts'
import { getWakeShard } from '../keys.ts'

/** Seconds until the sweep checks for waiting tasks that were not resumed. */
const recheckS = 60
const recordLifetimeS = 8 * 24 * 3600
const maxAttempts = 20
/** Number of waiting tasks read at a time, which takes about one read unit even if more tasks wait. */
const pageSize = 12

const getKey = (owner: string): Key => ({ pk: `SLOTS#${owner}`, sk: 'SLOTS' })
const getSlotName = (jobId: string) => `job ${jobId}`
const listRunningJobIds = (item: Item | undefined) =>
  Object.keys(item ?? {}).flatMap((name) => (name.startsWith('job ') ? [name.slice(4)] : []))
const getTimeAfter = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

/**
 * Limits how many jobs of an owner run concurrently, as the plan says; tasks of further jobs wait, in the order of
 * their jobs. Nothing is read or written for plans without such a limit.
 */
export class ConcurrencySlots {
  readonly #services: Pick<Services, 'table' | 'plans' | 'config' | 'jobs' | 'queues'>

  constructor(services: Pick<Services, 'table' | 'plans' | 'config' | 'jobs' | 'queues'>) {
    this.#services = services
  }

  /** Returns whether a task may run now. If not, the task is recorded and sent again when a slot is free. */
  async acquire(job: Job, ref: TaskRef, queue: QueueId): Promise<boolean> {
    const limit = await this.#getLimit(job.owner)
    if (limit === null || (await this.#tryEnter(job, limit))) return true
    const { table } = this.#services
    const key = getKey(job.owner)
    const waitKey = { pk: key.pk, sk: `WAIT#${job.id}#${ref.task}#${ref.part ?? ''}` }
    const retryQueue = this.#services.jobs.taskSender.retryQueue(queue)
    await table.put({
      ...waitKey,
      jobId: job.id,
      queue: retryQueue,
      message: createTaskMessage(ref),
      ...defined({ traceparent: getCurrentTraceparent() }),
      ttl: ttl(),
    })
    await table.update(key, { set: { wakeAt: getTimeAfter(recheckS), wakeShard: getWakeShard(job.owner) } })
    // Tries again, because a job that released its slot in the meantime did not see the waiting task.
    if (!(await this.#tryEnter(job, limit))) return false
    await table.delete(waitKey)
    return true
  }

  /** Frees the slot of an ended job and resumes waiting jobs, including jobs that were resumed but never ran. */
  async release(
    { id, owner }: Pick<Job, 'id' | 'owner'>,
    { isJobOver = false }: { readonly isJobOver?: boolean } = {},
  ): Promise<void> {
    const limit = await this.#getLimit(owner)
    if (limit === null || (!isJobOver && (await this.#isJobLive(id)))) return
    const item = (await this.#leave(owner, id)) ?? (await this.#services.table.get(getKey(owner)))
    const freeSlots = item ? limit - Number(item['count']) : 0
    // `acquire` sets `wakeAt` before it looks for a free slot again, so if it is not set, no task waits for this slot.
    if (freeSlots > 0 && item?.['wakeAt'] !== undefined) await this.#resumeWaiting(owner, freeSlots)
  }

  /** Repairs the slots after a process died. */
  async wake(owner: string): Promise<void> {
    const { table } = this.#services
    await this.#dropEnded(owner, await table.get(getKey(owner)))
    const item = await table.get(getKey(owner))
    const wakeAt = item?.['wakeAt']
    const limit = await this.#getLimit(owner)
    const freeSlots = (limit ?? Number.POSITIVE_INFINITY) - Number(item?.['count'] ?? 0)
    const hasMoreWaiting = await this.#resumeWaiting(owner, freeSlots)
    if (hasMoreWaiting) await table.update(getKey(owner), { set: { wakeAt: getTimeAfter(recheckS) } })
    // The condition fails if another task has started to wait meanwhile, because that sets a new `wakeAt`.
    else if (wakeAt !== undefined)
      await table.update(
        getKey(owner),
        { remove: ['wakeAt', 'wakeShard'] },
        { condition: { equal: { wakeAt } } },
      )
  }

  async #getLimit(owner: string): Promise<number | null> {
    return (await getOwnerLimits(owner, this.#services)).concurrentJobs
  }

  async #tryEnter({ id, owner }: Job, limit: number): Promise<boolean> {
    const { table } = this.#services
    const [key, name] = [getKey(owner), getSlotName(id)]
    const set = { [name]: new Date().toISOString(), ttl: ttl() }
    for (let attemptsLeft = maxAttempts; attemptsLeft > 0; attemptsLeft--) {
      const { applied, item } = await table.update(
        key,
        { set, add: { count: 1 } },
        { condition: { absent: [name], below: { count: limit } } },
      )
      if (applied || item?.[name] !== undefined) return true
      if (!(await this.#dropEnded(owner, item))) return false
    }
    return false
  }

  async #leave(owner: string, id: string): Promise<Item | undefined> {
    const name = getSlotName(id)
    const { applied, item } = await this.#services.table.update(
      getKey(owner),
      { remove: [name], setPlus: { count: ['count', -1] } },
      { condition: { exists: true, present: [name] } },
    )
    return applied ? item : undefined
  }

  /** Releases the slots of ended jobs. Returns whether there were any. */
  async #dropEnded(owner: string, item: Item | undefined): Promise<boolean> {
    let hasDroppedJob = false
    for (const id of listRunningJobIds(item)) {
      if (await this.#isJobLive(id)) continue
      await this.#leave(owner, id)
      hasDroppedJob = true
    }
    return hasDroppedJob
  }

  async #isJobLive(id: string): Promise<boolean> {
    const job = await this.#services.jobs.store.getJob(id)
    return job !== undefined && isLiveStatus(job.status)
  }

  /** Sends the tasks of the oldest waiting jobs, one job per free slot. Returns whether other jobs keep waiting. */
  async #resumeWaiting(owner: string, freeSlots: number): Promise<boolean> {
    const { table, queues } = this.#services
    let resumedCount = 0
    let currentJob: { readonly id: string; readonly isLive: boolean } | undefined
    for await (const waitingItem of table.iterate(getKey(owner).pk, 'WAIT#', pageSize)) {
      const { pk, sk, jobId, queue, message, traceparent } = waitingItem
      const id = String(jobId)
      if (currentJob?.id !== id) {
        if (resumedCount >= freeSlots) return true
        currentJob = { id, isLive: await this.#isJobLive(id) }
        if (currentJob.isLive) resumedCount++
      }
      // `acquire` stored the message. It starts a new chain of messages. Otherwise, all jobs of an owner would form a
      // single chain, whose length is limited.
      if (currentJob.isLive)
        await startChain(
          () => queues.send(queue as QueueId, [TaskMessage.parse(message)], owner),
          traceparent as string | undefined,
        )
      await table.delete({ pk: String(pk), sk: String(sk) })
    }
    return false
  }
}

const ttl = () => Math.ceil(Date.now() / 1000) + recordLifetimeS
