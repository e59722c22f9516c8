import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  app,
  createOwner,
  fetchPage,
  getMinutes,
  listPages,
  minuteMs,
  minutesUpTo,
  newestFirst,
  type Owner,
  ownerOfManyJobs,
  start,
} from './support/job-lists.ts'

const isoTimeAt = (minute: number) => new Date(start + minute * minuteMs).toISOString()

const listAllPages = async (owner: Owner, query: Readonly<Record<string, string>> = {}) =>
  getMinutes(await listPages(owner, query))

test('the pages of a job list contain all jobs, newest first, and end after the last one', async () => {
  const pages = await listPages(ownerOfManyJobs, { limit: '37' })
  assert.deepEqual(getMinutes(pages), newestFirst(minutesUpTo(230)))
  assert.deepEqual(
    pages.map(({ minutes }) => minutes.length),
    [37, 37, 37, 37, 37, 37, 8],
  )
  for (const { hasMore, next, link } of pages.slice(0, -1)) {
    assert.ok(hasMore && next)
    const url = `http://localhost:8080/v1/jobs?sort=-createdAt&limit=37&cursor=${next}`
    assert.equal(link?.split(', ')[0], `<${url}>; rel="next"`)
  }
  const lastPage = pages.at(-1)
  assert.deepEqual([lastPage?.hasMore, lastPage?.next], [false, null])
  assert.match(lastPage?.link ?? '', /^<[^<>]+>; rel="prev"$/)
})

test('a job list whose last page is full ends with that page', async () => {
  const pages = await listPages(ownerOfManyJobs, { limit: '46' })
  assert.deepEqual(
    pages.map(({ minutes }) => minutes.length),
    [46, 46, 46, 46, 46],
  )
})

test('a job list with sort=createdAt starts with the oldest job', async () => {
  assert.deepEqual(await listAllPages(ownerOfManyJobs, { limit: '50', sort: 'createdAt' }), minutesUpTo(230))
})

for (const sort of ['-createdAt', 'createdAt']) {
  test(`a job list with sort=${sort} has the same pages when read backwards`, async () => {
    const forwardPages = await listPages(ownerOfManyJobs, { limit: '23', sort })
    const back = await listPages(
      ownerOfManyJobs,
      { limit: '23', sort },
      'prev',
      forwardPages.at(-1)?.prev ?? '',
    )
    assert.deepEqual(
      back.toReversed().map(({ minutes }) => minutes),
      forwardPages.slice(0, -1).map(({ minutes }) => minutes),
    )
    assert.equal(back.at(-1)?.prev, null)
    assert.deepEqual(
      (await fetchPage(ownerOfManyJobs, { limit: '23', sort, cursor: back[0]?.next ?? '' })).minutes,
      forwardPages.at(-1)?.minutes,
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
  [{ createdAfter: isoTimeAt(200) }, (minute) => minute > 200],
  [{ createdBefore: isoTimeAt(20) }, (minute) => minute < 20],
  [{ createdAfter: isoTimeAt(20), createdBefore: isoTimeAt(30) }, (minute) => minute > 20 && minute < 30],
  [
    { createdAfter: '2026-03-01T01:20:00+01:00', createdBefore: isoTimeAt(25) },
    (minute) => minute > 20 && minute < 25,
  ],
  [{ createdAfter: isoTimeAt(30), createdBefore: isoTimeAt(20) }, () => false],
  [{ createdBefore: '1969-12-31T23:59:59Z' }, () => false],
  [{ createdAfter: '1901-01-01T00:00:00Z', status: 'failed' }, (minute) => minute % 6 === 3],
  [{ createdAfter: '9999-12-31T23:59:59Z' }, () => false],
]

for (const [query, holds] of filters) {
  test(`the job list filter ${new URLSearchParams(query)} matches the right jobs in both sort orders`, async () => {
    const expectedNumbers = minutesUpTo(230).filter(holds)
    assert.deepEqual(
      await listAllPages(ownerOfManyJobs, { ...query, limit: '7' }),
      newestFirst(expectedNumbers),
    )
    assert.deepEqual(
      await listAllPages(ownerOfManyJobs, { ...query, limit: '100', sort: 'createdAt' }),
      expectedNumbers,
    )
  })
}

test('the targetFormat filter of a job list accepts the alias of a format', async () => {
  const owner = await createOwner({ minute: 1, target: 'jpg' }, { minute: 2, target: 'png' })
  assert.deepEqual(await listAllPages(owner, { targetFormat: 'JPEG' }), [1])
})

test('a job list filtered by an unknown operation is rejected, and the error lists the known operations', async () => {
  const { status, json } = await app.send('GET', '/v1/jobs', { query: { operation: 'no-such' } })
  assert.deepEqual([status, json.error.details.field], [400, 'operation'])
  assert.match(json.error.message, /convert, .*merge/)
})

test('a job created long after its id was issued is listed by its creation time', async () => {
  const owner = await createOwner({ minute: 1, delayMs: 40_000 }, { minute: 3 })
  const [shownJob] = (await app.send('GET', '/v1/jobs', { ...owner, query: { sort: 'createdAt' } })).json.data
    .jobs
  const { createdAt } = shownJob
  assert.equal(createdAt, new Date(start + minuteMs + 40_000).toISOString())
  const msBefore = new Date(Date.parse(createdAt) - 1).toISOString()
  const oneMsLater = new Date(Date.parse(createdAt) + 1).toISOString()
  assert.deepEqual(await listAllPages(owner, { createdAfter: msBefore, createdBefore: oneMsLater }), [1])
  assert.deepEqual(await listAllPages(owner, { createdAfter: createdAt }), [3])
  assert.deepEqual(await listAllPages(owner, { createdBefore: createdAt }), [])
})

test('a job list with include=tasks shows the tasks of each job', async () => {
  const owner = await createOwner(...minutesUpTo(3).map((minute) => ({ minute })))
  const { json } = await app.send('GET', '/v1/jobs', { ...owner, query: { include: 'tasks' } })
  assert.deepEqual(
    json.data.jobs.map(({ tasks }: { tasks: object }) => Object.keys(tasks)),
    [['import-0'], ['import-0'], ['import-0']],
  )
})

test('a job list contains no jobs of other owners, and a cursor is valid only for the list that returned it', async () => {
  const owner = await createOwner({ minute: 1 }, { minute: 2 })
  const { next } = await fetchPage(owner, { limit: '1' })
  assert.ok(next)
  assert.deepEqual((await fetchPage(await createOwner())).minutes, [])
  const wrongFilters: [of: Owner, query: Record<string, string>][] = [
    [ownerOfManyJobs, { cursor: next }],
    [owner, { cursor: next, tag: 'a' }],
    [owner, { cursor: next, sort: 'createdAt' }],
    [owner, { cursor: `${next.slice(0, -2)}AA` }],
    [owner, { cursor: 'nonsense' }],
    [owner, { cursor: '' }],
    [owner, { cursor: Buffer.from(`next.job_1.${'é'.repeat(22)}`).toString('base64url') }],
  ]
  for (const [{ headers }, query] of wrongFilters) {
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
  test(`a job list with the query ${new URLSearchParams(query as Record<string, string>)} is refused, and the error names the parameter`, async () => {
    const { status, json } = await app.send('GET', '/v1/jobs', { query: query as Record<string, string> })
    assert.equal(status, 400)
    assert.match(json.error.details.field, new RegExp(`^${Object.keys(query)[0]}`))
  })
}
