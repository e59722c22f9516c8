import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventOf, eventSchema } from '../events/index.ts'
import { conversionJob } from '../lib/jobs/conversion.ts'
import { advance, effects, type JobState, type Transition } from '../lib/jobs/machine.ts'
import { planRoute, stepsOf } from '../lib/plan/index.ts'

const file = { key: 'k', filename: 'a.png', format: 'png', mimeType: 'image/png', size: 1, sha256: '' }
const of = { task: 'convert-file', leaseId: 'lease' }
const outcome = { files: [file], warnings: [], engine: 'vips', engineVersion: '1.0' }
const start = new Date('2026-01-01T00:00:00.000Z')
/** The jobs here are kept for an hour. */
const afterRetention = new Date(start.getTime() + 2 * 3_600_000)
const claim: Transition = { type: 'claim', ...of, leaseUntil: new Date(start.getTime() + 15_000) }

const walks: readonly (readonly Transition[])[] = [
  [claim, { type: 'complete', ...of, outcome }],
  [claim, { type: 'fail', ...of, error: { code: 'CORRUPT_FILE', message: 'x' }, retry: false }],
  [claim, { type: 'cancel', by: 'user' }],
  [claim, { type: 'complete', ...of, outcome }, { type: 'wake' }],
]

test('every event that a job tells is as its schema says, and the same when told again', () => {
  const told = new Set<string>()
  for (const walk of walks) {
    let state: JobState | undefined = conversionJob(
      {
        jobId: 'job_1',
        owner: 'o',
        requestId: 'r',
        tag: null,
        files: [file],
        steps: stepsOf(planRoute({ from: 'png', to: 'webp' }), {}),
        warnings: [],
        retentionHours: 1,
      },
      start,
    )
    for (const transition of [undefined, ...walk]) {
      const now = transition?.type === 'wake' ? afterRetention : start
      state = transition ? advance(state, transition, now) : state
      assert.ok(state)
      for (const effect of effects(state)) {
        if (effect.type !== 'publish') continue
        const event = eventOf(effect, state)
        eventSchema(effect.event).strict().parse(event)
        assert.deepEqual(eventOf(effect, state), event)
        told.add(effect.event)
      }
    }
  }
  assert.deepEqual([...told].sort(), [
    'file.deleted',
    'job.cancelled',
    'job.completed',
    'job.created',
    'job.expired',
    'job.failed',
    'job.queued',
    'job.started',
  ])
})
