import { encodeTime } from 'ulid'
import type { Table } from '../aws/table.ts'
import { isLiveStatus, type Job, type JobStatus } from '../model/job.ts'

/**
 * Lists the jobs of an owner by age. There is one index partition per terminal status, and one for unfinished jobs.
 * Moving a job to another partition costs two writes, so the jobs of an owner who has few jobs stay in one partition
 * for all statuses.
 */

const listNames = ['live', 'completed', 'failed', 'cancelled'] as const
const sharedListName = 'all'
type ListName = (typeof listNames)[number]

const getListName = (status: JobStatus): ListName | undefined =>
  isLiveStatus(status) ? 'live' : listNames.find((list) => list === status)

/** Returns the key of the list that contains a job; undefined for jobs that are not listed, such as expired jobs. */
export function getListKey({
  owner,
  status,
  inOneList,
}: Pick<Job, 'owner' | 'status' | 'inOneList'>): string | undefined {
  const list = getListName(status)
  return list && `${owner}#${inOneList ? sharedListName : list}`
}

export const getTagKey = (owner: string, tag: string) => `${owner}#${tag}`

export interface JobQuery {
  readonly owner: string
  readonly limit: number
  readonly newestFirst: boolean
  /** Id of the last job that was scanned for the previous page. */
  readonly after?: string | undefined
  /**
   * Statuses to list; only partitions that can have such jobs are read, and `matches` compares the status of each job.
   */
  readonly statuses?: readonly JobStatus[] | undefined
  readonly tag?: string | undefined
  /** Only lists jobs created after this time, in milliseconds since 1970. */
  readonly createdAfterMs?: number | undefined
  /** Only lists jobs created before this time, in milliseconds since 1970. */
  readonly createdBeforeMs?: number | undefined
  /** A page ends once its jobs have this many tasks, even if it has fewer than `limit` jobs. */
  readonly maxTasks?: number | undefined
  readonly matches: (job: Job) => boolean
}

export interface JobPage {
  readonly jobs: readonly Job[]
  /** Id after which the next page continues; undefined on the last page. */
  readonly next: string | undefined
}

/** Maximum number of jobs scanned per page: a filter that matches almost nothing must not read the whole history. */
const maxScannedJobs = 500
const maxIdsPerRead = 100

const lowestRandomness = '0'.repeat(16)
const highestRandomness = 'Z'.repeat(16)
const maxUlidMs = 281_474_976_710_655
const createIdAt = (ms: number, randomness: string) =>
  `job_${encodeTime(Math.min(maxUlidMs, Math.max(0, ms)), 10)}${randomness}`

/** Lower and upper bound of all job ids. */
export const idBounds = {
  first: createIdAt(0, lowestRandomness),
  last: createIdAt(maxUlidMs, highestRandomness),
}

/** Maximum time between choosing a job's id, which determines the order, and its `createdAt`. */
const maxCreationMs = 60_000

interface IdRange {
  /** Lower bound of the ids, inclusive. */
  readonly from: string
  /** Upper bound of the ids, inclusive. */
  readonly to: string
}

export async function queryJobs(
  query: JobQuery,
  table: Table,
  read: (ids: readonly string[]) => Promise<Job[]>,
): Promise<JobPage> {
  const { limit, after, newestFirst } = query
  const foundJobs: Job[] = []
  let scannedCount = 0
  let lastId = after
  for (;;) {
    // Without a filter, one job more than fits on the page is read, which shows whether there is a next page.
    const count = scannedCount === 0 ? Math.min(limit + 1, maxIdsPerRead) : maxIdsPerRead
    const { ids, isLastPage } = await queryNextIds(query, lastId, count, table)
    const candidates = (await read(ids)).filter((job) => matchesQuery(job, query))
    for (const job of candidates) {
      if (isPageFull(foundJobs, job, query)) return { jobs: foundJobs, next: foundJobs.at(-1)?.id }
      foundJobs.push(job)
    }
    scannedCount += ids.length
    lastId = ids.at(-1) ?? lastId
    if (isLastPage) return { jobs: foundJobs, next: undefined }
    if (scannedCount >= maxScannedJobs) return { jobs: foundJobs, next: lastId }
    if (ids.length === 0)
      throw new Error(`the job list does not advance ${newestFirst ? 'before' : 'after'} ${lastId}`)
  }
}

/** Whether a job matches the query. Its `createdAt` is compared, because the id is older than that timestamp. */
function matchesQuery(job: Job, { createdAfterMs, createdBeforeMs, matches }: JobQuery): boolean {
  const createdMs = Date.parse(job.createdAt)
  if (createdAfterMs !== undefined && createdMs <= createdAfterMs) return false
  if (createdBeforeMs !== undefined && createdMs >= createdBeforeMs) return false
  return matches(job)
}

function isPageFull(
  foundJobs: readonly Job[],
  nextJob: Job,
  { limit, maxTasks = Infinity }: JobQuery,
): boolean {
  const taskCount = foundJobs.reduce((sum, { total }) => sum + total, 0)
  return foundJobs.length >= limit || (foundJobs.length > 0 && taskCount + nextJob.total > maxTasks)
}

/** Merges the next ids of all index partitions in order. Ends at the last id up to which all were read. */
async function queryNextIds(
  query: JobQuery,
  lastId: string | undefined,
  count: number,
  table: Table,
): Promise<{ ids: string[]; isLastPage: boolean }> {
  const { newestFirst } = query
  const range = createKeyRange(query, lastId)
  if (range.from > range.to) return { ids: [], isLastPage: true }
  const pages = await Promise.all(
    listIndexKeys(query).map((indexKey) =>
      queryIds(indexKey, range, { newestFirst, last: lastId, count }, table),
    ),
  )
  const lastIds = pages.filter(({ hasMore }) => hasMore).map(({ ids }) => ids.at(-1) ?? '')
  const compareIds = (a: string, b: string) => (newestFirst ? b.localeCompare(a) : a.localeCompare(b))
  const lastCompleteId = lastIds.sort(compareIds)[0]
  const knownIds = [...new Set(pages.flatMap((page) => page.ids))]
    .sort(compareIds)
    .filter((id) => lastCompleteId === undefined || compareIds(id, lastCompleteId) <= 0)
  return {
    ids: knownIds.slice(0, count),
    isLastPage: lastCompleteId === undefined && knownIds.length <= count,
  }
}

function createKeyRange(
  { newestFirst, createdAfterMs, createdBeforeMs }: JobQuery,
  lastId: string | undefined,
): IdRange {
  const from =
    createdAfterMs === undefined
      ? idBounds.first
      : createIdAt(createdAfterMs - maxCreationMs, lowestRandomness)
  const to = createdBeforeMs === undefined ? idBounds.last : createIdAt(createdBeforeMs, highestRandomness)
  if (lastId === undefined) return { from, to }
  return newestFirst ? { from, to: lastId < to ? lastId : to } : { from: lastId > from ? lastId : from, to }
}

interface IndexKey {
  readonly index: string
  readonly attribute: string
  readonly value: string
}

function listIndexKeys({ owner, statuses, tag }: JobQuery): IndexKey[] {
  if (tag !== undefined) return [{ index: 'byTag', attribute: 'tagKey', value: getTagKey(owner, tag) }]
  const statusLists = statuses
    ? [...new Set(statuses.map(getListName))].filter((list) => list !== undefined)
    : listNames
  const lists = statusLists.length === 0 ? [] : [...statusLists, sharedListName]
  return lists.map((list) => ({ index: 'byList', attribute: 'listKey', value: `${owner}#${list}` }))
}

async function queryIds(
  { index, attribute, value }: IndexKey,
  { from, to }: IdRange,
  {
    newestFirst,
    last,
    count,
  }: { readonly newestFirst: boolean; readonly last: string | undefined; readonly count: number },
  table: Table,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const { items, next } = await table.query({
    IndexName: index,
    KeyConditionExpression: '#key = :key AND id BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#key': attribute },
    ExpressionAttributeValues: { ':key': value, ':from': from, ':to': to },
    ScanIndexForward: !newestFirst,
    // One more id is read, because the range includes the last id of the previous read.
    Limit: count + 1,
  })
  const ids = items.map(({ id }) => String(id)).filter((id) => id !== last)
  return { ids, hasMore: next !== undefined && ids.length > 0 }
}
