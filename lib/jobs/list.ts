import { encodeTime } from 'ulid'
import type { Table } from '../aws/table.ts'
import { isLive, type Job, type JobStatus } from './job.ts'

/** Jobs of an owner by age: an index for each state that stays, and one for those under way. */

const lists = ['live', 'completed', 'failed', 'cancelled'] as const
type List = (typeof lists)[number]

const listOf = (status: JobStatus): List | undefined =>
  isLive(status) ? 'live' : lists.find((list) => list === status)

/** Undefined for what is in no list, as an expired job. */
export function listKeyOf(owner: string, status: JobStatus): string | undefined {
  const list = listOf(status)
  return list && `${owner}#${list}`
}

export const tagKeyOf = (owner: string, tag: string) => `${owner}#${tag}`

export interface JobQuery {
  readonly owner: string
  readonly limit: number
  readonly newestFirst: boolean
  /** Id of the last job that was looked at for the page before. */
  readonly after?: string | undefined
  readonly statuses?: readonly JobStatus[] | undefined
  readonly tag?: string | undefined
  /** Milliseconds since the epoch, both exclusive. */
  readonly createdAfterMs?: number | undefined
  readonly createdBeforeMs?: number | undefined
  readonly matches: (job: Job) => boolean
}

export interface JobPage {
  readonly jobs: readonly Job[]
  /** Id after which the next page goes on; undefined on the last. */
  readonly next: string | undefined
}

/** Jobs that are looked at for one page: a filter that hardly anything passes must not read a whole history. */
const mostLooked = 500
const idsPerRead = 100

const lowest = '0'.repeat(16)
const highest = 'Z'.repeat(16)
const idAt = (ms: number, rest: string) => `job_${encodeTime(ms, 10)}${rest}`
const latestMs = 281_474_976_710_655

interface Range {
  /** Both inclusive. */
  readonly from: string
  readonly to: string
}

export async function listJobs(
  query: JobQuery,
  table: Table,
  read: (ids: readonly string[]) => Promise<Job[]>,
): Promise<JobPage> {
  const { limit, matches, newestFirst, after } = query
  const found: Job[] = []
  let looked = 0
  let last = after
  for (;;) {
    const { ids, isEnd } = await nextIds(query, last, table)
    for (const job of await read(ids)) {
      if (!matches(job)) continue
      found.push(job)
      if (found.length > limit) return { jobs: found.slice(0, limit), next: found[limit - 1]?.id }
    }
    looked += ids.length
    last = ids.at(-1) ?? last
    if (isEnd) return { jobs: found, next: undefined }
    if (looked >= mostLooked) return { jobs: found, next: last }
    if (ids.length === 0) throw new Error(`a list does not go on ${newestFirst ? 'before' : 'after'} ${last}`)
  }
}

/** The next ids of all lists together, in order, as far as each of them was read. */
async function nextIds(
  query: JobQuery,
  last: string | undefined,
  table: Table,
): Promise<{ ids: string[]; isEnd: boolean }> {
  const { newestFirst } = query
  const range = rangeOf(query, last)
  if (range.from > range.to) return { ids: [], isEnd: true }
  const pages = await Promise.all(
    placesOf(query).map((place) => idsIn(place, range, newestFirst, last, table)),
  )
  const unread = pages.filter(({ hasMore }) => hasMore).map(({ ids }) => ids.at(-1) ?? '')
  const inOrder = (a: string, b: string) => (newestFirst ? b.localeCompare(a) : a.localeCompare(b))
  const frontier = unread.sort(inOrder)[0]
  const ids = [...new Set(pages.flatMap((page) => page.ids))].sort(inOrder)
  return {
    ids: frontier === undefined ? ids : ids.filter((id) => inOrder(id, frontier) <= 0),
    isEnd: frontier === undefined,
  }
}

function rangeOf(
  { newestFirst, createdAfterMs, createdBeforeMs }: JobQuery,
  last: string | undefined,
): Range {
  const from = createdAfterMs === undefined ? idAt(0, lowest) : idAt(createdAfterMs + 1, lowest)
  const to = createdBeforeMs === undefined ? idAt(latestMs, highest) : idAt(createdBeforeMs - 1, highest)
  if (last === undefined) return { from, to }
  return newestFirst ? { from, to: last < to ? last : to } : { from: last > from ? last : from, to }
}

interface Place {
  readonly index: string
  readonly attribute: string
  readonly value: string
}

function placesOf({ owner, statuses, tag }: JobQuery): Place[] {
  if (tag !== undefined) return [{ index: 'byTag', attribute: 'tagKey', value: tagKeyOf(owner, tag) }]
  const wanted = statuses ? [...new Set(statuses.map(listOf))].filter((list) => list !== undefined) : lists
  return wanted.map((list) => ({ index: 'byList', attribute: 'listKey', value: `${owner}#${list}` }))
}

async function idsIn(
  { index, attribute, value }: Place,
  { from, to }: Range,
  newestFirst: boolean,
  last: string | undefined,
  table: Table,
): Promise<{ ids: string[]; hasMore: boolean }> {
  const { items, next } = await table.query({
    IndexName: index,
    KeyConditionExpression: '#key = :key AND id BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#key': attribute },
    ExpressionAttributeValues: { ':key': value, ':from': from, ':to': to },
    ScanIndexForward: !newestFirst,
    Limit: idsPerRead,
  })
  const ids = items.map(({ id }) => String(id)).filter((id) => id !== last)
  return { ids, hasMore: next !== undefined && ids.length > 0 }
}
