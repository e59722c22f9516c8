import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeChunk } from '../../lib/jobs/chunk-completion.ts'
import type { InputPlan, Task } from '../../lib/jobs/job.ts'
import { createChunkRecord, speculativeCopyOf } from '../../lib/jobs/task-graph.ts'
import { memoryJobs } from './memory-jobs.ts'
import { file, given, moment, records, task } from './records.ts'

const piece: InputPlan = { steps: [], step: 0, files: [file('a.gif')] }
const parts = [1000, 1001, 1002]
const isDamaged = { status: 'failed', code: 'CORRUPT_FILE', message: 'It is cut off.' } as const
const isTooLong = { ...isDamaged, code: 'TIMEOUT', message: 'It took too long.' } as const

/** A task that waits for its three parts, and what whoever settles them is asked to do. */
async function split(more: Partial<Task> = {}) {
  const { store, jobs } = memoryJobs()
  await jobs.create(records([given('in'), task('work', [0])]))
  const ref = { jobId: 'job_1', task: 1 }
  await store.changeTask(ref, {
    set: {
      ...{ status: 'processing', attempt: 0, startedAt: moment(1), expandedBy: 1, partCount: 3 },
      ...{ open: new Set(parts), pieces: [piece], percent: 0, stage: 'convert', ...more },
    },
  })
  const found = async () => {
    const now = await store.getTask(ref)
    assert.ok(now)
    return now
  }
  const base = await found()
  const did: unknown[] = []
  const means = {
    store,
    sendTask: async ({ number, status }: Task) => void did.push(['send', number, status]),
    completeTask: async ({ number, status }: Task, { isRepeat }: { isRepeat: boolean }) =>
      void did.push(['complete', number, status, isRepeat]),
    publishPercent: async (_: Task, percent: number) => void did.push(['percent', percent]),
  }
  return {
    ...{ store, found, did: () => did.splice(0) },
    change: (set: Partial<Task>) => store.changeTask(ref, { set }),
    /** A part ends so. */
    end: async (part: number, set: Partial<Task> = { status: 'completed' }, again = false) => {
      const ended = { ...createChunkRecord(base, part, {}, new Date()), ...set }
      await store.addChunks([ended])
      await completeChunk(ended, again, means)
    },
    add: (part: number, set: Partial<Task> = {}) =>
      store.addChunks([{ ...createChunkRecord(base, part, {}, new Date()), ...set }]),
  }
}

test('a part that is there counts, and the last of them sends the task to be joined', async () => {
  const { end, found, did } = await split()
  await end(1001)
  assert.deepEqual(
    [await found().then(({ open, got }) => [open, got]), did()],
    [[new Set([1000, 1002]), new Set([1001])], [['percent', 30]]],
  )
  await end(1000)
  assert.deepEqual(did(), [['percent', 60]])
  await end(speculativeCopyOf(1002))
  assert.deepEqual(did(), [['send', 1, 'processing']])
  assert.deepEqual((await found()).open, undefined)
})

test('a part that is told again while its task is being joined sends nobody else', async () => {
  const { end, change, did } = await split()
  for (const part of parts) await end(part)
  did()
  await change({ leaseId: 'lease_1' })
  await end(1002, { status: 'completed' }, true)
  assert.deepEqual(did(), [])
})

test('of a task of hundreds no part tells how far it is', async () => {
  const { end, did } = await split({ bucketed: true })
  await end(1000)
  assert.deepEqual(did(), [])
})

test('a part of an attempt before, one that was cancelled and one whose task is gone change nothing', async () => {
  const { end, found, did } = await split()
  const before = await found()
  await end(2000)
  await end(1000, { status: 'cancelled' })
  await end(1001, { jobId: 'job_2' })
  assert.deepEqual([await found(), did()], [before, []])
})

test('a part that fails ends its task as it ended, and nothing is left of what that was doing', async () => {
  const { end, found, did } = await split()
  const details = { limitS: 60 }
  await end(1001, { ...isTooLong, details })
  const { status, code, message, details: said, endedBy, endedAt, ...rest } = await found()
  assert.deepEqual(
    [status, code, message, said, endedBy],
    ['failed', 'TIMEOUT', 'It took too long.', details, 'part 1001'],
  )
  assert.ok(endedAt)
  assert.deepEqual([rest.pieces, rest.stage, rest.leaseId], [undefined, undefined, undefined])
  assert.deepEqual(did(), [['complete', 1, 'failed', false]])
  await end(1002, isDamaged)
  assert.deepEqual([(await found()).code, did()], ['TIMEOUT', []], 'the first one counts')
  await end(1001, isTooLong, true)
  assert.deepEqual(did(), [['complete', 1, 'failed', true]], 'whoever ended it may not have come to tell')
})

test('a part that fails while its twin is at work, or was there first, ends nothing', async () => {
  for (const [failing, other] of [
    [1000, speculativeCopyOf(1000)],
    [speculativeCopyOf(1000), 1000],
  ] as const) {
    const { end, add, found, did } = await split()
    for (const status of ['pending', 'processing', 'completed'] as const) {
      await add(other, { status })
      await end(failing, isTooLong)
      assert.deepEqual([(await found()).status, did()], ['processing', []], `${failing} ${status}`)
    }
    await add(other, { status: 'failed' })
    await end(failing, isTooLong)
    assert.deepEqual([(await found()).status, (await found()).endedBy], ['failed', `part ${failing}`])
  }
})

test('a part that its engine cannot read sends its task back to go another way, with nothing of its parts', async () => {
  const { end, found, did } = await split()
  await end(1000)
  did()
  const { pieces: _, ...before } = await found()
  const details = { reason: 'feature' }
  await end(1001, { ...isDamaged, details })
  const { code, message } = isDamaged
  const { expandedBy: _by, partCount: _count, open: _open, got: _got, ...left } = before
  assert.deepEqual(await found(), {
    ...{ ...left, status: 'pending', attempt: 0, percent: 60, endedBy: 'part 1001' },
    pieces: [{ ...piece, failure: { code, message, details } }],
  })
  assert.deepEqual(did(), [['send', 1, 'pending']])
  await end(1001, isDamaged, true)
  assert.deepEqual(did(), [['send', 1, 'pending']], 'whoever sent it back may not have come to say so')
  await end(1002, isDamaged)
  assert.deepEqual(did(), [], 'the first one has')
})
