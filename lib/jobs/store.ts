import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { ConditionalWriteResult, Item, Key, Table, TransactionWrite } from '../aws/table.ts'
import type { Change, Condition } from '../aws/table-expressions.ts'
import {
  FixedTask,
  isTerminalStatus,
  Job,
  type JobState,
  JoinBucket,
  liveStatuses,
  Task,
  type Task as TaskRecord,
} from '../model/job.ts'
import type { TaskRef } from '../model/task-message.ts'
import { defined } from '../validation/defined.ts'
import { emitJobEnd } from './job-end-emitter.ts'
import {
  bucketSize,
  getBucketCountKey,
  getBucketNumber,
  getChunkKeyPrefix,
  getDependentsKey,
  getFileSequenceName,
  getFixedTasksKey,
  getJobKey,
  getJobPartition,
  getJoinBucketKey,
  getTaskKey,
  getWakeShard,
} from './keys.ts'
import { getListKey, getTagKey, type JobPage, type JobQuery, queryJobs } from './list.ts'
import type { GraphRecords } from './task-graph.ts'

/** Maximum number of records in a transaction; larger jobs are written in batches, with the job's record last. */
const maxTransactionRecords = 10
/** Maximum number of partitions read concurrently. */
const maxConcurrentReads = 8

/** Result of a conditional write; `applied` is false if the condition was not met. */
export interface WriteResult<T> {
  readonly applied: boolean
  /** The current record; undefined if it does not exist. */
  readonly record: T | undefined
}

/** Reads and writes the records of a job. Each write can be repeated: a condition or write marker recognizes it. */
export class JobStore {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  /**
   * Stores a new job. Returns false and stores nothing if a condition of `otherWrites` is not met. A repetition returns
   * true again.
   */
  async create(records: GraphRecords, otherWrites: readonly TransactionWrite[] = []): Promise<boolean> {
    const { job } = records
    const otherRecords = listOtherItems(records)
    const [onlyTask] = otherRecords
    if (onlyTask && otherRecords.length === 1 && otherWrites.length === 0) {
      // A transaction would cost twice as much as two writes. A repetition, even after a crash, finds the task.
      await this.#table.put(onlyTask, { condition: { exists: false } })
      return this.#putJob(job)
    }
    if (otherRecords.length + otherWrites.length + 1 <= maxTransactionRecords) {
      const notExistsCondition = { exists: false }
      const puts = [...otherRecords, toJobItem(job)].map((put) => ({ put, if: notExistsCondition }))
      return (await this.#table.transact([...puts, ...otherWrites])) || (await this.#isStored(job))
    }
    for (const { update, change, if: condition } of otherWrites) {
      const { applied } = await this.#table.update(update, change, { condition })
      if (applied) continue
      await this.#releaseClaims(otherWrites)
      return false
    }
    await this.#table.writeAll(otherRecords)
    return this.#putJob(job)
  }

  async #putJob(job: Job): Promise<boolean> {
    const { applied } = await this.#table.put(toJobItem(job), {
      condition: { exists: false },
      writeMarker: { requestId: job.requestId, createdAt: job.createdAt },
    })
    return applied
  }

  async #isStored(job: Job): Promise<boolean> {
    const storedJob = await this.getJob(job.id)
    return storedJob?.requestId === job.requestId && storedJob.createdAt === job.createdAt
  }

  /** Releases claims for a job that was not created; its task records expire by their TTL. */
  async #releaseClaims(writes: readonly TransactionWrite[]): Promise<void> {
    const claims = writes.filter((write) => write.if.exists)
    for (const { update, change } of claims)
      await this.#table.update(
        update,
        { remove: Object.keys(change.set) },
        { condition: { equal: change.set } },
      )
  }

  async getJob(jobId: string): Promise<Job | undefined> {
    const item = await this.#table.get(getJobKey(jobId))
    return item && Job.parse(item)
  }

  /** Returns jobs in the order of the ids, without those that no longer exist. */
  async getJobs(ids: readonly string[]): Promise<Job[]> {
    if (ids.length === 0) return []
    const items = await this.#table.getAll(ids.map(getJobKey))
    const jobsById = new Map(items.map((item) => Job.parse(item)).map((job) => [job.id, job]))
    return ids.flatMap((id) => jobsById.get(id) ?? [])
  }

  /** Reads a job with all its tasks. */
  async getState(jobId: string): Promise<JobState | undefined> {
    const firstItems = await this.#table.partition(getJobPartition(jobId))
    const jobRecord = firstItems.find(({ sk }) => sk === 'JOB')
    if (!jobRecord) return undefined
    const job = Job.parse(jobRecord)
    const itemGroups: Item[][] = []
    const buckets = Array.from({ length: Math.ceil(job.total / bucketSize) }, (_, bucket) => bucket).slice(1)
    await forEachConcurrently(buckets, maxConcurrentReads, async (bucket) => {
      itemGroups.push(await this.#table.partition(getJobPartition(jobId, bucket)))
    })
    const items = [...firstItems, ...itemGroups.flat()]
    const filterByPrefix = (prefix: string) =>
      items
        .filter(({ sk }) => String(sk).startsWith(prefix))
        .map((item) => Task.parse(item))
        .sort((a, b) => a.number - b.number || (a.part ?? 0) - (b.part ?? 0))
    return {
      job,
      fixed: job.fixed ?? parseFixedTasks(items.find(({ sk }) => sk === 'FIXED')),
      tasks: filterByPrefix('TASK#'),
      chunks: filterByPrefix('PART#'),
    }
  }

  /** Reads the input tasks of a task, and the job unless `knownJob` is passed. */
  async getInputs({ jobId, ins, fed, part }: TaskRecord, knownJob?: Job): Promise<JobState | undefined> {
    // A single input that was available from the start has no record. For chunks, `fed` is always true.
    const isFixed = fed && ins.length === 1 && part === undefined
    const inputs = isFixed ? [] : ins.map((task) => getTaskKey({ jobId, task }))
    const items = await this.#table.getAll(knownJob ? inputs : [getJobKey(jobId), ...inputs])
    const jobRecord = items.find(({ sk }) => sk === 'JOB')
    const job = knownJob ?? (jobRecord && Job.parse(jobRecord))
    if (!job) return undefined
    const fixedTasks =
      job.fixed ?? (fed ? parseFixedTasks(await this.#table.get(getFixedTasksKey(jobId))) : [])
    const tasks = items.filter(({ sk }) => sk !== 'JOB').map((item) => Task.parse(item))
    return { job, fixed: fixedTasks, tasks, chunks: [] }
  }

  async getTask(ref: TaskRef): Promise<TaskRecord | undefined> {
    const item = await this.#table.get(getTaskKey(ref))
    return item && Task.parse(item)
  }

  async getTasks(jobId: string, numbers: readonly number[]): Promise<TaskRecord[]> {
    const items = await this.#table.getAll(numbers.map((task) => getTaskKey({ jobId, task })))
    return items.map((item) => Task.parse(item))
  }

  /** Returns all tasks that depend on a task. */
  async getDependents({ jobId, number, outs, edgePages = 0 }: TaskRecord): Promise<readonly string[]> {
    if (edgePages === 0) return outs
    const pages = Array.from({ length: edgePages }, (_, page) => getDependentsKey(jobId, number, page))
    const items = await this.#table.getAll(pages)
    return items.flatMap((item) => item['outs'] as string[]) // only `create` writes them
  }

  async changeTask(
    ref: TaskRef,
    change: Change,
    options: { condition?: Condition; writeMarker?: Item } = {},
  ): Promise<WriteResult<TaskRecord>> {
    return parseWriteResult(await this.#table.update(getTaskKey(ref), change, requireExisting(options)), Task)
  }

  async changeJob(
    jobId: string,
    change: Change,
    options: { condition?: Condition; writeMarker?: Item } = {},
  ): Promise<WriteResult<Job>> {
    const writeResult = parseWriteResult(
      await this.#table.update(getJobKey(jobId), change, requireExisting(options)),
      Job,
    )
    const { applied, record } = writeResult
    if (applied && record && change.set?.['status'] && isTerminalStatus(record.status)) emitJobEnd(record)
    return writeResult
  }

  /**
   * Numbers the events of the files that a task imported or waited for. May be called repeatedly. Returns undefined if
   * the job was deleted or has expired.
   */
  async numberFiles({ jobId, task }: TaskRef, count: number): Promise<Job | undefined> {
    const number = getFileSequenceName(task)
    const { record: job } = await this.changeJob(
      jobId,
      { setPlus: { [`numbers.${number}`]: ['sequence', 1], sequence: ['sequence', count] } },
      { condition: { absent: [`numbers.${number}`, 'deletedAt', 'expiredAt'] } },
    )
    return job?.numbers[number] === undefined ? undefined : job
  }

  async changeJoinBucket(key: Key, change: Change): Promise<WriteResult<JoinBucket>> {
    return parseWriteResult(await this.#table.update(key, change), JoinBucket)
  }

  async addChunks(chunks: readonly TaskRecord[]): Promise<void> {
    await this.#table.writeAll(chunks.map(toTaskItem))
  }

  /** Reads the chunks of a task, in order. */
  async getChunks({ jobId, number }: Pick<TaskRecord, 'jobId' | 'number'>): Promise<TaskRecord[]> {
    const items = await this.#table.partition(
      getJobPartition(jobId, getBucketNumber(number)),
      getChunkKeyPrefix(number),
    )
    return items.map((item) => Task.parse(item)).sort((a, b) => (a.part ?? 0) - (b.part ?? 0))
  }

  async deleteChunks(chunks: readonly TaskRecord[]): Promise<void> {
    await this.#table.writeAll(
      [],
      chunks.map((chunk) => getTaskKey(toTaskRef(chunk))),
    )
  }

  /** Lists the jobs of one owner by age. */
  list(query: JobQuery): Promise<JobPage> {
    return queryJobs(query, this.#table, (ids) => this.getJobs(ids))
  }

  /** Deletes all records of a job except the job itself. */
  async deleteTasks({ job }: JobState): Promise<void> {
    const buckets = Array.from({ length: Math.max(1, Math.ceil(job.total / bucketSize)) }, (_, at) => at)
    await forEachConcurrently(buckets, maxConcurrentReads, async (bucket) => {
      const items = await this.#table.partition(getJobPartition(job.id, bucket))
      const keys = items
        .map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }))
        .filter(({ sk }) => sk !== 'JOB')
      await this.#table.writeAll([], keys)
    })
  }

  async deleteJob(jobId: string): Promise<void> {
    await this.#table.delete(getJobKey(jobId))
  }

  /** Replaces an expired job by a minimal record that is kept until `ttl`. */
  async writeTombstone(job: Job, ttl: number): Promise<void> {
    const { id, owner, requestId, status, tag, display, retentionS, require, total, units, sequence } = job
    const { createdAt, expiresAt, expiredAt, expiredFor } = job
    const remainingFields = {
      id,
      owner,
      requestId,
      status,
      tag,
      display,
      retentionS,
      require,
      total,
      units,
      sequence,
    }
    const emptyFields = { filesTold: true, warnings: [], fixed: [] }
    const tombstone = { ...remainingFields, createdAt, expiresAt, expiredAt, expiredFor, ...emptyFields }
    await this.#table.put({ ...getJobKey(id), ...tombstone, numbers: {}, log: {}, running: {}, ttl })
  }
}

/** Returns a job as a table item with its index keys. */
const toJobItem = (job: Job): Item & Key => ({
  ...getJobKey(job.id),
  ...job,
  wakeShard: getWakeShard(job.id),
  listKey: getListKey(job),
  ...(job.tag !== null && { tagKey: getTagKey(job.owner, job.tag) }),
})

const toTaskItem = (task: TaskRecord): Item & Key => ({ ...getTaskKey(toTaskRef(task)), ...task })

function listOtherItems({
  job,
  fixed,
  isFixedSeparate,
  tasks,
  joinBuckets,
  dependentPages,
  ttl,
}: GraphRecords): (Item & Key)[] {
  return [
    ...tasks.map(toTaskItem),
    ...joinBuckets.map(({ task, bucketNumber, bucket }) => ({
      ...(task === 'count'
        ? getBucketCountKey(job.id, bucketNumber)
        : getJoinBucketKey(job.id, task, bucketNumber)),
      ...bucket,
      ttl,
    })),
    ...dependentPages.map(({ task, page, outs }) => ({ ...getDependentsKey(job.id, task, page), outs, ttl })),
    ...(isFixedSeparate ? [{ ...getFixedTasksKey(job.id), fixed, ttl }] : []),
  ]
}

const parseFixedTasks = (item: Item | undefined): FixedTask[] =>
  item ? FixedTask.array().parse(item['fixed']) : []

export const toTaskRef = ({ jobId, number, part }: TaskRecord): TaskRef => ({
  jobId,
  task: number,
  part,
})

export const liveJobCondition: Condition = { exists: true, oneOf: { status: liveStatuses } }

const requireExisting = ({ condition = {}, writeMarker }: { condition?: Condition; writeMarker?: Item }) => ({
  condition: { exists: true, ...condition },
  ...defined({ writeMarker }),
})

function parseWriteResult<T>(
  { applied, item }: ConditionalWriteResult,
  schema: { parse: (item: Item) => T },
): WriteResult<T> {
  return { applied, record: item && schema.parse(item) }
}

export const getProgressUnit = ({ total }: Pick<Job, 'total'>, number: number) =>
  total > bucketSize ? getBucketNumber(number) : number
