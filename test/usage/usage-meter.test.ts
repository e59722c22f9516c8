import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { createUsageCounter } from '../../functions/count-usage.ts'
import { getAccountKey } from '../../lib/accounts/accounts.ts'
import type { Bus } from '../../lib/aws/bus.ts'
import type { JobEnd } from '../../lib/model/terminal-events.ts'
import { groupCounts, sumCounts } from '../../lib/usage/counts.ts'
import { createGetPercentile } from '../../lib/usage/duration-bins.ts'
import { getDay, getOwnerDayKey, getServiceDayPartition, parseCounts } from '../../lib/usage/records.ts'
import { computeSlo } from '../../lib/usage/reliability.ts'
import { RequestCounts } from '../../lib/usage/request-counts.ts'
import { UsageMeter } from '../../lib/usage/usage-meter.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount, newAdminKey, newKey } from '../support/account.ts'

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const share = {
  format: 'webp',
  engine: 'vips',
  workMs: 120,
  bytesIn: 1000,
  bytesOut: 400,
  durationMs: 150,
  queueMs: 20,
}
const timestamp = '2026-03-04T05:06:07.890Z'
let jobNumber = 0
const createJobEnd = (changes: Partial<JobEnd> = {}): JobEnd => ({
  event: 'job.completed',
  timestamp,
  id: `evt_${++jobNumber}`,
  owner: 'anon_one',
  share,
  ...changes,
})

const createMeter = (batchWindowMs = 0) =>
  new UsageMeter({
    table: app.services.table,
    isExcluded: async (owner) => owner === 'acc_admin',
    batchWindowMs,
  })
const readOwnerUsage = async (owner: string, day = getDay(timestamp)) =>
  parseCounts((await app.services.table.get(getOwnerDayKey(owner, day))) ?? {})
const readServiceUsage = async (day: string) => app.services.table.partition(getServiceDayPartition(day))

test('usage statistics count the end of a job once, even if several processes receive it', async () => {
  const [one, otherMeter] = [createMeter(), createMeter()]
  const allEnds = [
    createJobEnd(),
    createJobEnd(),
    createJobEnd({ event: 'job.failed', errorCode: 'CORRUPT_FILE' }),
  ]
  await Promise.all([...allEnds, ...allEnds].flatMap((end) => [one.count(end), otherMeter.count(end)]))
  await createMeter().count(allEnds[0] ?? createJobEnd())
  const counts = await readOwnerUsage('anon_one')
  const { jobs, completed, failed, bytesIn, workMs } = counts
  assert.deepEqual(
    { jobs, completed, failed, bytesIn, workMs },
    {
      jobs: 3,
      completed: 2,
      failed: 1,
      bytesIn: 3000,
      workMs: 360,
    },
  )
  assert.equal(groupCounts(counts, 'engine').get('vips')?.['jobs'], 3)
  assert.equal(groupCounts(counts, 'format').get('webp')?.['completed'], 2)
})

test('each job is counted once in the usage, whether job ends are stored one by one or in batches', async () => {
  const owner = 'anon_few'
  const allEnds = Array.from({ length: 12 }, () => createJobEnd({ owner }))
  const [batchEnds, singleEnds] = [allEnds.slice(0, 2), allEnds.slice(2)]
  const listCountedRecords = async () => app.services.table.partition(`USAGE#${owner}`, 'COUNTED#')
  for (const end of singleEnds.slice(0, 3)) await createMeter().count(end)
  assert.deepEqual(await listCountedRecords(), [])
  const day = await app.services.table.get(getOwnerDayKey(owner, getDay(timestamp)))
  assert.deepEqual(day?.['ids'], new Set(singleEnds.slice(0, 3).map(({ id }) => id)))
  // A batch stores the ids of its events in a record of its own. Single events are then looked up there as well.
  const meter = createMeter(20)
  await Promise.all(batchEnds.map((end) => meter.count(end)))
  assert.equal((await listCountedRecords()).length, 1)
  for (const end of [...allEnds, ...allEnds]) await createMeter().count(end)
  await Promise.all([...allEnds, ...allEnds].map((end) => meter.count(end)))
  assert.equal((await readOwnerUsage(owner))['jobs'], 12)
})

test('the usage of many jobs that end at the same time is counted on the day of each job', async () => {
  const owner = 'anon_many'
  const meter = createMeter(50)
  const days = ['2026-05-06', '2026-05-07']
  const allEnds = Array.from({ length: 200 }, (_, at) =>
    createJobEnd({ owner, timestamp: `${days[at % 2]}T10:00:0${at % 10}.000Z` }),
  )
  await Promise.all(allEnds.map((end) => meter.count(end)))
  for (const day of days) assert.equal((await readOwnerUsage(owner, day))['jobs'], 100)
})

test('closing the usage meter counts the events it has collected', async () => {
  const meter = createMeter(60_000)
  const countPromise = meter.count(createJobEnd({ owner: 'anon_late' }))
  await meter.close()
  await countPromise
  assert.equal((await readOwnerUsage('anon_late'))['jobs'], 1)
})

test('jobs of administrators are excluded from the service’s statistics', async () => {
  const day = '2026-07-08'
  const at = { timestamp: `${day}T00:00:00.000Z` }
  const meter = createMeter()
  await Promise.all(
    [createJobEnd(at), createJobEnd({ ...at, owner: 'acc_admin' })].map((end) => meter.count(end)),
  )
  const records = await readServiceUsage(day)
  const jobs = Object.fromEntries(records.map(({ sk, ...item }) => [String(sk).split('#')[0], item['jobs']]))
  assert.deepEqual(jobs, { vips: 1, excluded: 1 })
  assert.equal((await readOwnerUsage('acc_admin', day))['jobs'], 1, 'they see their own')
})

test('jobs of a former administrator stay excluded from the usage statistics while the role is cached', async () => {
  const day = '2026-09-11'
  const usageCounter = createUsageCounter({
    environment: { ...process.env, TABLE_NAME: 'mutabor' },
    batchWindowMs: 0,
  })
  const { services } = app
  const [adminHeaders, person] = [await newAccount(services, { role: 'ADMIN' }), await newAccount(services)]
  const countCompletedJob = async (owner: string, overrides: object = {}) =>
    usageCounter.handler({
      detail: { ...createJobEnd({ owner, timestamp: `${day}T00:00:00.000Z` }), job: {}, ...overrides },
    })
  for (const owner of [adminHeaders, person, 'anon_two', 'acc_gone', adminHeaders])
    await countCompletedJob(owner)
  await services.table.update(getAccountKey(adminHeaders), { set: { role: 'USER' } }, {})
  await countCompletedJob(adminHeaders, { event: 'job.failed', job: { error: { code: 'CORRUPT_FILE' } } })
  const { jobs, failed } = await readOwnerUsage(adminHeaders, day)
  assert.deepEqual([jobs, failed], [3, 1])
  const countJobEnd = async (engine: string) => {
    const records = (await readServiceUsage(day)).filter(({ sk }) => String(sk).startsWith(`${engine}#`))
    return records.reduce((sum, record) => sum + (parseCounts(record)['jobs'] ?? 0), 0)
  }
  assert.deepEqual([await countJobEnd('excluded'), await countJobEnd('vips')], [3, 3])
  await usageCounter.close()
})

test('percentiles of the durations of 1000 jobs are accurate to three percent', async () => {
  const day = '2026-09-10'
  const meter = createMeter()
  const durationsMs = Array.from({ length: 1000 }, (_, at) => (at + 1) * 10)
  await Promise.all(
    durationsMs.map((durationMs, at) =>
      meter.count(
        createJobEnd({
          timestamp: `${day}T00:00:00.000Z`,
          share: { ...share, engine: at % 3 ? 'vips' : 'ffmpeg', durationMs },
        }),
      ),
    ),
  )
  const getDurationPercentile = createGetPercentile(
    sumCounts((await readServiceUsage(day)).map(parseCounts)),
    'took',
  )
  for (const [share, expectedMs] of [
    [0.5, 5000],
    [0.95, 9500],
    [0.99, 9900],
  ] as const)
    assert.ok(
      Math.abs((getDurationPercentile(share) ?? 0) - expectedMs) <= expectedMs * 0.03,
      `${getDurationPercentile(share)} for ${expectedMs}`,
    )
  assert.equal(createGetPercentile({}, 'took')(0.5), null)
})

test('GET /v1/account/usage groups usage by month, engine or API key, and rejects invalid queries', async () => {
  const { headers } = await app.send('POST', '/v1/uploads/presign', {
    body: { filename: 'a.png', contentType: 'image/png', size: 10 },
  })
  const token = String(headers['x-owner-token'])
  const owner = String(token.split('.')[0])
  const meter = createMeter()
  const days = ['2026-01-30', '2026-02-01', '2026-02-02']
  for (const [at, day] of days.entries())
    await meter.count(
      createJobEnd({
        owner,
        timestamp: `${day}T12:00:00.000Z`,
        event: at === 1 ? 'job.failed' : 'job.completed',
        share: {
          ...share,
          engine: at === 0 ? 'ffmpeg' : 'vips',
          workMs: 90_000,
          ...(at > 0 && { key: 'key_1' }),
        },
      }),
    )
  const requestUsage = async (query: Readonly<Record<string, string>>) =>
    app.send('GET', '/v1/account/usage', { query, headers: { 'x-owner-token': token } })
  const period = { from: '2026-01-01', to: '2026-02-28' }
  const { data } = (await requestUsage({ ...period, granularity: 'month', groupBy: 'engine' })).json
  assert.deepEqual(data.period, period)
  assert.deepEqual(
    data.series.map(({ date, jobs, conversionMinutes }: Record<string, unknown>) => [
      ...[date, jobs, conversionMinutes],
    ]),
    [
      ['2026-01', 1, 1.5],
      ['2026-02', 2, 3],
    ],
  )
  assert.deepEqual(
    data.groups.map(({ name, jobs, failed }: Record<string, unknown>) => [name, jobs, failed]),
    [
      ['vips', 2, 1],
      ['ffmpeg', 1, 0],
    ],
  )
  const byKey = (await requestUsage({ ...period, groupBy: 'key' })).json.data.groups
  assert.deepEqual(
    byKey.map(({ name, jobs, failed }: Record<string, unknown>) => [name, jobs, failed]),
    [['key_1', 2, 1]],
  )
  const { jobs, completed, failed, bytesIn, bytesOut, conversionMinutes } = data.totals
  assert.deepEqual(
    [jobs, completed, failed, bytesIn, bytesOut, conversionMinutes],
    [3, 2, 1, 3000, 1200, 4.5],
  )
  assert.equal((await requestUsage({ from: '2026-02-01', to: '2026-02-01' })).json.data.totals.jobs, 1)
  for (const [query, message] of [
    [{ from: '2026-02-02', to: '2026-02-01' }, /^from: expected a day no later than "to" \(2026-02-01\)/],
    [{ from: '2024-01-01', to: '2026-02-01' }, /a day from 2025-02-01 to 2026-02-01, .*at most 366 days/],
    [{ from: 'yesterday' }, /^from: /],
    [{ groupBy: 'color' }, /^groupBy: .*engine/],
    [{ granularity: 'hour' }, /^granularity: .*month/],
  ] as const) {
    const { status, json } = await requestUsage(query)
    assert.deepEqual([status, json.error.code], [400, 'INVALID_INPUT'], JSON.stringify(query))
    assert.match(json.error.message, message)
  }
})

test('successRate leaves out client errors such as CORRUPT_FILE, rawSuccessRate counts them as failures', () => {
  const counts = { jobs: 10, completed: 6, failed: 4, 'code CORRUPT_FILE': 2, 'code TIMEOUT': 2 }
  const slo = computeSlo(
    [{ date: '2026-03-01', engine: 'vips', counts }],
    30,
    'week',
    new Date('2026-03-02T00:00Z'),
  )
  assert.deepEqual(
    [slo.successRate, slo.rawSuccessRate, slo.totals.clientErrors, slo.durationMs.p50],
    [0.75, 0.6, 2, null],
  )
  assert.deepEqual(slo.window, { from: '2026-02-01', to: '2026-03-02', days: 30 })
  assert.deepEqual(slo.series[0]?.date, '2026-03-01')
  assert.deepEqual(slo.engines[0]?.topErrors[0], { code: 'CORRUPT_FILE', count: 2 })
})

test('the reliability statistics of the service are public', async () => {
  const { status, headers, json } = await app.send('GET', '/v1/reliability')
  assert.equal(status, 200)
  assert.equal(headers['cache-control'], 'public, max-age=60')
  assert.equal(json.data.window.days, 30)
  const refusedReply = await app.send('GET', '/v1/admin/slo')
  assert.equal(refusedReply.status, 401)
})

test('GET /v1/account/quota shows the remaining quota, and quota.warning is published once when it runs low', async () => {
  const owner = await newAccount(app.services, { plan: 'free' })
  const headers = { 'x-api-key': await newKey(app.services, owner) }
  const publishedEvents: BusEvent[] = []
  const publish = async (events: readonly BusEvent[]) => void publishedEvents.push(...events)
  const appWithBus = app.with({ bus: { publish, signal: async () => undefined } as unknown as Bus })
  const createJob = () =>
    appWithBus.send('POST', '/v1/import/url', { body: { url: 'https://example.com/a.png' }, headers })
  assert.equal((await createJob()).status, 202)
  const { data } = (await appWithBus.send('GET', '/v1/account/quota', { headers })).json
  const dayQuota = data.quotas.find(({ window }: { window: string }) => window === 'day')
  assert.deepEqual([data.plan, dayQuota.limit, dayQuota.used, dayQuota.remaining], ['free', 50, 1, 49])
  assert.deepEqual(data.concurrentJobs, { limit: 2, running: 0, queued: 1 })
  assert.deepEqual([data.maxFileSize, data.filesPerJob], [500_000_000, 5])
  assert.equal(data.quotas.find(({ name }: { name: string }) => name === 'conversion-minutes').limit, null)
  await app.services.table.update({ pk: `LIMIT#${owner}`, sk: 'LIMIT' }, { set: { 'count day': 39 } })
  assert.equal((await createJob()).status, 202)
  assert.equal((await createJob()).status, 202)
  const quotaEvents = publishedEvents.filter(({ event }) => event.startsWith('quota.'))
  assert.deepEqual(
    quotaEvents.map(({ event, owner: whose }) => [event, whose]),
    [['quota.warning', owner]],
  )
  const adminHeaders = { 'x-api-key': await newAdminKey(app.services) }
  const body = { plan: 'pro' }
  const changedReply = await appWithBus.send('PATCH', `/v1/admin/users/${owner}`, {
    headers: adminHeaders,
    body,
  })
  assert.equal(changedReply.status, 200, changedReply.text)
  assert.deepEqual(
    [publishedEvents.at(-1)?.event, publishedEvents.at(-1)?.owner],
    ['subscription.created', owner],
  )
  const { data: anonymous } = (await app.send('GET', '/v1/account/quota')).json
  assert.deepEqual([anonymous.plan, anonymous.quotas.length], ['self-hosted', 1])
})

test('the requests of accounts are counted in batches, and anonymous requests are not counted', async () => {
  const { table } = app.services
  const counts = new RequestCounts(table, 1000)
  const dateAfter = (ms: number) => new Date(Date.parse(timestamp) + ms)
  await counts.count('acc_1', dateAfter(0))
  await counts.count('acc_1', dateAfter(1))
  await counts.count('acc_2', dateAfter(2))
  assert.equal((await readOwnerUsage('acc_1'))['requests'], 1, 'others wait for the next write')
  await counts.count('acc_1', dateAfter(1000))
  assert.deepEqual(
    [(await readOwnerUsage('acc_1'))['requests'], (await readOwnerUsage('acc_2'))['requests']],
    [3, 1],
  )

  const owner = await newAccount(app.services)
  const headers = { 'x-api-key': await newKey(app.services, owner) }
  const freshApp = app.with({ requestCounts: new RequestCounts(table) })
  await freshApp.send('GET', '/v1/jobs')
  const { data } = (await freshApp.send('GET', '/v1/account/usage', { headers })).json
  assert.deepEqual([data.totals.requests, data.totals.jobs], [1, 0])
})
