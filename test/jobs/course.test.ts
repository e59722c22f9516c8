import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { Course, type CourseParts } from '../../lib/jobs/course.ts'
import { given, newJob, start, task } from './records.ts'

test('of two who tell of progress in one moment the one who was later says what the first one did', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const { job } = newJob([given('in'), task('work', [0])])
  const first = { at: start.toISOString(), percent: 40, stage: 'convert', taskName: 'first' }
  const stored = { ...job, numbers: { 0: 7 }, log: { 0: first }, toldPercent: 40, running: { 0: 40 } }
  const published: BusEvent[] = []
  const course = new Course({
    store: { changeJob: async () => ({ applied: false, record: stored }) },
    bus: { publish: async (events: readonly BusEvent[]) => void published.push(...events) },
    listenersOf: async () => () => [],
  } as unknown as CourseParts) // no more is used
  await course.progress(job, 0, { percent: 40, stage: 'convert', taskName: 'second' })
  assert.deepEqual(
    published.map(({ job }) => (job as { progress: object }).progress), // as its schema has it
    [{ percent: 40, stage: 'convert', taskName: 'first' }],
  )
})
