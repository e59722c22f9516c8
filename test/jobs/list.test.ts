import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTime } from 'ulid'
import type { Table } from '../../lib/aws/table.ts'
import { getListKey, getTagKey, type JobQuery, queryJobs } from '../../lib/jobs/list.ts'
import type { Job, JobStatus } from '../../lib/model/job.ts'
import { newJob, start, timestamp } from './records.ts'

const { job } = newJob([])
/** As in the service, the time in an id is shortly before the creation time of the job. */
const createId = (at: number) =>
  `job_${encodeTime(start.getTime() + at * 1000 - 5, 10)}${String(at).padStart(16, '0')}`

/** Creates a list of jobs with these statuses, and records the queries that are sent to the indexes. */
function createList(
  statuses: readonly JobStatus[],
  { pageSize = 100, tag = '', isInOneList = (_at: number): boolean => false } = {},
) {
  const jobs = statuses.map(
    (status, at): Job => ({
      ...job,
      id: createId(at),
      status,
      ...(isInOneList(at) ? { inOneList: true } : {}),
      total: 3,
      createdAt: timestamp(at),
    }),
  )
  const requestedKeys: unknown[] = []
  let readCount = 0
  const table = {
    query: async ({ IndexName, ExpressionAttributeValues: values, ScanIndexForward, Limit }: never) => {
      const [key, from, to] = Object.values(values as Record<string, string>)
      const forward: boolean = ScanIndexForward
      requestedKeys.push([IndexName, key])
      const getIndexKey = (indexedJob: Job) =>
        IndexName === 'byTag' ? getTagKey('anon_1', tag) : getListKey(indexedJob)
      const foundJobs = jobs.filter(
        (one) => getIndexKey(one) === key && one.id >= String(from) && one.id <= String(to),
      )
      const items = (forward ? foundJobs : foundJobs.toReversed()).slice(0, Math.min(Limit, pageSize))
      return { items, next: items.length < foundJobs.length ? {} : undefined }
    },
  } as unknown as Table // a stub with only the members that are used
  const list = async (query: Partial<JobQuery> = {}) => {
    const wholeQuery = { owner: 'anon_1', limit: 10, newestFirst: true, matches: () => true, ...query }
    // One job more than the page size is read, to find out whether there is a next page.
    const maxRead = query.matches ? 100 : wholeQuery.limit + 1
    const read = async (ids: readonly string[]) => {
      assert.ok(ids.length <= maxRead, `${ids.length} jobs are read at once`)
      readCount += ids.length
      return ids.flatMap((id) => jobs.find((one) => one.id === id) ?? [])
    }
    const { jobs: foundJobs, next } = await queryJobs(wholeQuery, table, read)
    return { at: foundJobs.map(({ id }) => Number(id.slice(-2))), next }
  }
  return { list, asked: requestedKeys, lookedAt: () => readCount }
}
const mixedStatuses: JobStatus[] = ['completed', 'failed', 'queued', 'completed', 'cancelled', 'processing']

test('pages of a job list merge all statuses in order, even if each index returns few jobs at a time', async () => {
  for (const pageSize of [100, 2])
    for (const newestFirst of [true, false]) {
      const { list } = createList(mixedStatuses, { pageSize })
      const allJobIndexes: number[] = []
      let afterId: string | undefined
      do {
        const { at, next } = await list({ limit: 4, newestFirst, after: afterId })
        assert.ok(at.length > 0 && at.length <= 4)
        allJobIndexes.push(...at)
        afterId = next
      } while (afterId !== undefined)
      const inOrder = [0, 1, 2, 3, 4, 5]
      assert.deepEqual(
        allJobIndexes,
        newestFirst ? inOrder.toReversed() : inOrder,
        `${pageSize} ${newestFirst}`,
      )
    }
})

test('a job list queries only the index partitions of the requested statuses', async () => {
  const lists = async (statuses: JobStatus[]) => {
    const { list, asked } = createList(mixedStatuses)
    return [(await list({ statuses })).at, asked]
  }
  const expectedQueries = [
    ['byList', 'anon_1#live'],
    ['byList', 'anon_1#failed'],
    ['byList', 'anon_1#all'],
  ]
  assert.deepEqual(await lists(['queued', 'processing', 'failed']), [[5, 2, 1], expectedQueries])
  assert.deepEqual(await lists(['expired']), [[], []])
  const taggedList = createList(mixedStatuses, { tag: 'mine' })
  assert.equal((await taggedList.list({ tag: 'mine' })).at.length, 6)
  assert.deepEqual(taggedList.asked, [['byTag', 'anon_1#mine']])
})

test('jobs with inOneList share one index key in all statuses except expired, and can be filtered by status', async () => {
  const isMixed = (at: number) => at % 2 === 0
  const { list } = createList(mixedStatuses, { isInOneList: isMixed })
  const statuses: JobStatus[] = ['queued', 'processing', 'failed']
  assert.deepEqual(
    (await list({ statuses, matches: ({ status }) => statuses.includes(status) })).at,
    [5, 2, 1],
  )
  assert.deepEqual((await list({ limit: 6 })).at, [5, 4, 3, 2, 1, 0])
  const getKeyFor = (status: JobStatus) => getListKey({ owner: 'anon_1', status, inOneList: true })
  assert.deepEqual(mixedStatuses.map(getKeyFor), Array(6).fill('anon_1#all'))
  assert.equal(getKeyFor('expired'), undefined)
})

test('the bounds createdAfterMs and createdBeforeMs of a job list are exclusive, and maxTasks limits each page', async () => {
  const { list } = createList(mixedStatuses)
  const [createdAfterMs, createdBeforeMs] = [Date.parse(timestamp(1)), Date.parse(timestamp(4))]
  assert.deepEqual((await list({ createdAfterMs })).at, [5, 4, 3, 2])
  assert.deepEqual((await list({ createdBeforeMs })).at, [3, 2, 1, 0])
  assert.deepEqual((await list({ matches: ({ status }) => status === 'failed' })).at, [1])
  // To find a match near the end, more jobs than one page must be scanned.
  for (const pageSize of [100, 2]) {
    const lateList = createList(mixedStatuses, { pageSize })
    assert.deepEqual((await lateList.list({ limit: 1, matches: ({ id }) => id === createId(0) })).at, [0])
  }
  assert.deepEqual((await list({ maxTasks: 9 })).at, [5, 4, 3])
  assert.deepEqual((await list({ maxTasks: 2 })).at, [5], 'a single job that exceeds the maximum is a page')
  assert.deepEqual(await list({ limit: 6 }), { at: [5, 4, 3, 2, 1, 0], next: undefined })
})

test('a job list filter with few matches scans at most 500 jobs per page and reaches the whole history', async () => {
  const { list, lookedAt } = createList(
    Array.from({ length: 1300 }, () => 'completed'),
    { pageSize: 1000 },
  )
  const isOldest = ({ id }: Job) => id === createId(0)
  const pageEnds: { found: number; lookedAt: number }[] = []
  let afterId: string | undefined
  do {
    const { at, next } = await list({ limit: 99, matches: isOldest, after: afterId })
    pageEnds.push({ found: at.length, lookedAt: lookedAt() })
    afterId = next
  } while (afterId !== undefined)
  assert.deepEqual(pageEnds, [
    { found: 0, lookedAt: 500 },
    { found: 0, lookedAt: 1000 },
    { found: 1, lookedAt: 1300 },
  ])
})

test('a filtered job list finds a match on the last index page and scans each job once', async () => {
  for (const newestFirst of [true, false]) {
    const { list, lookedAt } = createList(
      Array.from({ length: 9 }, () => 'completed'),
      { pageSize: 3 },
    )
    const lastIndex = newestFirst ? 0 : 8
    assert.deepEqual((await list({ newestFirst, matches: ({ id }) => id === createId(lastIndex) })).at, [
      lastIndex,
    ])
    assert.equal(lookedAt(), 9, 'each job is scanned once')
  }
})

test('listed jobs are in order even if one status has few jobs and another status has many', async () => {
  const [liveStatus, doneStatus] = ['processing', 'completed'] as const
  // The index of each status returns two jobs at a time: first the live jobs 8 and 2, and the completed jobs 9 and 7.
  const { list } = createList(
    [
      liveStatus,
      liveStatus,
      liveStatus,
      doneStatus,
      doneStatus,
      doneStatus,
      doneStatus,
      doneStatus,
      liveStatus,
      doneStatus,
    ],
    { pageSize: 2 },
  )
  const inOrder = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  assert.deepEqual((await list()).at, inOrder.toReversed())
  assert.deepEqual((await list({ newestFirst: false })).at, inOrder)
})
