import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Table } from '../../lib/aws/table.ts'
import { readConfig } from '../../lib/config.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import type { Job } from '../../lib/model/job.ts'
import type { Services } from '../../lib/services/services.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()
const owner = 'anon_1'

/** Creates the slots of an owner whose plan allows this many concurrent jobs. */
async function openSlots(concurrentJobs: number | null) {
  const tableName = await database.makeTable()
  const config = readConfig({ LOG_LEVEL: 'silent', TABLE_NAME: tableName })
  const table = new Table(config, database.client())
  const statuses = new Map<string, Job['status']>()
  const sentJobs: string[] = []
  let lookups = 0
  /** Runs after a waiting task was recorded, before the slots are checked a second time. */
  let runBetweenChecks: (() => Promise<void>) | undefined
  const services = {
    table,
    config,
    plans: { [config.ANONYMOUS_PLAN]: { concurrentJobs } },
    jobs: {
      store: {
        getJob: async (id: string) => {
          lookups += 1
          return statuses.has(id) && { id, owner, status: statuses.get(id) }
        },
      },
      taskSender: { retryQueue: (queue: string) => `${queue} again` },
    },
    queues: {
      send: async (queue: string, messages: readonly { jobId: string; task: number }[], of: string) => {
        for (const { jobId, task } of messages) sentJobs.push(`${jobId} ${task} on ${queue} of ${of}`)
      },
    },
  } as unknown as Services // a stub with only the members that are used
  const slots = new ConcurrencySlots(services)
  const put = table.put.bind(table)
  table.put = async (...args) => {
    const writeResult = await put(...args)
    await runBetweenChecks?.()
    return writeResult
  }
  const items = async () => (await database.scan(tableName)).filter(({ pk }) => pk === `SLOTS#${owner}`)
  return {
    slots,
    sent: sentJobs,
    items,
    table,
    take: (id: string, task = 1) => {
      if (!statuses.has(id)) statuses.set(id, 'processing')
      return slots.acquire({ id, owner } as Job, { jobId: id, task }, 'image')
    },
    /** Returns the number of jobs read since the previous call. */
    lookups: () => {
      const lookupsBefore = lookups
      lookups = 0
      return lookupsBefore
    },
    free: (id: string) => slots.release({ id, owner }),
    ends: (...ids: readonly string[]) => {
      for (const id of ids) statuses.set(id, 'completed')
    },
    between: (action: () => Promise<void>) => {
      runBetweenChecks = action
    },
    state: async () => (await items()).find(({ sk }) => sk === 'SLOTS'),
    waiting: async () => (await items()).map(({ sk }) => String(sk)).filter((sk) => sk.startsWith('WAIT#')),
  }
}

test('jobs of plans without a concurrency limit write no slot records', async () => {
  const { take, free, items, ends } = await openSlots(null)
  assert.equal(await take('a'), true)
  ends('a')
  await free('a')
  assert.deepEqual(await items(), [])
})

test('all tasks of a job share one concurrency slot, which passes to the next job when the first job ends', async () => {
  const { take, free, ends, sent, state, waiting, lookups } = await openSlots(1)
  assert.equal(await take('a', 1), true)
  assert.equal(await take('a', 2), true)
  assert.equal((await state())?.['count'], 1)
  assert.equal((await state())?.['wakeAt'], undefined, 'no task waits')
  assert.equal(lookups(), 0)
  assert.equal(await take('b', 1), false)
  assert.equal(lookups(), 2, 'once before it waits, and again after the wait is recorded')
  assert.equal(await take('b', 2), false)
  assert.deepEqual(await waiting(), ['WAIT#b#1#', 'WAIT#b#2#'])
  const { wakeAt, wakeShard, ttl } = (await state()) ?? {}
  const wakeInS = (Date.parse(String(wakeAt)) - Date.now()) / 1000
  assert.ok(wakeInS > 50 && wakeInS <= 60, `checked in ${wakeInS} s`)
  assert.equal(typeof wakeShard, 'string')
  const days = (Number(ttl) - Date.now() / 1000) / 86_400
  assert.ok(days > 7.9 && days < 8.1, `kept for ${days} days`)
  await free('a')
  assert.deepEqual(sent, [], 'the job is still running')
  ends('a')
  await free('a')
  assert.deepEqual(sent, ['b 1 on image again of anon_1', 'b 2 on image again of anon_1'])
  assert.deepEqual(await waiting(), [])
  assert.equal((await state())?.['count'], 0)
  assert.equal(await take('b', 1), true)
  assert.equal((await state())?.['count'], 1)
})

test('waiting jobs are resumed, oldest first, while there are free concurrency slots', async () => {
  const { take, free, ends, sent, waiting } = await openSlots(2)
  for (const id of ['a', 'b']) assert.equal(await take(id), true)
  for (const id of ['e', 'd', 'c']) assert.equal(await take(id), false)
  ends('a')
  await free('a')
  assert.deepEqual(sent, ['c 1 on image again of anon_1'])
  assert.deepEqual(await waiting(), ['WAIT#d#1#', 'WAIT#e#1#'])
  // A second release without a slot resumes the next job, because the job that the first release resumed never ran.
  await free('a')
  assert.equal(sent.length, 2)
})

test('jobs that ended while waiting take up no concurrency slot', async () => {
  const { take, free, ends, sent, waiting } = await openSlots(1)
  await take('a')
  await take('b')
  await take('c')
  ends('a', 'b')
  await free('a')
  assert.deepEqual(sent, ['c 1 on image again of anon_1'])
  assert.deepEqual(await waiting(), [])
})

test('the concurrency slot of a job that ended without releasing it passes to the next job', async () => {
  const { take, ends, state } = await openSlots(1)
  await take('a')
  ends('a')
  assert.equal(await take('b'), true)
  const { count, ...otherFields } = (await state()) ?? {}
  assert.deepEqual([count, otherFields['wakeAt']], [1, undefined])
  assert.deepEqual(
    Object.keys(otherFields).filter((name) => name.startsWith('job ')),
    ['job b'],
  )
})

test('a job that starts to wait while another job ends is resumed or gets the free concurrency slot', async () => {
  const { take, free, ends, between, sent, waiting } = await openSlots(1)
  await take('a')
  between(async () => {
    between(async () => {})
    ends('a')
    await free('a')
  })
  // Either the end of job `a` resumes job `b`, or job `b` has seen the free slot itself.
  const hasSlot = await take('b')
  assert.ok(hasSlot || sent.length === 1)
  assert.deepEqual(await waiting(), [])
})

test('a job that starts to wait takes over the concurrency slot of an ended job', async () => {
  const { take, ends, between, sent, waiting, state } = await openSlots(1)
  await take('a')
  between(async () => ends('a'))
  assert.equal(await take('b'), true)
  assert.deepEqual([sent, await waiting(), (await state())?.['count']], [[], [], 1])
})

test('the sweep resumes waiting jobs after a process died, until no job waits', async () => {
  const { take, ends, slots, sent, state, waiting } = await openSlots(1)
  await take('a')
  for (const id of ['b', 'c']) await take(id)
  ends('a')
  await slots.wake(owner)
  assert.deepEqual(sent, ['b 1 on image again of anon_1'])
  assert.deepEqual(await waiting(), ['WAIT#c#1#'])
  assert.ok(Date.parse(String((await state())?.['wakeAt'])) > Date.now())
  ends('b')
  await slots.wake(owner)
  assert.deepEqual(sent.slice(1), ['c 1 on image again of anon_1'])
  const { wakeAt, wakeShard } = (await state()) ?? {}
  assert.deepEqual([wakeAt, wakeShard], [undefined, undefined])
})

test('finishing a job while 60 tasks wait for a concurrency slot reads only the first page of the waiting tasks', async () => {
  const { take, free, ends, sent, table } = await openSlots(1)
  assert.equal(await take('a'), true)
  const ids = Array.from({ length: 60 }, (_, at) => `b${String(at).padStart(2, '0')}`)
  for (const id of ids) assert.equal(await take(id), false)
  let rows = 0
  const query = table.query.bind(table)
  table.query = async (input) => {
    const page = await query(input)
    rows += page.items.length
    return page
  }
  ends('a')
  await free('a')
  assert.deepEqual(sent, ['b00 1 on image again of anon_1'])
  assert.ok(rows <= 12, `${rows} rows were read`)
  assert.equal(await take('b00'), true)
  await free('b00')
  assert.equal(sent.length, 1)
  assert.ok(rows <= 12, 'nothing is read while the job runs')
})

test('all waiting tasks of a job are resumed, including those on the next page of the query', async () => {
  const { take, free, ends, sent, waiting } = await openSlots(1)
  assert.equal(await take('a'), true)
  for (let task = 1; task <= 30; task++) assert.equal(await take('b', task), false)
  assert.equal(await take('c'), false)
  ends('a')
  await free('a')
  assert.equal(sent.length, 30)
  assert.deepEqual(await waiting(), ['WAIT#c#1#'])
})
