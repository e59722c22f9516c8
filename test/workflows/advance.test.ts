import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  advanceWorkflow,
  createRun,
  endRun,
  scheduleNextRun,
  type WorkflowTransition,
} from '../../lib/workflows/advance.ts'
import { maxFailures, type Workflow, type WorkflowRun } from '../../lib/workflows/workflow.ts'

const parseTime = (time: string) => new Date(`2026-05-01T${time}Z`)

const workflow = (of: Partial<Workflow> = {}): Workflow => ({
  id: 'wf_1',
  owner: 'anon_1',
  name: 'hourly',
  cron: '0 * * * *',
  timezone: 'UTC',
  tasks: {},
  enabled: true,
  overlap: 'skip',
  tag: null,
  failures: 0,
  version: 1,
  createdAt: parseTime('00:00:00').toISOString(),
  updatedAt: parseTime('00:00:00').toISOString(),
  ...of,
})

const createScheduledWorkflow = (of: Partial<Workflow> = {}, scheduledAt = parseTime('00:30:00')) =>
  scheduleNextRun(workflow(of), scheduledAt)

function requireTransition(
  step: WorkflowTransition | undefined,
): WorkflowTransition & { readonly run: WorkflowRun } {
  assert.ok(step?.run, 'nothing is run')
  return { ...step, run: step.run }
}

test('a workflow run starts when it is due, not before', () => {
  assert.equal(advanceWorkflow(createScheduledWorkflow(), parseTime('00:59:59')), undefined)
  const { run, next: nextAfter } = requireTransition(
    advanceWorkflow(createScheduledWorkflow(), parseTime('01:00:00')),
  )
  assert.deepEqual(
    [run.status, run.trigger, run.dueAt],
    ['running', 'schedule', parseTime('01:00:00').toISOString()],
  )
  assert.deepEqual([nextAfter.live, nextAfter.lastRun], [run.id, run.id])
  assert.equal(nextAfter.nextRunAt, parseTime('02:00:00').toISOString())
})

test('a workflow runs once after downtime, no matter how many runs were missed', () => {
  const { run, next: nextAfter } = requireTransition(
    advanceWorkflow(createScheduledWorkflow(), parseTime('07:20:00')),
  )
  assert.equal(run.dueAt, parseTime('01:00:00').toISOString())
  assert.equal(nextAfter.nextRunAt, parseTime('08:00:00').toISOString())
  assert.equal(advanceWorkflow(nextAfter, parseTime('07:20:01')), undefined)
})

test('processes that handle the same due time of a workflow create the same run', () => {
  const [firstRun, secondRun] = [1, 2].map(
    () => requireTransition(advanceWorkflow(createScheduledWorkflow(), parseTime('01:00:00'))).run,
  )
  assert.equal(firstRun?.id, secondRun?.id)
})

test('an unfinished workflow run is checked one minute after its start', () => {
  const { next: nextAfter } = requireTransition(
    advanceWorkflow(createScheduledWorkflow(), parseTime('01:00:00')),
  )
  assert.equal(nextAfter.wakeAt, parseTime('01:01:00').toISOString())
})

test('a disabled workflow has no next run or check', () => {
  const off = createScheduledWorkflow({ enabled: false })
  assert.deepEqual([off.nextRunAt, off.wakeAt], [undefined, undefined])
  assert.equal(
    advanceWorkflow({ ...off, nextRunAt: parseTime('01:00:00').toISOString() }, parseTime('02:00:00')),
    undefined,
  )
})

test('a workflow run that is due during an unfinished run is skipped, queued or started in its place', () => {
  const workflowWithLiveRun = { live: 'run_before' }
  const skippedRun = requireTransition(
    advanceWorkflow(
      createScheduledWorkflow({ ...workflowWithLiveRun, overlap: 'skip' }),
      parseTime('01:00:00'),
    ),
  )
  assert.deepEqual(
    [skippedRun.run.status, skippedRun.run.jobId, skippedRun.next.live],
    ['skipped', undefined, 'run_before'],
  )

  const queuedRun = requireTransition(
    advanceWorkflow(
      createScheduledWorkflow({ ...workflowWithLiveRun, overlap: 'queue' }),
      parseTime('01:00:00'),
    ),
  )
  assert.deepEqual([queuedRun.run.status, queuedRun.next.live], ['waiting', 'run_before'])
  assert.equal(queuedRun.next.waiting, queuedRun.run.id)
  const transition = requireTransition(advanceWorkflow(queuedRun.next, parseTime('02:00:00')))
  assert.deepEqual(
    [transition.run.status, transition.next.waiting],
    ['skipped', queuedRun.run.id],
    'one waits at most',
  )

  const cancelTransition = requireTransition(
    advanceWorkflow(
      createScheduledWorkflow({ ...workflowWithLiveRun, overlap: 'cancel-previous' }),
      parseTime('01:00:00'),
    ),
  )
  assert.deepEqual([cancelTransition.cancel, cancelTransition.run.status], ['run_before', 'running'])
  assert.equal(cancelTransition.next.live, cancelTransition.run.id)
})

test('ten consecutive failures pause a workflow with the reason, and a success resets the count', () => {
  const run = createRun(workflow(), { trigger: 'schedule', dueAt: parseTime('01:00:00').toISOString() })
  const error = { code: 'IMPORT_FAILED', message: 'The server does not answer.' }
  const failedRun: WorkflowRun = { ...run, status: 'failed', error }
  let now = createScheduledWorkflow({ live: run.id })
  for (let count = 1; count < maxFailures; count++) now = endRun(now, failedRun, parseTime('01:10:00'))
  assert.deepEqual([now.enabled, now.failures, now.paused], [true, maxFailures - 1, undefined])
  assert.equal(endRun(now, { ...run, status: 'completed' }, parseTime('01:10:00')).failures, 0)
  assert.equal(endRun(now, { ...run, status: 'cancelled' }, parseTime('01:10:00')).failures, maxFailures - 1)

  const pausedWorkflow = endRun(now, failedRun, parseTime('01:10:00'))
  assert.deepEqual(
    [pausedWorkflow.enabled, pausedWorkflow.live, pausedWorkflow.nextRunAt, pausedWorkflow.wakeAt],
    [false, ...Array(3)],
  )
  assert.match(
    pausedWorkflow.paused?.reason ?? '',
    /^10 runs in a row failed\. .* The server does not answer\.$/,
  )
})
