import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import type { Table } from '../../lib/aws/table.ts'
import { DurationStats } from '../../lib/conversion/duration-stats.ts'
import { estimateConversion, estimateFromHistory, estimateJob } from '../../lib/conversion/estimate.ts'
import { engines } from '../../lib/engines/index.ts'
import { planRoute } from '../../lib/plan/index.ts'
import type { Services } from '../../lib/services/services.ts'
import { createStoredImport, newJob, newTask } from '../jobs/records.ts'

/** Creates a table in memory that only has the two calls that the statistics use. */
function createMemoryTable() {
  const items = new Map<string, Record<string, unknown>>()
  const calls = { reads: 0, writes: 0 }
  const table = {
    get: async ({ pk }: { pk: string }) => {
      calls.reads++
      return items.get(pk)
    },
    writeAll: async (puts: { pk: string }[]) => {
      calls.writes++
      for (const put of puts) items.set(put.pk, put)
    },
  }
  return { table: table as unknown as Table, items, calls }
}

const kind = { operation: 'convert', from: 'png', to: 'jpg' }

test('conversion durations are stored and available to other processes', async () => {
  const { table, items } = createMemoryTable()
  const durations = new DurationStats(table)
  await durations.add(kind, { ms: 300, bytes: 1000 })
  const otherStats = await new DurationStats(table).get(kind)
  assert.deepEqual([otherStats?.runs, otherStats?.ms, otherStats?.bytes], [1, 300, 1000])
  assert.equal(await durations.get({ ...kind, to: 'webp' }), undefined)
  const [storedItem] = items.values()
  const days = (Number(storedItem?.['ttl']) - Date.now() / 1000) / 86_400
  assert.ok(Math.abs(days - 90) < 1, `${days} days`)
})

test('recording five conversion durations in quick succession writes to the table once', async () => {
  const { table, calls } = createMemoryTable()
  const durations = new DurationStats(table)
  for (let run = 0; run < 5; run++) await durations.add(kind, { ms: 100, bytes: 10 })
  assert.equal(calls.writes, 1)
  assert.equal((await new DurationStats(table).get(kind))?.runs, 1)
})

test('repeated requests for conversion durations read the table once', async () => {
  const { table, calls } = createMemoryTable()
  await new DurationStats(table).add(kind, { ms: 100, bytes: 10 })
  const durations = new DurationStats(table)
  const readsBefore = calls.reads
  await durations.get(kind)
  await durations.get(kind)
  assert.equal(calls.reads - readsBefore, 1)
})

test('conversion durations are written at most every ten seconds and read at most every thirty seconds', async (t) => {
  const start = Date.parse('2026-01-01T00:00:00.000Z')
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { table, calls } = createMemoryTable()
  const durations = new DurationStats(table)
  const add = () => durations.add(kind, { ms: 100, bytes: 10 })
  const reader = new DurationStats(table)
  assert.equal(await reader.get(kind), undefined)
  await add()
  assert.equal((await reader.get(kind))?.runs, 1, 'a kind without figures is read again')
  t.mock.timers.setTime(start + 9999)
  await add()
  assert.equal(calls.writes, 1)
  t.mock.timers.setTime(start + 10_000)
  await add()
  assert.equal(calls.writes, 2)
  assert.equal((await new DurationStats(table).get(kind))?.runs, 3)
  t.mock.timers.setTime(start + 29_999)
  assert.equal((await reader.get(kind))?.runs, 1)
  t.mock.timers.setTime(start + 30_000)
  assert.equal((await reader.get(kind))?.runs, 3)
})

test('old conversion durations have less weight than recent ones', async () => {
  const { table, items } = createMemoryTable()
  const key = 'DURATION#convert png jpg'
  items.set(key, { pk: key, runs: 128, ms: 12_800, bytes: 1280, ttl: 1 })
  await new DurationStats(table).add(kind, { ms: 1000, bytes: 100 })
  const pastRuns = await new DurationStats(table).get(kind)
  assert.deepEqual([pastRuns?.runs, pastRuns?.ms, pastRuns?.bytes], [65, 7400, 740])
})

test('the estimated conversion duration is the sum of a fixed part and a part that grows with the file size', () => {
  const pastRuns = { runs: 2, ms: 2000, bytes: 200 }
  assert.deepEqual(
    [100, 200, 0].map((size) => estimateFromHistory(pastRuns, size)),
    [1000, 1700, 300],
  )
  assert.equal(estimateFromHistory(pastRuns, 1e9), 70_300)
  assert.equal(estimateFromHistory({ ...pastRuns, bytes: 0 }, 500), 1000)
})

test('the estimated conversion duration combines earlier conversions with the length of the queue', async () => {
  const { table } = createMemoryTable()
  const durations = new DurationStats(table)
  const queue = { depth: 5 }
  const services = {
    engines: async () => engines,
    durations,
    config: { PARALLEL: 2 },
    queues: { countMessages: async () => queue.depth },
  } as unknown as Services // a stub with only the members that are used
  const source = { filename: 'a.png', format: 'png', size: 1000 }
  const operations = ['import/upload', 'convert', 'export/url']
  const display = { source, target: { format: 'jpg' }, operations, pollS: 2 }
  const state = newJob([createStoredImport('in'), newTask('work', [0])], { display })
  const plannedEstimate = await estimateJob(state, services)
  assert.equal(plannedEstimate?.basis, 'planned')
  const { steps } = planRoute({ from: 'png', to: 'jpg', engines })
  assert.equal(
    plannedEstimate.runMs,
    Math.round(1000 * (steps[0].capability.cost + (steps[1]?.capability.cost ?? 0))),
  )
  assert.equal(plannedEstimate.queueMs, 2 * plannedEstimate.runMs)
  await durations.add(kind, { ms: 400, bytes: 1000 })
  assert.deepEqual(await estimateJob(state, services), { queueMs: 800, runMs: 400, basis: 'recorded' })
  queue.depth = 0
  assert.equal((await estimateJob(state, services))?.queueMs, 0)
  // A conversion that is not queued yet waits for all queued tasks, and a file of unknown size counts as a file of
  // average size.
  queue.depth = 4
  const route = planRoute({ from: 'png', to: 'jpg', engines })
  const estimateRequest = { ...kind, operation: 'convert', route, ownQueuedTasks: 0 } as const
  assert.deepEqual(await estimateConversion(estimateRequest, services), {
    queueMs: 800,
    runMs: 400,
    basis: 'recorded',
  })
  assert.equal((await estimateConversion({ ...estimateRequest, size: 2000 }, services)).runMs, 680)
  const limitedServices = { ...services, config: { ...services.config, TASK_LIMIT_S: 840 } } as Services
  assert.equal((await estimateConversion(estimateRequest, limitedServices)).warning, undefined)
  await durations.add({ ...kind, to: 'webp' }, { ms: 1_200_000, bytes: 1000 })
  const slowRequest = { ...estimateRequest, to: 'webp' } as const
  assert.match(
    (await estimateConversion(slowRequest, limitedServices)).warning ?? '',
    /^This conversion will probably take 20 min, but the limit for a task is 14 min\./,
  )
  assert.equal((await estimateConversion(slowRequest, services)).warning, undefined, 'without a limit')
  const here = { ...services, config: {} } as Services
  const { queueMs } = await estimateConversion(estimateRequest, here)
  assert.equal(queueMs, Math.round((4 / availableParallelism()) * 400))
  queue.depth = 0
  for (const otherKind of [
    { ...display, source: null },
    { ...display, target: null },
    { ...display, target: { format: 'odd' } },
    { ...display, operations: ['convert', 'merge'] },
    { ...display, operations: [] },
    { ...display, source: { ...source, format: 'odd' } },
  ])
    assert.equal(
      await estimateJob(
        newJob([createStoredImport('in'), newTask('work', [0])], { display: otherKind }),
        services,
      ),
      null,
    )
  assert.equal(await estimateJob({ ...state, job: { ...state.job, status: 'completed' } }, services), null)
})
