import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { TransientError, toClientError } from '../../lib/jobs/failure.ts'
import {
  getBucketNumber,
  getDependentsKey,
  getJobKey,
  getJobPartition,
  getJoinBucketKey,
  getTaskKey,
  getWakeShard,
} from '../../lib/jobs/keys.ts'
import { getNextImage, resolveConversion } from '../../lib/jobs/next-image.ts'
import { createChunks } from '../../lib/jobs/run/chunks.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import { complete, createStoredImport, file, newJob, newTask, withTasks } from './records.ts'

const freshState = newJob([createStoredImport('in'), newTask('work', [0])])

test('clients see the message of an AppError, but not that of an unexpected error', () => {
  const corruptFileError = new AppError('CORRUPT_FILE', 'It is cut off.', { format: 'png' })
  const reportedError = { code: 'CORRUPT_FILE', message: 'It is cut off.', details: { format: 'png' } }
  assert.deepEqual(toClientError(corruptFileError), reportedError)
  assert.deepEqual(toClientError(new TransientError(corruptFileError, 9)), reportedError)
  assert.equal('details' in toClientError(new AppError('CORRUPT_FILE', 'x')), false)
  const brokenError = toClientError(new Error('/srv/secret'))
  assert.equal(brokenError.code, 'CONVERSION_FAILED')
  assert.doesNotMatch(JSON.stringify(brokenError), /secret/)
})

test('the records of a job are stored in partitions of a hundred tasks', () => {
  assert.deepEqual([0, 99, 100, 250].map(getBucketNumber), [0, 0, 1, 2])
  assert.deepEqual(
    [getJobPartition('j'), getJobPartition('j', 0), getJobPartition('j', 2)],
    ['JOB#j', 'JOB#j', 'JOB#j#2'],
  )
  assert.deepEqual(getJobKey('j'), { pk: 'JOB#j', sk: 'JOB' })
  assert.deepEqual(getTaskKey({ jobId: 'j', task: 7 }), { pk: 'JOB#j', sk: 'TASK#00007' })
  assert.deepEqual(getTaskKey({ jobId: 'j', task: 107, part: 3 }), { pk: 'JOB#j#1', sk: 'PART#00107.3' })
  assert.deepEqual(getDependentsKey('j', 107, 2), { pk: 'JOB#j#1', sk: 'EDGES#00107#2' })
  assert.deepEqual(getJoinBucketKey('j', 7, 1), { pk: 'JOB#j', sk: 'LATCH#00007#1' })
  const shards = new Set(Array.from({ length: 200 }, (_, at) => getWakeShard(`job_${at}`)))
  assert.ok(shards.size > 1)
  assert.equal(getWakeShard('job_1'), getWakeShard('job_1'))
})

const step = (image: string) =>
  ({
    engine: 'x',
    image,
    operation: 'convert',
    from: 'png',
    to: 'jpg',
    options: {},
  }) as const
const createPlanFor = (...images: string[]): InputPlan => ({
  steps: images.map(step),
  step: 0,
  files: [file('a.png')],
})

test('the next container image of a task is taken from the first of its inputs with a remaining step', () => {
  assert.equal(getNextImage([{ ...createPlanFor('office', 'image'), step: 1 }]), 'image')
  assert.equal(getNextImage([{ ...createPlanFor('office'), step: 1 }, createPlanFor('pdf')]), 'pdf')
  assert.throws(() => getNextImage([{ ...createPlanFor('office'), step: 1 }]), /no remaining step/)
})

test('resolving the conversion of a task returns the files of its inputs, its operation, format and options', () => {
  const state = newJob([
    createStoredImport('in'),
    newTask('a', [0]),
    newTask('b', [0, 1], { spec: { to: 'jpg', options: { dpi: 7 } } }),
  ])
  const doneState = withTasks(state, { a: complete(3, file('a.png', 'k/a')) })
  const b = doneState.tasks.find(({ name }) => name === 'b')
  assert.ok(b)
  const [files, spec] = resolveConversion(b, doneState)
  assert.deepEqual(
    files.map(({ key }) => key),
    ['in/in', 'k/a'],
  )
  assert.deepEqual([spec.operation, spec.to, spec.options], ['convert', 'jpg', { dpi: 7 }])
})

test('a chunk runs a single step, and its number is unique over attempts and routes', () => {
  const [workTask] = freshState.tasks
  assert.ok(workTask)
  const createChunksFor = (overrides: Partial<Task>, inputPlan: InputPlan) =>
    createChunks({ ...workTask, ...overrides }, inputPlan, [{ spec: { at: 1 } }, { spec: { at: 2 } }])
  const chunks = createChunksFor({ attempt: 2 }, { ...createPlanFor('pdf', 'image', 'office'), step: 1 })
  assert.deepEqual(
    chunks.map(({ pieces, spec, number, name }) => [
      pieces?.[0]?.steps.length,
      pieces?.[0]?.step,
      spec,
      number,
      name,
    ]),
    [
      [2, 1, { at: 1 }, 1, 'work'],
      [2, 1, { at: 2 }, 1, 'work'],
    ],
  )
  const listChunkNumbers = (one: readonly Task[]) => one.map(({ part }) => part)
  const triedPlan = {
    ...createPlanFor('pdf'),
    tried: [{ steps: [], error: { code: 'CORRUPT_FILE', message: 'x' } }],
  }
  const allChunkNumbers = [
    ...listChunkNumbers(chunks),
    ...listChunkNumbers(createChunksFor({ attempt: 3 }, createPlanFor('pdf'))),
    ...listChunkNumbers(createChunksFor({ attempt: 2 }, triedPlan as InputPlan)), // the steps of tried routes are not used
  ]
  assert.equal(new Set(allChunkNumbers).size, allChunkNumbers.length)
})
