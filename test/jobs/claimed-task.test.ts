import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import {
  type ClaimedTask,
  runWithTimeLimit,
  useWorkDir,
  WorkerStoppedError,
} from '../../lib/jobs/run/claimed-task.ts'
import { LeaseLostError } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import type { Task } from '../../lib/model/job.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { createStoredImport, newJob, newTask } from './records.ts'

const state = newJob([createStoredImport('in'), newTask('work', [0])])
const WORK_DIR = scratchFolder('claimed')

/** Returns the error of a task whose engine only ends when it is aborted. */
async function getRunError(
  {
    remainingMs = 60_000,
    limitS = 60,
    ...overrides
  }: Partial<Task> & { remainingMs?: number; limitS?: number },
  act: (controls: {
    stopController: AbortController
    diskFullController: AbortController
    loseLease: () => void
    fail: (error: unknown) => void
  }) => void = () => {},
): Promise<unknown> {
  const [stopController, diskFullController] = [new AbortController(), new AbortController()]
  let loseLease = () => {}
  const lease = { startHeartbeat: (_job: unknown, onLost: () => void) => (loseLease = onLost) }
  const [one] = state.tasks
  const claimedTask = { task: { ...one, startedAt: new Date().toISOString(), ...overrides }, state, lease }
  const run = {
    services: { config: { WORK_DIR } },
    remainingMs,
    stopSignal: stopController.signal,
    outOfSpaceSignal: diskFullController.signal,
  }
  const limit = { limitS, hint: 'Send less.' }
  const error = await runWithTimeLimit(
    run as TaskRun,
    claimedTask as unknown as ClaimedTask,
    limit,
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the engine was killed')))
        act({ stopController, diskFullController, loseLease: () => loseLease(), fail: reject })
      }),
  ).catch((thrown: unknown) => thrown)
  for (const { signal } of [stopController, diskFullController])
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  return error
}

const assertTimeout = (error: unknown, message: RegExp) => {
  assert.ok(error instanceof AppError && error.code === 'TIMEOUT', String(error))
  assert.match(error.message, message)
}

test('the error of a task that times out contains the limit and advice', async () => {
  const slowTaskError = await getRunError({ workedMs: 119_980, limitS: 120 })
  assertTimeout(slowTaskError, /exceeded its time limit of 2 min\. Send less\.$/)
  const timeoutError = await getRunError({ remainingMs: 600 })
  assertTimeout(timeoutError, /within 1 s, the time limit of one worker\. Send less\.$/)
  const limits = [slowTaskError, timeoutError].map((error) => (error as AppError).details?.['limitS'])
  assert.deepEqual(limits, [120, 1])
})

test('the time limit of a task excludes the time in which no worker had it', async () => {
  const startedAt = new Date(Date.now() - 3_600_000).toISOString()
  const error = await getRunError({ startedAt, workedMs: 1000, limitS: 120 }, ({ stopController }) =>
    setTimeout(() => stopController.abort(), 30),
  )
  assert.ok(error instanceof WorkerStoppedError, String(error))
})

test('a chunk that exceeds the time limit of its worker fails with TIMEOUT only in its last attempt', async () => {
  const chunkError = await getRunError({ remainingMs: 20, part: 1000, attempt: 1 })
  assert.ok(!(chunkError instanceof AppError))
  assert.match(String(chunkError), /the chunk took longer than 0 s/)
  assertTimeout(await getRunError({ remainingMs: 20, part: 1000, attempt: 3 }), /within 0 s/)
})

test('an aborted task throws the reason of the abort, not the engine’s error', async () => {
  assert.ok(
    (await getRunError({}, ({ stopController }) => stopController.abort())) instanceof WorkerStoppedError,
  )
  assert.ok((await getRunError({}, ({ loseLease }) => loseLease())) instanceof LeaseLostError)
  const diskError = await getRunError({}, ({ diskFullController }) => diskFullController.abort())
  assert.ok(diskError instanceof AppError && diskError.code === 'INSUFFICIENT_DISK_SPACE', String(diskError))
})

test('a task time limit beyond the maximum of a timer does not expire immediately', async () => {
  const longLimit = { limitS: 40 * 24 * 3600, remainingMs: Number.POSITIVE_INFINITY }
  const error = await getRunError(longLimit, ({ stopController }) =>
    setTimeout(() => stopController.abort(), 30),
  )
  assert.ok(error instanceof WorkerStoppedError, String(error))
})

test('the error of an engine is rethrown unchanged', async () => {
  const error = new Error('the engine crashed')
  assert.equal(await getRunError({}, ({ fail }) => fail(error)), error)
})

test('each task gets its own work folder, which is deleted afterwards', async () => {
  const services = { config: { WORK_DIR: join(WORK_DIR, 'deep', 'down') } }
  const seenErrors: string[] = []
  const work = (action: (folder: string) => Promise<unknown>) =>
    useWorkDir({ services } as TaskRun, async (folder) => {
      seenErrors.push(folder)
      await writeFile(join(folder, 'made'), 'abc')
      return action(folder)
    })
  assert.equal(await work(async () => 'done'), 'done')
  const error = new Error('the engine crashed')
  await assert.rejects(
    work(() => Promise.reject(error)),
    error,
  )
  // The folder may already be deleted.
  await work((folder) => rm(folder, { recursive: true }))
  assert.equal(new Set(seenErrors).size, 3)
  assert.ok(!seenErrors.some((folder) => existsSync(folder)))
})
