import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTime } from 'ulid'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { newId } from '../../lib/ids.ts'
import { listKeyOf } from '../../lib/jobs/list.ts'
import { createGraphRecords, type NewJob } from '../../lib/jobs/task-graph.ts'
import type { JobStatus } from '../../lib/model/job.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'

let app: EmbeddedApp
/** An owner with jobs of every kind. */
let many: Owner
before(async () => {
  app = await openApp()
  many = await ownerOf(
    ...upTo(230).map((minute) => ({
      minute,
      status: states[minute % states.length] ?? 'queued',
      ...(minute % 10 === 3 && { tag: 'invoices' }),
      target: minute % 4 === 0 ? 'webp' : 'pdf',
      operations: minute % 5 === 0 ? ['convert', 'merge'] : ['convert'],
    })),
  )
})
after(() => app.close())

const states = ['queued', 'processing', 'completed', 'failed', 'cancelled', 'pending'] as const
const start = Date.parse('2026-03-01T00:00:00.000Z')
const minuteMs = 60_000
const timeAt = (minute: number) => new Date(start + minute * minuteMs).toISOString()

interface Given {
  /** Minutes since `start`, from which ids and times are derived. */
  readonly minute: number
  readonly status?: JobStatus
  readonly tag?: string
  readonly target?: string
  readonly operations?: string[]
  readonly tasks?: number
  /** Minutes between choosing the id and creating the job. */
  readonly delayMs?: number
}

let owners = 0
type OwnerId = { readonly id: string; readonly number: number }

/** The id ends with the number of the owner and the minute. */
const idAt = ({ number }: OwnerId, minute: number) =>
  `job_${encodeTime(start + minute * minuteMs, 10)}${String(number * 1e6 + minute).padStart(16, '0')}`

/** Stores an owner with jobs. */
async function ownerOf(...jobs: readonly Given[]) {
  const id = newId('anon')
  const token = signOwnerToken(id, app.services.keys.owner)
  const owner = { id, number: ++owners, headers: { 'x-owner-token': token } }
  await forEachConcurrently(jobs, 8, async (job) => {
    await make(owner, job)
  })
  return owner
}
type Owner = Awaited<ReturnType<typeof ownerOf>>

async function make(owner: OwnerId, given: Given): Promise<string> {
  const {
    minute,
    status,
    tag = null,
    target = 'pdf',
    operations = ['convert'],
    tasks = 1,
    delayMs = 0,
  } = given
  const { store } = app.services.jobs
  const id = idAt(owner, minute)
  const display = { source: null, target: { format: target }, operations, pollS: 2 }
  const job: NewJob = {
    id,
    owner: owner.id,
    requestId: 'req_1',
    tag,
    display,
    warnings: [],
    retentionS: 3600,
    require: 'all',
    failFast: false,
    tasks: Array.from({ length: tasks }, (_, at) => ({
      name: `import-${at}`,
      operation: 'import/upload',
      ins: [],
      spec: {},
      warnings: [],
      continueOnError: false,
      fixed: { status: 'completed', files: [] },
    })),
  }
  assert.ok(await store.create(createGraphRecords(job, new Date(start + minute * minuteMs + delayMs))))
  if (status) await become(owner, minute, status)
  return id
}

async function become(owner: OwnerId, minute: number, status: JobStatus): Promise<void> {
  const listKey = listKeyOf(owner.id, status)
  const change = listKey ? { set: { status, listKey } } : { set: { status }, remove: ['listKey', 'tagKey'] }
  const { applied } = await app.services.jobs.store.changeJob(idAt(owner, minute), change)
  assert.ok(applied)
}

interface Page {
  readonly minutes: readonly number[]
  readonly next: string | null
  readonly prev: string | null
  readonly hasMore: boolean
  readonly link: string | undefined
}

async function page({ headers }: Owner, query: Readonly<Record<string, string>> = {}): Promise<Page> {
  const { status, json, text, headers: answered } = await app.send('GET', '/v1/jobs', { headers, query })
  assert.equal(status, 200, text)
  const { jobs, pagination } = json.data
  return {
    minutes: jobs.map(({ jobId }: { jobId: string }) => Number(jobId.slice(-6))),
    next: pagination.nextCursor,
    prev: pagination.prevCursor,
    hasMore: pagination.hasMore,
    link: answered.link,
  }
}

/** Reads all pages from one on, in one direction. */
async function pagesFrom(
  owner: Owner,
  query: Readonly<Record<string, string>>,
  way: 'next' | 'prev' = 'next',
  first?: string,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor: string | null | undefined = first; cursor !== null; cursor = pages.at(-1)?.[way]) {
    pages.push(await page(owner, { ...query, ...(cursor && { cursor }) }))
    assert.ok(pages.length < 60, 'the list has an end')
  }
  return pages
}

const minutesOf = (pages: readonly Page[]) => pages.flatMap(({ minutes }) => minutes)
const all = async (owner: Owner, query: Readonly<Record<string, string>> = {}) =>
  minutesOf(await pagesFrom(owner, query))
const upTo = (count: number) => Array.from({ length: count }, (_, minute) => minute)
const newestFirst = (minutes: readonly number[]) => minutes.toSorted((a, b) => b - a)

test('the pages of a job list contain all jobs, newest first, and end after the last one', async () => {
  const pages = await pagesFrom(many, { limit: '37' })
  assert.deepEqual(minutesOf(pages), newestFirst(upTo(230)))
  assert.deepEqual(
    pages.map(({ minutes }) => minutes.length),
    [37, 37, 37, 37, 37, 37, 8],
  )
  for (const { hasMore, next, link } of pages.slice(0, -1)) {
    assert.ok(hasMore && next)
    assert.equal(link, `<http://localhost:8080/v1/jobs?sort=-createdAt&limit=37&cursor=${next}>; rel="next"`)
  }
  const last = pages.at(-1)
  assert.deepEqual([last?.hasMore, last?.next, last?.link], [false, null, undefined])
})

test('a job list whose last page is full ends with that page', async () => {
  const pages = await pagesFrom(many, { limit: '46' })
  assert.deepEqual(
    pages.map(({ minutes }) => minutes.length),
    [46, 46, 46, 46, 46],
  )
})

test('sort=createdAt lists the oldest first', async () => {
  assert.deepEqual(await all(many, { limit: '50', sort: 'createdAt' }), upTo(230))
})

for (const sort of ['-createdAt', 'createdAt']) {
  test(`the pages of ${sort} are the same when read backwards`, async () => {
    const there = await pagesFrom(many, { limit: '23', sort })
    const back = await pagesFrom(many, { limit: '23', sort }, 'prev', there.at(-1)?.prev ?? '')
    assert.deepEqual(
      back.toReversed().map(({ minutes }) => minutes),
      there.slice(0, -1).map(({ minutes }) => minutes),
    )
    assert.equal(back.at(-1)?.prev, null)
    assert.deepEqual(
      (await page(many, { limit: '23', sort, cursor: back[0]?.next ?? '' })).minutes,
      there.at(-1)?.minutes,
    )
  })
}

const filters: [query: Record<string, string>, holds: (minute: number) => boolean][] = [
  [{ status: 'completed' }, (minute) => minute % 6 === 2],
  [{ status: 'completed,failed' }, (minute) => [2, 3].includes(minute % 6)],
  [{ status: 'queued' }, (minute) => minute % 6 === 0],
  [{ status: 'pending, processing' }, (minute) => [1, 5].includes(minute % 6)],
  [{ status: 'expired' }, () => false],
  [{ tag: 'invoices' }, (minute) => minute % 10 === 3],
  [{ tag: 'others' }, () => false],
  [{ tag: 'invoices', status: 'failed' }, (minute) => minute % 10 === 3 && minute % 6 === 3],
  [{ targetFormat: 'webp' }, (minute) => minute % 4 === 0],
  [{ operation: 'merge' }, (minute) => minute % 5 === 0],
  [{ operation: 'merge', targetFormat: 'webp' }, (minute) => minute % 20 === 0],
  [{ createdAfter: timeAt(200) }, (minute) => minute > 200],
  [{ createdBefore: timeAt(20) }, (minute) => minute < 20],
  [{ createdAfter: timeAt(20), createdBefore: timeAt(30) }, (minute) => minute > 20 && minute < 30],
  [
    { createdAfter: '2026-03-01T01:20:00+01:00', createdBefore: timeAt(25) },
    (minute) => minute > 20 && minute < 25,
  ],
  [{ createdAfter: timeAt(30), createdBefore: timeAt(20) }, () => false],
  [{ createdBefore: '1969-12-31T23:59:59Z' }, () => false],
  [{ createdAfter: '1901-01-01T00:00:00Z', status: 'failed' }, (minute) => minute % 6 === 3],
  [{ createdAfter: '9999-12-31T23:59:59Z' }, () => false],
]
for (const [query, holds] of filters) {
  test(`the job list filter ${new URLSearchParams(query)} matches the right jobs in both directions`, async () => {
    const expected = upTo(230).filter(holds)
    assert.deepEqual(await all(many, { ...query, limit: '7' }), newestFirst(expected))
    assert.deepEqual(await all(many, { ...query, limit: '100', sort: 'createdAt' }), expected)
  })
}

test('a format filter accepts aliases', async () => {
  const owner = await ownerOf({ minute: 1, target: 'jpg' }, { minute: 2, target: 'png' })
  assert.deepEqual(await all(owner, { targetFormat: 'JPEG' }), [1])
})

test('pages of a job list do not shift when jobs are created, finish, expire or are deleted', async () => {
  const owner = await ownerOf(...upTo(60).map((minute) => ({ minute })))
  const first = await page(owner, { limit: '20' })
  await make(owner, { minute: 1000 })
  for (const minute of [25, 30, 39]) await become(owner, minute, 'completed')
  await become(owner, 40, 'failed')
  await become(owner, 33, 'expired')
  await app.services.jobs.store.deleteJob(idAt(owner, 34))
  const rest = await pagesFrom(owner, { limit: '20' }, 'next', first.next ?? '')
  const left = upTo(60).filter((minute) => minute !== 33 && minute !== 34)
  assert.deepEqual(newestFirst([...first.minutes, ...minutesOf(rest)]), newestFirst(left))
  const back = await pagesFrom(owner, { limit: '20' }, 'prev', rest[0]?.prev ?? '')
  assert.deepEqual(
    minutesOf(back.toReversed()),
    newestFirst([...left.filter((minute) => minute >= 40), 1000]),
  )
})

test('a previous page of a job list has a next page, even if all jobs before it are deleted', async () => {
  const owner = await ownerOf(...upTo(20).map((minute) => ({ minute })))
  const first = await page(owner, { limit: '10' })
  const second = await page(owner, { limit: '10', cursor: first.next ?? '' })
  for (const minute of upTo(20).slice(10)) await become(owner, minute, 'expired')
  const back = await page(owner, { limit: '10', cursor: second.prev ?? '' })
  assert.deepEqual([back.minutes, back.prev], [[], null])
  const again = await page(owner, { limit: '10', cursor: back.next ?? '' })
  assert.deepEqual(again.minutes, second.minutes)
})

test('a next page of a job list has a previous page, even if all jobs after it are deleted', async () => {
  const owner = await ownerOf(...upTo(20).map((minute) => ({ minute })))
  const first = await page(owner, { limit: '10' })
  for (const minute of upTo(10)) await become(owner, minute, 'expired')
  const second = await page(owner, { limit: '10', cursor: first.next ?? '' })
  assert.deepEqual([second.minutes, second.next, second.hasMore], [[], null, false])
  assert.deepEqual((await page(owner, { limit: '10', cursor: second.prev ?? '' })).minutes, first.minutes)
})

test('a narrow job filter reads a bounded number of jobs per page and finds all matches', async () => {
  const owner = await ownerOf(
    ...upTo(620).map((minute) => ({ minute, target: minute === 3 ? 'webp' : 'pdf' })),
  )
  const newest = { targetFormat: 'webp', limit: '5' }
  const there = await pagesFrom(owner, newest)
  assert.deepEqual(
    there.map(({ minutes, hasMore }) => [minutes, hasMore]),
    [
      [[], true],
      [[3], false],
    ],
  )
  const back = await pagesFrom(owner, newest, 'prev', there.at(-1)?.prev ?? '')
  assert.deepEqual(
    back.map(({ minutes, next }) => [minutes, next !== null]),
    [
      [[], true],
      [[], true],
    ],
  )
  assert.deepEqual(minutesOf(await pagesFrom(owner, newest, 'next', back.at(-1)?.next ?? '')), [3])
  const oldest = { ...newest, sort: 'createdAt' }
  const pages = await pagesFrom(owner, oldest)
  assert.deepEqual(
    pages.map(({ minutes, hasMore }) => [minutes, hasMore]),
    [
      [[3], true],
      [[], false],
    ],
  )
  assert.deepEqual(minutesOf(await pagesFrom(owner, oldest, 'prev', pages.at(-1)?.prev ?? '')), [3])
  const none = await pagesFrom(owner, { operation: 'thumbnail', limit: '100' })
  assert.deepEqual(
    none.map(({ minutes, hasMore }) => [minutes, hasMore]),
    [
      [[], true],
      [[], false],
    ],
  )
})

test('a filter by an unknown operation is rejected with the known operations', async () => {
  const { status, json } = await app.send('GET', '/v1/jobs', { query: { operation: 'no-such' } })
  assert.deepEqual([status, json.error.details.field], [400, 'operation'])
  assert.match(json.error.message, /convert, .*merge/)
})

test('a job that was created long after its id was issued is found by its creation time', async () => {
  const owner = await ownerOf({ minute: 1, delayMs: 40_000 }, { minute: 3 })
  const [shown] = (await app.send('GET', '/v1/jobs', { ...owner, query: { sort: 'createdAt' } })).json.data
    .jobs
  const { createdAt } = shown
  assert.equal(createdAt, new Date(start + minuteMs + 40_000).toISOString())
  const msBefore = new Date(Date.parse(createdAt) - 1).toISOString()
  const msAfter = new Date(Date.parse(createdAt) + 1).toISOString()
  assert.deepEqual(await all(owner, { createdAfter: msBefore, createdBefore: msAfter }), [1])
  assert.deepEqual(await all(owner, { createdAfter: createdAt }), [3])
  assert.deepEqual(await all(owner, { createdBefore: createdAt }), [])
})

test('include=tasks shows the tasks of each job', async () => {
  const owner = await ownerOf(...upTo(3).map((minute) => ({ minute })))
  const { json } = await app.send('GET', '/v1/jobs', { ...owner, query: { include: 'tasks' } })
  assert.deepEqual(
    json.data.jobs.map(({ tasks }: { tasks: object }) => Object.keys(tasks)),
    [['import-0'], ['import-0'], ['import-0']],
  )
})

test('pages of a job list with include=tasks are shorter if the jobs have many tasks', async () => {
  const owner = await ownerOf(...upTo(5).map((minute) => ({ minute, tasks: 900 })))
  const pages = await pagesFrom(owner, { include: 'tasks', limit: '100' })
  assert.deepEqual(
    pages.map(({ minutes }) => minutes),
    [[4, 3], [2, 1], [0]],
  )
  assert.deepEqual((await page(owner)).minutes, [4, 3, 2, 1, 0])
})

test('jobs of other owners are not listed, and a cursor is valid for its list only', async () => {
  const owner = await ownerOf({ minute: 1 }, { minute: 2 })
  const { next } = await page(owner, { limit: '1' })
  assert.ok(next)
  assert.deepEqual((await page(await ownerOf())).minutes, [])
  const wrong: [of: Owner, query: Record<string, string>][] = [
    [many, { cursor: next }],
    [owner, { cursor: next, tag: 'a' }],
    [owner, { cursor: next, sort: 'createdAt' }],
    [owner, { cursor: `${next.slice(0, -2)}AA` }],
    [owner, { cursor: 'nonsense' }],
    [owner, { cursor: '' }],
    [owner, { cursor: Buffer.from(`next.job_1.${'é'.repeat(22)}`).toString('base64url') }],
  ]
  for (const [{ headers }, query] of wrong) {
    const { status, json } = await app.send('GET', '/v1/jobs', { headers, query })
    assert.deepEqual([status, json.error.code, json.error.details.field], [400, 'INVALID_INPUT', 'cursor'])
  }
})

const wrongQueries = [
  { limit: '0' },
  { limit: '101' },
  { status: 'done' },
  { status: '' },
  { sort: 'tag' },
  { createdAfter: 'yesterday' },
  { include: 'files' },
]
for (const query of wrongQueries) {
  test(`the query ${new URLSearchParams(query as Record<string, string>)} is refused with the name of the parameter`, async () => {
    const { status, json } = await app.send('GET', '/v1/jobs', { query: query as Record<string, string> })
    assert.equal(status, 400)
    assert.match(json.error.details.field, new RegExp(`^${Object.keys(query)[0]}`))
  })
}
