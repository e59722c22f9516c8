import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  collectWarnings,
  decideOutcome,
  getFixedTaskStatus,
  getJobResult,
  listJobFiles,
  listResultFiles,
  listTaskFiles,
  nameExportFiles,
} from '../../lib/jobs/job-state-machine.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import type { JobState, Task, Warning } from '../../lib/model/job.ts'
import {
  complete,
  createExport,
  createStoredImport,
  fail,
  file,
  newJob,
  newTask,
  timestamp,
  withTasks,
} from './records.ts'
import { chain, conversion, endJob, pair } from './support/job-records.ts'

const skip = (second: number): Partial<Task> => ({
  status: 'cancelled',
  code: 'INPUT_TASK_FAILED',
  endedAt: timestamp(second),
  open: undefined,
})

test('a job completes with the files of its exports once all of its tasks have completed', () => {
  const state = withTasks(newJob(conversion), {
    work: { ...complete(5, file('a.webp')), engine: 'vips', engineVersion: '1.0', method: 'encode' },
  })
  assert.deepEqual(decideOutcome(state), {
    status: 'completed',
    result: {
      files: [file('a.webp')],
      warnings: [],
      engine: 'vips',
      engineVersion: '1.0',
      method: 'encode',
    },
  })
})

test('the result of a job with several tasks names no engine, even if all of them used the same one', () => {
  const state = withTasks(newJob(chain), {
    first: { ...complete(2, file('a.webp')), engine: 'vips' },
    second: { ...complete(4, file('b.webp')), engine: 'vips' },
  })
  assert.deepEqual(decideOutcome(state).result, { files: [file('b.webp')], warnings: [] })
})

test('a job reports the first failure, not a task that was cancelled for lack of input', () => {
  const state = withTasks(newJob(chain), { first: fail(9, 'is cut off'), second: skip(8) })
  assert.deepEqual(decideOutcome(state).error, {
    code: 'CORRUPT_FILE',
    message: 'is cut off',
    details: { task: 'first' },
  })
  const failedState = withTasks(newJob(pair), { left: fail(9, 'later'), right: fail(3, 'sooner') })
  assert.equal(decideOutcome(failedState).error?.message, 'sooner')
})

test('a job with a failed branch fails even if its other branch completed', () => {
  const state = withTasks(newJob(pair), { left: complete(3, file('a.webp')), right: fail(4, 'x') })
  const { status, result } = decideOutcome(state)
  assert.equal(status, 'failed')
  assert.deepEqual(result.files, [file('a.webp')])
})

test('a failing task with continue_on_error does not fail its job', () => {
  const tasks = [
    createStoredImport('in'),
    newTask('left', [0], { continueOnError: true }),
    newTask('right', [0]),
    createExport('out', [1, 2]),
  ]
  const state = withTasks(newJob(tasks), { left: fail(3, 'x'), right: complete(4, file('b.webp')) })
  const { status, result } = decideOutcome(state)
  assert.equal(status, 'completed')
  assert.deepEqual(result.files, [file('b.webp')])
})

test('a batch completes when at least one item completes, and counts completed and failed items', () => {
  const refusedTask = newTask('refused', [0], {
    fixed: { status: 'failed', code: 'UNSUPPORTED_CONVERSION', message: 'not supported' },
  })
  const request = [...pair.slice(0, 3), refusedTask, createExport('out', [1, 2])]
  const batch = newJob(request, { require: 'any' })
  const halfEndedState = withTasks(batch, { left: complete(3, file('a.webp')), right: fail(4, 'x') })
  const { status, summary, error } = decideOutcome(halfEndedState)
  assert.deepEqual([status, error, summary], ['completed', undefined, { total: 3, completed: 1, failed: 2 }])
  const failedState = withTasks(batch, { left: fail(5, 'second'), right: fail(4, 'first') })
  assert.deepEqual(decideOutcome(failedState).summary, { total: 3, completed: 0, failed: 3 })
  assert.deepEqual(
    [decideOutcome(failedState).status, decideOutcome(failedState).error?.message],
    ['failed', 'first'],
  )
})

test('a job that has only imports and exports completes with the imported files', () => {
  const { status, result } = decideOutcome(
    newJob([createStoredImport('in', 'a.png'), createExport('out', [0])]),
  )
  assert.deepEqual([status, result.files.map(({ filename }) => filename)], ['completed', ['a.png']])
})

test('a job that only copies a file from S3 to S3 completes with that file and records its source', () => {
  const s3 = (name: string, kind: string, ins: number[]) => newTask(name, ins, { operation: `${kind}/s3` })
  const url = 's3://box/a.png'
  const { key: _, format, ...stored } = file('a.png')
  const state = withTasks(newJob([s3('in', 'import', []), s3('out', 'export', [0])]), {
    in: complete(2, file('a.png')),
    out: { ...complete(5), deliveries: [{ ...stored, url }] },
  })
  assert.deepEqual(decideOutcome(state).result.files, [file('a.png')])
  const { display, cameLater } = endJob(state, 10)
  assert.deepEqual(cameLater, { filename: 'a.png', format, size: stored.size })
  assert.equal(display.source, null, 'repeated earlier events stay identical')
})

test('result files with the same name get unique names, and a file of two exports is listed once', () => {
  const exportedTwice = [...pair, createExport('again', [1])]
  const state = withTasks(newJob(exportedTwice), {
    left: complete(3, file('a.webp', 'k1')),
    right: complete(4, file('a.webp', 'k2')),
  })
  assert.deepEqual(
    listResultFiles(state).map(({ key, filename }) => [key, filename]),
    [
      ['k1', 'a.webp'],
      ['k2', 'a (2).webp'],
    ],
  )
})

test('an export names its files according to its filename template', () => {
  const template = { filename: '{name}-{index}-{jobId}-{date}.{ext}' }
  const state = withTasks(newJob([...pair.slice(0, 3), createExport('out', [1, 2], template)]), {
    left: complete(3, file('a.webp')),
    right: complete(4, file('b.webp')),
  })
  const [, , , , exportTask] = [...state.fixed, ...state.tasks, ...state.fixed.slice(-1)]
  assert.ok(exportTask && !('attempt' in exportTask))
  assert.deepEqual(
    nameExportFiles(exportTask, state).map(({ filename }) => filename),
    ['a-1-job_1-2026-01-01.webp', 'b-2-job_1-2026-01-01.webp'],
  )
})

test('the fidelity of a job is multiplied over consecutive tasks, and the word counts of parallel tasks are added', () => {
  const createWordCounts = (source: number, result: number) => ({
    words: createRetention(source, result),
    dropped: [],
  })
  const consecutiveState = newJob([createStoredImport('in'), newTask('first', [0]), newTask('second', [1])])
  const chainedState = withTasks(consecutiveState, {
    first: { ...complete(3, file('a')), fidelity: createWordCounts(100, 80) },
    second: { ...complete(4, file('b')), fidelity: createWordCounts(80, 40) },
  })
  assert.deepEqual(getJobResult(chainedState).fidelity?.words, createRetention(100, 40))
  const parallelState = withTasks(
    newJob([createStoredImport('in'), newTask('left', [0]), newTask('right', [0])]),
    {
      left: { ...complete(3, file('a')), fidelity: createWordCounts(100, 80) },
      right: { ...complete(4, file('b')), fidelity: createWordCounts(10, 10) },
    },
  )
  assert.deepEqual(getJobResult(parallelState).fidelity?.words, createRetention(110, 90))
  const lostState = withTasks(parallelState, { right: fail(4, 'damaged') })
  assert.deepEqual(getJobResult(lostState).fidelity?.words, createRetention(100, 80))
  assert.equal('fidelity' in getJobResult(newJob(conversion)), false)
})

test('the result of a job is read from the job record, or collected from the tasks if it is not stored there', () => {
  const state = withTasks(newJob(conversion), { work: complete(5, file('a.webp')) })
  assert.deepEqual(getJobResult(state), decideOutcome(state).result)
  const storedResult = { files: [file('stored')], warnings: [] }
  assert.deepEqual(getJobResult({ ...state, job: { ...state.job, result: storedResult } }), storedResult)
})

test('only a completed task provides files to other tasks', () => {
  const half = { ...complete(3, file('a.webp')), status: 'failed' as const }
  const state = withTasks(newJob(chain), { first: half })
  assert.deepEqual(listTaskFiles(1, state), [])
  assert.deepEqual(listTaskFiles(1, withTasks(state, { first: { status: 'completed' } })), [file('a.webp')])
  assert.deepEqual(
    listTaskFiles(0, state).map(({ key }) => key),
    ['in/in'],
  )
})

test('the warnings of a job are unique, and warnings about the request come first', () => {
  const warning = (code: string): Warning => ({ code, message: code })
  const tasks = [{ warnings: [warning('b'), warning('a')] }, { warnings: [warning('b'), warning('c')] }]
  assert.deepEqual(
    collectWarnings({ warnings: [warning('a')] }, tasks).map(({ code }) => code),
    ['a', 'b', 'c'],
  )
})

test('warnings that differ only in the order of their fields are listed once', () => {
  const warning = { code: 'a', message: 'b', field: 'c' }
  assert.deepEqual(
    collectWarnings({ warnings: [warning] }, [{ warnings: [{ field: 'c', message: 'b', code: 'a' }] }]),
    [warning],
  )
})

test('an export/url task completes when its inputs have completed', () => {
  const getStatus = (state: JobState) => {
    const exportTask = state.fixed.at(-1)
    assert.ok(exportTask)
    return getFixedTaskStatus(exportTask, state)
  }
  const state = newJob(pair)
  assert.equal(getStatus(state), 'pending')
  const halfEndedState = withTasks(state, { left: complete(3, file('a')) })
  assert.equal(getStatus(halfEndedState), 'pending')
  assert.equal(getStatus(withTasks(halfEndedState, { right: complete(4, file('b')) })), 'completed')
  assert.equal(getStatus(withTasks(halfEndedState, { right: fail(4, 'x') })), 'cancelled')
  assert.equal(getStatus({ ...state, job: { ...state.job, status: 'cancelled' } }), 'cancelled')
  const stateWithToleratedFailure = withTasks(halfEndedState, {
    right: { ...fail(4, 'x'), continueOnError: true },
  })
  assert.equal(getStatus(stateWithToleratedFailure), 'completed')
})

test('the file list of a job contains each file once with its role, but no files of chunks', () => {
  const state = withTasks(newJob(chain), {
    first: complete(3, file('a.webp')),
    second: { status: 'processing', files: [file('half')] },
  })
  const [firstTask] = state.tasks
  assert.ok(firstTask)
  // Files of chunks were never published: they are deleted with the job's prefix.
  const chunk = { ...firstTask, part: 1000, files: [file('part')] }
  const stateWithInputs = withTasks(state, {
    second: { status: 'processing', files: [file('half'), file('a.webp')] },
  })
  assert.deepEqual(
    listJobFiles({ ...stateWithInputs, chunks: [chunk] }).map(({ key, role }) => [key, role]),
    [
      ['in/in', 'source'],
      ['half', 'output'],
      ['a.webp', 'output'],
    ],
  )
})

test('the file list of a job is in the order of the request', () => {
  const state = newJob([
    createStoredImport('in'),
    newTask('work', [0]),
    createStoredImport('late'),
    newTask('last', [2]),
  ])
  const endedState = withTasks(state, {
    work: complete(3, file('a.webp')),
    last: complete(2, file('b.webp')),
  })
  const keys = listJobFiles({ ...endedState, tasks: endedState.tasks.toReversed() }).map(({ key }) => key)
  assert.deepEqual(keys, ['in/in', 'a.webp', 'in/late', 'b.webp'])
})
