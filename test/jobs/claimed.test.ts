import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import type { Task } from '../../lib/jobs/job.ts'
import { type Claimed, Stopped, withinLimit } from '../../lib/jobs/run/claimed.ts'
import { LeaseLost } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { scratchFolder } from '../scratch.ts'
import { given, newJob, task } from './records.ts'

const state = newJob([given('in'), task('work', [0])])
const WORK_DIR = scratchFolder('claimed')

/** What a worker's hold on a task does when it is tried with an engine that ends only where it is told to. */
async function ended(
  { remainingMs = 60_000, limitS = 60, ...wishes }: Partial<Task> & { remainingMs?: number; limitS?: number },
  act: (told: { stop: AbortController; full: AbortController; lose: () => void }) => void = () => {},
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
  const limit = { limitS, wayOut: 'Send less.' }
  const error = await withinLimit(
    run as unknown as TaskRun,
    claimed as unknown as Claimed,
    limit,
    (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the engine was killed')))
        act({ stop, full, lose: () => lose() })
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
  isTimeout(await ended({ startedAt, limitS: 120 }), /longer than the 2 min that it may take. Send less\.$/)
  isTimeout(await ended({ remainingMs: 20 }), /within the 0 s that one machine .* works on it. Send less\.$/)
})

test('a part that outlasts a run is made anew, by the last attempt it is said', async () => {
  const again = await ended({ remainingMs: 20, part: 1000, attempt: 1 })
  assert.ok(!(again instanceof AppError))
  assert.match(String(again), /the part took longer than 0 s/)
  isTimeout(await ended({ remainingMs: 20, part: 1000, attempt: 3 }), /within the 0 s/)
})

test('what ends an engine is told, not how it ended', async () => {
  assert.ok((await ended({}, ({ stop }) => stop.abort())) instanceof Stopped)
  assert.ok((await ended({}, ({ lose }) => lose())) instanceof LeaseLost)
  const full = await ended({}, ({ full }) => full.abort())
  assert.ok(full instanceof AppError && full.code === 'INSUFFICIENT_DISK_SPACE', String(full))
})
