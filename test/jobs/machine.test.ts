import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversionJob } from '../../lib/jobs/conversion.ts'
import type { Job, StoredFile } from '../../lib/jobs/job.ts'
import { advance, effects, type JobState, type StepOutcome, type Transition } from '../../lib/jobs/machine.ts'
import { planRoute, stepsOf } from '../../lib/plan/index.ts'

const start = new Date('2026-01-01T00:00:00.000Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)

const file = (key: string): StoredFile => ({
  key,
  filename: 'a.png',
  format: 'png',
  mimeType: 'image/png',
  size: 1,
  sha256: '',
})

const outcome: StepOutcome = { files: [file('out')], warnings: [], engine: 'vips', engineVersion: '1.0' }

function queued(from: 'png' | 'docx' = 'png', to: 'webp' | 'jpg' = 'webp'): JobState {
  return conversionJob(
    {
      jobId: 'job_1',
      owner: 'anon_1',
      requestId: 'req_1',
      tag: null,
      files: [file('in')],
      steps: stepsOf(planRoute({ from, to }), {}),
      warnings: [],
      retentionHours: 1,
    },
    start,
  )
}

const of = { task: 'convert-file', leaseId: 'lease' }
const claim = (leaseId = 'lease', until = after(15)): Transition => ({
  type: 'claim',
  task: of.task,
  leaseId,
  leaseUntil: until,
})

function must(state: JobState, transition: Transition, now = after(1)): JobState {
  const next = advance(state, transition, now)
  assert.ok(next, `${transition.type} applies`)
  return next
}
const taskOf = (state: JobState) => {
  const task = state.tasks.find(({ name }) => name === of.task)
  assert.ok(task)
  return task
}
const kinds = (state: JobState) =>
  effects(state).map((effect) => (effect.type === 'publish' ? effect.event : effect.type))

test('a new job is sent to the queue of its image and announced', () => {
  assert.deepEqual(kinds(queued()), ['send', 'job.created', 'job.queued'])
})

test('a claimed task makes the job processing and tells that it started', () => {
  const state = must(queued(), claim())
  assert.equal(state.job.status, 'processing')
  assert.equal(taskOf(state).attempt, 1)
  assert.deepEqual(kinds(state), ['job.started'])
})

test('a task that is claimed cannot be claimed by another worker before the lease ends', () => {
  const state = must(queued(), claim())
  assert.equal(advance(state, claim('other'), after(10)), undefined)
  const taken = must(state, claim('other', after(40)), after(16))
  assert.equal(taskOf(taken).leaseId, 'other')
  assert.equal(taskOf(taken).attempt, 2)
})

test('only the holder of the lease completes, fails, renews or releases a task', () => {
  const state = must(queued(), claim())
  const foreign = { task: of.task, leaseId: 'foreign' }
  const error = { code: 'CONVERSION_FAILED' as const, message: 'x' }
  const attempts: Transition[] = [
    { type: 'complete', ...foreign, outcome },
    { type: 'fail', ...foreign, error, retry: false },
    { type: 'renew', ...foreign, leaseUntil: after(99), percent: 5, stage: 'convert' },
    { type: 'release', ...foreign },
    { type: 'handover', ...foreign, outcome, step: 1 },
  ]
  for (const transition of attempts)
    assert.equal(advance(state, transition, after(2)), undefined, transition.type)
})

test('a completed conversion completes its export and the job, whose retention counts from its end', () => {
  const state = must(must(queued(), claim()), { type: 'complete', ...of, outcome }, after(100))
  assert.equal(state.job.status, 'completed')
  assert.equal(state.job.percent, 100)
  assert.deepEqual(state.job.files, outcome.files)
  assert.equal(state.tasks.find(({ name }) => name === 'export-file')?.status, 'completed')
  assert.equal(state.job.expiresAt, after(3700).toISOString())
  assert.deepEqual(kinds(state), ['job.completed'])
})

test('a step for another image hands the task over with fresh attempts and sends it on', () => {
  const begun = must(queued('docx', 'jpg'), claim())
  assert.ok(taskOf(begun).steps.length > 1)
  const state = must(begun, { type: 'handover', ...of, outcome, step: 1 })
  assert.equal(taskOf(state).attempt, 0)
  assert.deepEqual(taskOf(state).files, outcome.files)
  const [send] = effects(state)
  assert.deepEqual(send, { type: 'send', image: taskOf(state).steps[1]?.image, taskName: of.task })
})

test('a failure that may pass is tried three times, then the job fails and its export is cancelled', () => {
  const error = { code: 'CONVERSION_FAILED' as const, message: 'the engine broke down' }
  let state = queued()
  for (const attempt of [1, 2, 3]) {
    state = must(state, claim())
    assert.equal(taskOf(state).attempt, attempt)
    state = must(state, { type: 'fail', ...of, error, retry: true })
    if (attempt < 3) assert.deepEqual(kinds(state), ['send'])
  }
  assert.equal(state.job.status, 'failed')
  assert.deepEqual(state.job.error, error)
  assert.equal(state.tasks.find(({ name }) => name === 'export-file')?.code, 'INPUT_TASK_FAILED')
  assert.deepEqual(kinds(state), ['job.failed'])
})

test('a task whose worker died three times fails on the next claim', () => {
  let state = queued()
  for (const attempt of [1, 2, 3])
    state = must(state, claim(`lease-${attempt}`, after(attempt * 20)), after(attempt * 20 - 5))
  state = must(state, claim('fourth', after(100)), after(70))
  assert.equal(state.job.status, 'failed')
  assert.equal(state.job.error?.code, 'CONVERSION_FAILED')
})

test('a task given back by a worker that must end costs no attempt', () => {
  const state = must(must(queued(), claim()), { type: 'release', ...of })
  assert.equal(taskOf(state).attempt, 0)
  assert.equal(taskOf(state).status, 'pending')
})

test('progress never falls, not even when another attempt begins', () => {
  const renew = (percent: number): Transition => ({
    type: 'renew',
    ...of,
    leaseUntil: after(30),
    percent,
    stage: 'convert',
  })
  let state = must(must(queued(), claim()), renew(60))
  assert.equal(state.job.percent, 60)
  state = must(state, renew(10))
  assert.equal(state.job.percent, 60)
  state = must(state, {
    type: 'fail',
    ...of,
    error: { code: 'CONVERSION_FAILED', message: 'x' },
    retry: true,
  })
  state = must(must(state, claim()), renew(5))
  assert.equal(state.job.percent, 60)
})

test('a cancelled job lets no worker go on and cannot be cancelled again', () => {
  const state = must(must(queued(), claim()), { type: 'cancel', by: 'user' })
  assert.equal(state.job.status, 'cancelled')
  assert.deepEqual(kinds(state), ['job.cancelled'])
  assert.equal(advance(state, { type: 'complete', ...of, outcome }, after(3)), undefined)
  assert.equal(advance(state, { type: 'cancel', by: 'user' }, after(3)), undefined)
})

test('waking a job whose worker is lost makes its task ready again', () => {
  const state = must(must(queued(), claim()), { type: 'wake' }, after(60))
  assert.equal(taskOf(state).status, 'pending')
  assert.deepEqual(kinds(state), ['send'])
})

test('waking a job that took longer than its limit ends it with TIMEOUT', () => {
  const begun = must(queued(), claim())
  const state = must(begun, { type: 'wake' }, after(begun.job.timeoutS + 100))
  assert.equal(state.job.status, 'failed')
  assert.equal(state.job.error?.code, 'TIMEOUT')
})

test('an ended job expires after its retention: its files go and it is said', () => {
  const done = must(must(queued(), claim()), { type: 'complete', ...of, outcome }, after(10))
  const early = must(done, { type: 'wake' }, after(100))
  assert.equal(early.job.status, 'completed')
  const state = must(done, { type: 'wake' }, after(4000))
  assert.equal(state.job.status, 'expired')
  assert.equal(state.job.wakeAt, undefined)
  assert.deepEqual(effects(state)[0], { type: 'delete-files', keys: ['out', 'in'] })
  assert.deepEqual(kinds(state).slice(1), ['file.deleted', 'file.deleted', 'job.expired'])
})

test('every state but the last has a time at which somebody looks', () => {
  const walk: readonly Transition[] = [
    claim(),
    { type: 'renew', ...of, leaseUntil: after(40), percent: 3, stage: 'convert' },
    { type: 'complete', ...of, outcome },
  ]
  let state = queued()
  for (const transition of walk) {
    state = must(state, transition)
    assert.ok((state.job.wakeAt ?? '') > start.toISOString(), transition.type)
  }
})

test('sequence numbers of a job grow by one for each event that is told', () => {
  const numbers: number[] = []
  const note = (state: JobState): Job => {
    for (const effect of effects(state)) if (effect.type === 'publish') numbers.push(effect.sequence)
    return state.job
  }
  let state = queued()
  note(state)
  state = must(state, claim())
  note(state)
  state = must(state, { type: 'complete', ...of, outcome })
  note(state)
  state = must(state, { type: 'wake' }, after(4000))
  note(state)
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7])
})
