import { type Item, type Key, type Table, VersionConflict, type VersionedPut } from '../aws/table.ts'
import { isTerminal, Job, Task } from './job.ts'
import { announceEnd } from './job-ends.ts'
import type { JobState } from './machine.ts'

/** Seconds that the record of an expired job answers "gone" instead of "unknown". */
const tombstoneS = 30 * 24 * 3600

const partition = (jobId: string) => `JOB#${jobId}`
const jobKey = (jobId: string): Key => ({ pk: partition(jobId), sk: 'JOB' })
const taskKey = (jobId: string, name: string): Key => ({ pk: partition(jobId), sk: `TASK#${name}` })

export interface JobPage {
  readonly jobs: readonly Job[]
  /** Id after which the next page goes on; undefined on the last. */
  readonly next: string | undefined
}

export interface JobQuery {
  readonly owner: string
  readonly limit: number
  readonly newestFirst: boolean
  /** Id of the last job of the page before. */
  readonly after?: string | undefined
  readonly matches: (job: Job) => boolean
}

/** Jobs and their tasks in the table; every write is conditional on what was read. */
export class JobStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /**
   * Stores a new job, together with what must not be stored without it.
   * @throws VersionConflict when `along` was changed meanwhile.
   */
  async create({ job, tasks }: JobState, along: readonly VersionedPut[] = []): Promise<void> {
    await this.#table.write([jobPut(job), ...tasks.map(taskPut), ...along])
  }

  async job(jobId: string): Promise<Job | undefined> {
    const item = await this.#table.get(jobKey(jobId))
    return item && Job.parse(item)
  }

  /** The job with all its tasks. */
  async whole(jobId: string): Promise<JobState | undefined> {
    return stateOf(await this.#table.partition(partition(jobId), ''))
  }

  /** The job with some of its tasks. */
  async some(jobId: string, taskNames: readonly string[]): Promise<JobState | undefined> {
    return stateOf(
      await this.#table.getAll([jobKey(jobId), ...taskNames.map((name) => taskKey(jobId, name))]),
    )
  }

  /**
   * Stores what changed between two states, all or nothing.
   * @throws VersionConflict when somebody else wrote since `before` was read.
   */
  async save(before: JobState, after: JobState): Promise<JobState> {
    const job = { ...after.job, version: before.job.version + 1 }
    const tasks = after.tasks.map((task, at) =>
      task === before.tasks[at] ? task : { ...task, version: task.version + 1 },
    )
    const changed = tasks.filter((task, at) => task !== before.tasks[at])
    await this.#table.write([jobPut(job), ...changed.map(taskPut)])
    if (isTerminal(job.status)) announceEnd(job.id)
    return { job, tasks }
  }

  /**
   * Reads, decides and writes until nobody interferes; undefined when `decide` sees nothing to do. A state that is
   * `known` saves the first reading; when it turns out to be old, it is read after all.
   */
  async update(
    read: () => Promise<JobState | undefined>,
    decide: (state: JobState) => JobState | undefined,
    known?: JobState,
  ): Promise<JobState | undefined> {
    if (known) {
      const after = decide(known)
      const saved = after && (await this.#trySave(known, after))
      if (saved) return saved
    }
    for (let attempt = 1; attempt <= 20; attempt++) {
      const before = await read()
      const after = before && decide(before)
      if (!before || !after) return undefined
      const saved = await this.#trySave(before, after)
      if (saved) return saved
    }
    throw new VersionConflict('others changed the job twenty times in a row')
  }

  async #trySave(before: JobState, after: JobState): Promise<JobState | undefined> {
    try {
      return await this.save(before, after)
    } catch (error) {
      if (error instanceof VersionConflict) return undefined
      throw error
    }
  }

  /** Jobs of one owner by age. */
  async list(query: JobQuery): Promise<JobPage> {
    const found: Job[] = []
    let from: Item | undefined = query.after
      ? { ...jobKey(query.after), owner: query.owner, id: query.after }
      : undefined
    do {
      const page = await this.#table.query({
        IndexName: 'byOwner',
        KeyConditionExpression: '#owner = :owner AND begins_with(id, :job)',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':owner': query.owner, ':job': 'job_' },
        ScanIndexForward: !query.newestFirst,
        Limit: 100,
        ExclusiveStartKey: from,
      })
      found.push(...(await this.#jobs(page.items)).filter(query.matches))
      from = page.next
    } while (from && found.length <= query.limit)
    const jobs = found.slice(0, query.limit)
    return { jobs, next: found.length > query.limit ? jobs.at(-1)?.id : undefined }
  }

  /** Jobs of index entries, in their order; one that was deleted meanwhile is left out. */
  async #jobs(entries: readonly Item[]): Promise<Job[]> {
    if (entries.length === 0) return []
    const items = await this.#table.getAll(entries.map((entry) => jobKey(String(entry['id']))))
    const jobs = new Map(items.map((item) => Job.parse(item)).map((job) => [job.id, job]))
    return entries.flatMap((entry) => jobs.get(String(entry['id'])) ?? [])
  }

  /** Ids of jobs at which somebody must look now, longest overdue first. */
  async due(now: Date, limit: number): Promise<string[]> {
    const { items } = await this.#table.query({
      IndexName: 'byWake',
      KeyConditionExpression: 'wakeShard = :shard AND wakeAt <= :now',
      ExpressionAttributeValues: { ':shard': wakeShard, ':now': now.toISOString() },
      Limit: limit,
    })
    return items.map((item) => String(item.pk).slice('JOB#'.length))
  }

  /** Removes every trace of the records. */
  async delete({ job, tasks }: JobState): Promise<void> {
    for (const task of tasks) await this.#table.delete(taskKey(job.id, task.name))
    // The job last: while it is there, the deletion can be asked for again.
    await this.#table.delete(jobKey(job.id))
  }
}

/** One partition of the index serves about a thousand state changes a second. */
const wakeShard = 'wake'

function jobPut(job: Job): VersionedPut {
  const tombstone = job.expiredAt && { ttl: Math.floor(Date.parse(job.expiredAt) / 1000) + tombstoneS }
  return { item: { ...jobKey(job.id), ...job, ...(job.wakeAt && { wakeShard }), ...tombstone } }
}

const taskPut = (task: Task): VersionedPut => ({ item: { ...taskKey(task.jobId, task.name), ...task } })

function stateOf(items: readonly Item[]): JobState | undefined {
  const job = items.find((item) => item.sk === 'JOB')
  if (!job) return undefined
  const tasks = items.filter((item) => String(item.sk).startsWith('TASK#')).map((item) => Task.parse(item))
  return { job: Job.parse(job), tasks }
}
