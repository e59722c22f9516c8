import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { TransientError, toClientError } from '../../lib/jobs/failure.ts'
import type { InputPlan, Task } from '../../lib/jobs/job.ts'
import {
  bucketNumber,
  dependentsKey,
  jobKey,
  jobPartition,
  joinBucketKey,
  taskKey,
  wakeShardOf,
} from '../../lib/jobs/keys.ts'
import { nextImageOf, resolveConversion } from '../../lib/jobs/next-image.ts'
import { createChunks } from '../../lib/jobs/run/chunks.ts'
import { completed, file, newJob, newTask, storedImport, withTasks } from './records.ts'

const fresh = newJob([storedImport('in'), newTask('work', [0])])

test('what a client hears of a failure is what was meant for it, and of a breakdown no word of its own', () => {
  const meant = new AppError('CORRUPT_FILE', 'It is cut off.', { format: 'png' })
  const told = { code: 'CORRUPT_FILE', message: 'It is cut off.', details: { format: 'png' } }
  assert.deepEqual(toClientError(meant), told)
  assert.deepEqual(toClientError(new TransientError(meant, 9)), told)
  assert.equal('details' in toClientError(new AppError('CORRUPT_FILE', 'x')), false)
  const broken = toClientError(new Error('/srv/secret'))
  assert.equal(broken.code, 'CONVERSION_FAILED')
  assert.doesNotMatch(JSON.stringify(broken), /secret/)
})

test('records of a job stand a hundred tasks to a partition', () => {
  assert.deepEqual([0, 99, 100, 250].map(bucketNumber), [0, 0, 1, 2])
  assert.deepEqual(
    [jobPartition('j'), jobPartition('j', 0), jobPartition('j', 2)],
    ['JOB#j', 'JOB#j', 'JOB#j#2'],
  )
  assert.deepEqual(jobKey('j'), { pk: 'JOB#j', sk: 'JOB' })
  assert.deepEqual(taskKey({ jobId: 'j', task: 7 }), { pk: 'JOB#j', sk: 'TASK#00007' })
  assert.deepEqual(taskKey({ jobId: 'j', task: 107, part: 3 }), { pk: 'JOB#j#1', sk: 'PART#00107.3' })
  assert.deepEqual(dependentsKey('j', 107, 2), { pk: 'JOB#j#1', sk: 'EDGES#00107#2' })
  assert.deepEqual(joinBucketKey('j', 7, 1), { pk: 'JOB#j', sk: 'LATCH#00007#1' })
  const shards = new Set(Array.from({ length: 200 }, (_, at) => wakeShardOf(`job_${at}`)))
  assert.ok(shards.size > 1)
  assert.equal(wakeShardOf('job_1'), wakeShardOf('job_1'))
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
const piece = (...images: string[]): InputPlan => ({
  steps: images.map(step),
  step: 0,
  files: [file('a.png')],
})

test('the next step of a task is done by the image of the first piece that has one left', () => {
  assert.equal(nextImageOf([{ ...piece('office', 'image'), step: 1 }]), 'image')
  assert.equal(nextImageOf([{ ...piece('office'), step: 1 }, piece('pdf')]), 'pdf')
  assert.throws(() => nextImageOf([{ ...piece('office'), step: 1 }]), /no step that is left/)
})

test('a task wants what its operation does, of the files that those before it gave', () => {
  const state = newJob([
    storedImport('in'),
    newTask('a', [0]),
    newTask('b', [0, 1], { spec: { to: 'jpg', options: { dpi: 7 } } }),
  ])
  const done = withTasks(state, { a: completed(3, file('a.png', 'k/a')) })
  const b = done.tasks.find(({ name }) => name === 'b')
  assert.ok(b)
  const [files, wish] = resolveConversion(b, done)
  assert.deepEqual(
    files.map(({ key }) => key),
    ['in/in', 'k/a'],
  )
  assert.deepEqual([wish.operation, wish.to, wish.options], ['convert', 'jpg', { dpi: 7 }])
})

test('parts of a task do one step of it each, under numbers that no other attempt or way has', () => {
  const [work] = fresh.tasks
  assert.ok(work)
  const of = (more: Partial<Task>, one: InputPlan) =>
    createChunks({ ...work, ...more }, one, [{ spec: { at: 1 } }, { spec: { at: 2 } }])
  const parts = of({ attempt: 2 }, { ...piece('pdf', 'image', 'office'), step: 1 })
  assert.deepEqual(
    parts.map(({ pieces, spec, number, name }) => [
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
  const numbers = (one: readonly Task[]) => one.map(({ part }) => part)
  const tried = { ...piece('pdf'), tried: [{ steps: [], error: { code: 'CORRUPT_FILE', message: 'x' } }] }
  const all = [
    ...numbers(parts),
    ...numbers(of({ attempt: 3 }, piece('pdf'))),
    ...numbers(of({ attempt: 2 }, tried as unknown as InputPlan)), // steps that were gone are not looked at
  ]
  assert.equal(new Set(all).size, all.length)
})
