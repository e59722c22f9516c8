import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeChunk } from '../../lib/jobs/chunk-completion.ts'
import { createChunkRecord, getSpeculativeCopyNumber } from '../../lib/jobs/task-graph.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import { createRecords, createStoredImport, file, newTask, timestamp } from './records.ts'

const inputPlan: InputPlan = { steps: [], step: 0, files: [file('a.gif')] }
const parts = [1000, 1001, 1002]
const damageFields = { status: 'failed', code: 'CORRUPT_FILE', message: 'It is cut off.' } as const
const timeoutFields = { ...damageFields, code: 'TIMEOUT', message: 'It timed out.' } as const

/** Creates a task that waits for three chunks, and records the calls that are made when its chunks end. */
async function createSplitTask(moreFields: Partial<Task> = {}) {
  const { store, jobs } = createMemoryJobs()
  await jobs.create(createRecords([createStoredImport('in'), newTask('work', [0])]))
  const ref = { jobId: 'job_1', task: 1 }
  await store.changeTask(ref, {
    set: {
      status: 'processing',
      attempt: 0,
      startedAt: timestamp(1),
      expandedBy: 1,
      partCount: 3,
      open: new Set(parts),
      pieces: [inputPlan],
      percent: 0,
      stage: 'convert',
      ...moreFields,
    },
  })
  const readTask = async () => {
    const now = await store.getTask(ref)
    assert.ok(now)
    return now
  }
  const base = await readTask()
  const calls: unknown[] = []
  const deps = {
    store,
    sendTask: async ({ number, status }: Task) => void calls.push(['send', number, status]),
    completeTask: async ({ number, status }: Task, { isRepeat }: { isRepeat: boolean }) =>
      void calls.push(['complete', number, status, isRepeat]),
    publishPercent: async (_: Task, percent: number) => void calls.push(['percent', percent]),
  }
  return {
    store,
    readCurrentTask: readTask,
    takeCalls: () => calls.splice(0),
    change: (set: Partial<Task>) => store.changeTask(ref, { set }),
    /** Ends a chunk with these attributes. */
    end: async (chunkNumber: number, set: Partial<Task> = { status: 'completed' }, isRepeated = false) => {
      const endedChunk = { ...createChunkRecord(base, chunkNumber, {}, new Date()), ...set }
      await store.addChunks([endedChunk])
      await completeChunk(endedChunk, isRepeated, deps)
    },
    add: (chunkNumber: number, set: Partial<Task> = {}) =>
      store.addChunks([{ ...createChunkRecord(base, chunkNumber, {}, new Date()), ...set }]),
  }
}

test('a completed chunk is counted, and after the last chunk the task is sent to be joined', async () => {
  const { end, readCurrentTask, takeCalls } = await createSplitTask()
  await end(1001)
  assert.deepEqual(
    [await readCurrentTask().then(({ open, got }) => [open, got]), takeCalls()],
    [[new Set([1000, 1002]), new Set([1001])], [['percent', 30]]],
  )
  await end(1000)
  assert.deepEqual(takeCalls(), [['percent', 60]])
  await end(getSpeculativeCopyNumber(1002))
  assert.deepEqual(takeCalls(), [['send', 1, 'processing']])
  assert.deepEqual((await readCurrentTask()).open, undefined)
})

test('repeating the completion of a chunk while its task is joined does not send the task again', async () => {
  const { end, change, takeCalls } = await createSplitTask()
  for (const chunkNumber of parts) await end(chunkNumber)
  takeCalls()
  await change({ leaseId: 'lease_1' })
  await end(1002, { status: 'completed' }, true)
  assert.deepEqual(takeCalls(), [])
})

test('the chunks of a task in a large job publish no progress', async () => {
  const { end, takeCalls } = await createSplitTask({ bucketed: true })
  await end(1000)
  assert.deepEqual(takeCalls(), [])
})

test('completing a chunk that is cancelled or outdated, or whose task was deleted, changes nothing', async () => {
  const { end, readCurrentTask, takeCalls } = await createSplitTask()
  const taskBefore = await readCurrentTask()
  await end(2000)
  await end(1000, { status: 'cancelled' })
  await end(1001, { jobId: 'job_2' })
  assert.deepEqual([await readCurrentTask(), takeCalls()], [taskBefore, []])
})

test('a failing chunk fails its task with the same error and removes the plans and the lease of the task', async () => {
  const { end, readCurrentTask, takeCalls } = await createSplitTask()
  const details = { limitS: 60 }
  await end(1001, { ...timeoutFields, details })
  const { status, code, message, details: errorDetails, endedBy, endedAt, ...rest } = await readCurrentTask()
  assert.deepEqual(
    [status, code, message, errorDetails, endedBy],
    ['failed', 'TIMEOUT', 'It timed out.', details, 'part 1001'],
  )
  assert.ok(endedAt)
  assert.deepEqual([rest.pieces, rest.stage, rest.leaseId], [undefined, undefined, undefined])
  assert.deepEqual(takeCalls(), [['complete', 1, 'failed', false]])
  await end(1002, damageFields)
  assert.deepEqual([(await readCurrentTask()).code, takeCalls()], ['TIMEOUT', []], 'the first failure counts')
  await end(1001, timeoutFields, true)
  assert.deepEqual(
    takeCalls(),
    [['complete', 1, 'failed', true]],
    'the process that ended it may have died before completing it',
  )
})

test('a failing chunk or speculative copy fails its task only if the other one has failed too', async () => {
  for (const [failing, other] of [
    [1000, getSpeculativeCopyNumber(1000)],
    [getSpeculativeCopyNumber(1000), 1000],
  ] as const) {
    const { end, add, readCurrentTask, takeCalls } = await createSplitTask()
    for (const status of ['pending', 'processing', 'completed'] as const) {
      await add(other, { status })
      await end(failing, timeoutFields)
      assert.deepEqual(
        [(await readCurrentTask()).status, takeCalls()],
        ['processing', []],
        `${failing} ${status}`,
      )
    }
    await add(other, { status: 'failed' })
    await end(failing, timeoutFields)
    assert.deepEqual(
      [(await readCurrentTask()).status, (await readCurrentTask()).endedBy],
      ['failed', `part ${failing}`],
    )
  }
})

test('a chunk that fails with CORRUPT_FILE resets its task, and the task is sent again for a fallback route', async () => {
  const { end, readCurrentTask, takeCalls } = await createSplitTask()
  await end(1000)
  takeCalls()
  const { pieces: _, ...before } = await readCurrentTask()
  const details = { reason: 'feature' }
  await end(1001, { ...damageFields, details })
  const { code, message } = damageFields
  const { expandedBy: _by, partCount: _count, open: _open, got: _got, ...remainingFields } = before
  assert.deepEqual(await readCurrentTask(), {
    ...remainingFields,
    status: 'pending',
    attempt: 0,
    percent: 60,
    endedBy: 'part 1001',
    pieces: [{ ...inputPlan, failure: { code, message, details } }],
  })
  assert.deepEqual(takeCalls(), [['send', 1, 'pending']])
  await end(1001, damageFields, true)
  assert.deepEqual(
    takeCalls(),
    [['send', 1, 'pending']],
    'the process that reset it may have died before sending it',
  )
  await end(1002, damageFields)
  assert.deepEqual(takeCalls(), [], 'the first chunk has already reset the task')
})
