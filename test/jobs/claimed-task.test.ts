import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import type { Task } from '../../lib/jobs/job.ts'
import {
  type ClaimedTask,
  WorkerStopped,
  withTimeLimit,
  withWorkDir,
} from '../../lib/jobs/run/claimed-task.ts'
import { LeaseLost } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { given, newJob, task } from './records.ts'

const state = newJob([given('in'), task('work', [0])])
const WORK_DIR = scratchFolder('claimed')

/** What a worker's hold on a task does when it is tried with an engine that ends only where it is told to. */
async function ended(
  { remainingMs = 60_000, limitS = 60, ...wishes }: Partial<Task> & { remainingMs?: number; limitS?: number },
  act: (told: {
    stop: AbortController
    full: AbortController
    lose: () => void
    fail: (error: unknown) => void
  }) => void = () => {},
): Promise<unknown> {
  const [stop, full] = [new AbortController(), new AbortController()]
  let lose = () => {}
  const lease = { keep: (_job: unknown, onLost: () => void) => (lose = onLost) }
  const [one] = state.tasks
  const claimed = { task: { ...one, startedAt: new Date().toISOString(), ...wishes }, state, lease }
  const run = {
    services: { config: { WORK_DIR } },
    remainingMs,
    stopping: stop.signal,
    outOfSpace: full.signal,
  }
  const limit = { limitS, hint: 'Send less.' }
  const error = await withTimeLimit(
    run as unknown as TaskRun,
    claimed as unknown as ClaimedTask,
    limit,
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the engine was killed')))
        act({ stop, full, lose: () => lose(), fail: reject })
      }),
  ).catch((thrown: unknown) => thrown)
  for (const { signal } of [stop, full]) assert.equal(getEventListeners(signal, 'abort').length, 0)
  return error
}

const isTimeout = (error: unknown, message: RegExp) => {
  assert.ok(error instanceof AppError && error.code === 'TIMEOUT', String(error))
  assert.match(error.message, message)
}

test('a task that takes longer than it may says how long that is, and what helps', async () => {
  const startedAt = new Date(Date.now() - 119_980).toISOString()
  const isSlow = await ended({ startedAt, limitS: 120 })
  isTimeout(isSlow, /longer than the 2 min that it may take. Send less\.$/)
  const outlasts = await ended({ remainingMs: 600 })
  isTimeout(outlasts, /within the 1 s that one machine .* works on it. Send less\.$/)
  const limits = [isSlow, outlasts].map((error) => (error as AppError).details?.['limitS'])
  assert.deepEqual(limits, [120, 1])
})

test('a part that outlasts a run is made anew, by the last attempt it is said', async () => {
  const again = await ended({ remainingMs: 20, part: 1000, attempt: 1 })
  assert.ok(!(again instanceof AppError))
  assert.match(String(again), /the part took longer than 0 s/)
  isTimeout(await ended({ remainingMs: 20, part: 1000, attempt: 3 }), /within the 0 s/)
})

test('what ends an engine is told, not how it ended', async () => {
  assert.ok((await ended({}, ({ stop }) => stop.abort())) instanceof WorkerStopped)
  assert.ok((await ended({}, ({ lose }) => lose())) instanceof LeaseLost)
  const full = await ended({}, ({ full }) => full.abort())
  assert.ok(full instanceof AppError && full.code === 'INSUFFICIENT_DISK_SPACE', String(full))
})

test('a task that has more time than a timer takes is not over at once', async () => {
  const wishes = { limitS: 40 * 24 * 3600, remainingMs: Number.POSITIVE_INFINITY }
  const error = await ended(wishes, ({ stop }) => setTimeout(() => stop.abort(), 30))
  assert.ok(error instanceof WorkerStopped, String(error))
})

test('what fails by itself is told as it is', async () => {
  const error = new Error('the engine broke down')
  assert.equal(await ended({}, ({ fail }) => fail(error)), error)
})

test('a task has a folder of its own, wherever that is, which goes with it', async () => {
  const services = { config: { WORK_DIR: join(WORK_DIR, 'deep', 'down') } }
  const seen: string[] = []
  const work = (action: (folder: string) => Promise<unknown>) =>
    withWorkDir({ services } as unknown as TaskRun, async (folder) => {
      seen.push(folder)
      await writeFile(join(folder, 'made'), 'abc')
      return action(folder)
    })
  assert.equal(await work(async () => 'done'), 'done')
  const error = new Error('the engine broke down')
  await assert.rejects(
    work(() => Promise.reject(error)),
    error,
  )
  // Somebody was before.
  await work((folder) => rm(folder, { recursive: true }))
  assert.equal(new Set(seen).size, 3)
  assert.ok(!seen.some((folder) => existsSync(folder)))
})
