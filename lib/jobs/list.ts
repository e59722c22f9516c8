import { encodeTime } from 'ulid'
import type { Table } from '../aws/table.ts'
import { isLiveStatus, type Job, type JobStatus } from '../model/job.ts'

/**
 * Jobs of an owner by age: one index partition per terminal status, and one for live jobs. Moving a job to another
 * costs two writes, so the jobs of owners with few of them stay in one partition for all statuses.
 */

const listsByStatus = ['live', 'completed', 'failed', 'cancelled'] as const
const oneList = 'all'
type List = (typeof listsByStatus)[number]

const listOf = (status: JobStatus): List | undefined =>
  isLiveStatus(status) ? 'live' : listsByStatus.find((list) => list === status)

/** Returns undefined for jobs that are not listed, such as expired ones. */
export function listKeyOf({
  owner,
  status,
  inOneList,
}: Pick<Job, 'owner' | 'status' | 'inOneList'>): string | undefined {
  const list = listOf(status)
  return list && `${owner}#${inOneList ? oneList : list}`
}

export const tagKeyOf = (owner: string, tag: string) => `${owner}#${tag}`

export interface JobQuery {
  readonly owner: string
  readonly limit: number
  readonly newestFirst: boolean
  /** Id of the last job that was scanned for the previous page. */
  readonly after?: string | undefined
  /** Only partitions that can have such jobs are read; `matches` compares the status of each job. */
  readonly statuses?: readonly JobStatus[] | undefined
  readonly tag?: string | undefined
  /** Milliseconds since the epoch; both limits are exclusive. */
  readonly createdAfterMs?: number | undefined
  readonly createdBeforeMs?: number | undefined
  /** Ends a page when its jobs have this many tasks, even if it has fewer than `limit` jobs. */
  readonly maxTasks?: number | undefined
  readonly matches: (job: Job) => boolean
}

export interface JobPage {
  readonly jobs: readonly Job[]
  /** Id after which the next page continues; undefined on the last page. */
  readonly next: string | undefined
}

/** Jobs scanned per page: a filter that matches almost nothing must not read the whole history. */
const maxScanned = 500
const maxIdsPerRead = 100

const lowestRandomness = '0'.repeat(16)
const highestRandomness = 'Z'.repeat(16)
const maxUlidMs = 281_474_976_710_655
const idAt = (ms: number, rest: string) =>
  `job_${encodeTime(Math.min(maxUlidMs, Math.max(0, ms)), 10)}${rest}`

/** Lower and upper bound of all job ids. */
export const idBounds = { first: idAt(0, lowestRandomness), last: idAt(maxUlidMs, highestRandomness) }

/** Maximum time between choosing a job's id, which determines the order, and its `createdAt`. */
const maxCreationMs = 60_000

interface Range {
  /** Both limits are inclusive. */
  readonly from: string
  readonly to: string
}

export async function queryJobs(
  query: JobQuery,
  table: Table,
  read: (ids: readonly string[]) => Promise<Job[]>,
): Promise<JobPage> {
  const { limit, after, newestFirst } = query
  const foundJobs: Job[] = []
  let scanned = 0
  let lastId = after
  for (;;) {
    // Without a filter, one more job than the page shows whether there is a next page.
    const count = scanned === 0 ? Math.min(limit + 1, maxIdsPerRead) : maxIdsPerRead
    const { ids, isEnd } = await nextIds(query, lastId, count, table)
    const candidates = (await read(ids)).filter((job) => matchesQuery(job, query))
    for (const job of candidates) {
      if (isFull(foundJobs, job, query)) return { jobs: foundJobs, next: foundJobs.at(-1)?.id }
      foundJobs.push(job)
    }
    scanned += ids.length
    lastId = ids.at(-1) ?? lastId
    if (isEnd) return { jobs: foundJobs, next: undefined }
    if (scanned >= maxScanned) return { jobs: foundJobs, next: lastId }
    if (ids.length === 0)
      throw new Error(`the job list does not advance ${newestFirst ? 'before' : 'after'} ${lastId}`)
  }
}

/** Compares `createdAt`, because the id is older than that timestamp. */
function matchesQuery(job: Job, { createdAfterMs, createdBeforeMs, matches }: JobQuery): boolean {
  const createdMs = Date.parse(job.createdAt)
  if (createdAfterMs !== undefined && createdMs <= createdAfterMs) return false
  if (createdBeforeMs !== undefined && createdMs >= createdBeforeMs) return false
  return matches(job)
}

function isFull(foundJobs: readonly Job[], nextJob: Job, { limit, maxTasks = Infinity }: JobQuery): boolean {
  const tasks = foundJobs.reduce((sum, { total }) => sum + total, 0)
  return foundJobs.length >= limit || (foundJobs.length > 0 && tasks + nextJob.total > maxTasks)
}

/** Merges the next ids of all index partitions in order, up to the point that each of them was read. */
async function nextIds(
  query: JobQuery,
  lastId: string | undefined,
  count: number,
  table: Table,
): Promise<{ ids: string[]; isEnd: boolean }> {
  const { newestFirst } = query
  const range = rangeOf(query, lastId)
  if (range.from > range.to) return { ids: [], isEnd: true }
  const pages = await Promise.all(
    indexKeysOf(query).map((indexKey) =>
      queryIds(indexKey, range, { newestFirst, last: lastId, count }, table),
    ),
  )
  const lastIds = pages.filter(({ hasMore }) => hasMore).map(({ ids }) => ids.at(-1) ?? '')
  const compare = (a: string, b: string) => (newestFirst ? b.localeCompare(a) : a.localeCompare(b))
  const frontier = lastIds.sort(compare)[0]
  const knownIds = [...new Set(pages.flatMap((page) => page.ids))]
    .sort(compare)
    .filter((id) => frontier === undefined || compare(id, frontier) <= 0)
  return { ids: knownIds.slice(0, count), isEnd: frontier === undefined && knownIds.length <= count }
}

function rangeOf(
  { newestFirst, createdAfterMs, createdBeforeMs }: JobQuery,
  lastId: string | undefined,
): Range {
  const from =
    createdAfterMs === undefined ? idBounds.first : idAt(createdAfterMs - maxCreationMs, lowestRandomness)
  const to = createdBeforeMs === undefined ? idBounds.last : idAt(createdBeforeMs, highestRandomness)
  if (lastId === undefined) return { from, to }
  return newestFirst ? { from, to: lastId < to ? lastId : to } : { from: lastId > from ? lastId : from, to }
}

interface IndexKey {
  readonly index: string
  readonly attribute: string
  readonly value: string
}

function indexKeysOf({ owner, statuses, tag }: JobQuery): IndexKey[] {
  if (tag !== undefined) return [{ index: 'byTag', attribute: 'tagKey', value: tagKeyOf(owner, tag) }]
  const statusLists = statuses
    ? [...new Set(statuses.map(listOf))].filter((list) => list !== undefined)
    : listsByStatus
  const lists = statusLists.length === 0 ? [] : [...statusLists, oneList]
  return lists.map((list) => ({ index: 'byList', attribute: 'listKey', value: `${owner}#${list}` }))
}

async function queryIds(
  { index, attribute, value }: IndexKey,
  { from, to }: Range,
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
    // One more, because the range includes the last id of the previous read.
    Limit: count + 1,
  })
  const ids = items.map(({ id }) => String(id)).filter((id) => id !== last)
  return { ids, hasMore: next !== undefined && ids.length > 0 }
}
