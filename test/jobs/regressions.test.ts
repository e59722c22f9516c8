import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { getTaskKey } from '../../lib/jobs/keys.ts'
import { convertTask } from '../../lib/jobs/run/convert-task.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import { assertNoSweeps, assertNothingIsPending, getOutcome } from './job-outcome.ts'
import {
  createJobAwaitingUpload,
  onePixelPng,
  receiveUploadTwice,
  throwCorruptFile,
} from './job-scenarios.ts'
import { chain, createGraph, createImport, diamond, documentGraph, singleTask } from './new-tasks.ts'
import { importedFile } from './no-op-engine.ts'
import { loseResponses } from './simulated-aws.ts'
import { SimulatedService, type SimulationOptions } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()
const newService = async (options: Partial<SimulationOptions> = {}) =>
  new SimulatedService({ database, tableName: await database.makeTable(), concurrency: 2, ...options })

test('a cancellation is published within 30 seconds even if its process dies after storing it', async () => {
  // The instance that creates the job has three effects; the fourth effect is the cancellation.
  const service = await newService({ crashAfter: [4] })
  await service.create(diamond())
  const timeBefore = service.time.now
  assert.equal(await service.cancel(), undefined)
  await service.runToEnd()
  assert.ok(service.time.now - timeBefore < 30_000, 'it is due after 15 seconds')
  await assertNothingIsPending(service)
  assert.deepEqual((await getOutcome(service)).events, ['job.created', 'job.queued', 'job.cancelled'])
  assert.deepEqual(service.runs, [], 'workers skip messages of the cancelled job')
})

test('a cancelled job publishes all of its events even if the process that created the job died', async () => {
  for (const stop of [1, 2]) {
    const service = await newService({ crashAfter: [stop] })
    await service.create(diamond())
    assert.equal(await service.cancel(), true)
    await service.runToEnd()
    assert.deepEqual((await getOutcome(service)).events, ['job.created', 'job.queued', 'job.cancelled'])
  }
})

test('a job publishes all of its events even if the process that created it died and the sweep is 40 minutes late', async () => {
  const service = await newService({ crashAfter: [1] })
  await service.create(diamond())
  service.time.moveTo(service.time.now + 40 * 60_000)
  await service.runToEnd()
  const { status, events } = await getOutcome(service)
  assert.equal(status, 'completed')
  assert.deepEqual(events, ['job.created', 'job.queued', 'job.started', 'job.completed'])
})

test('the end of a job is published even if the sweep that ends it dies at any point', async () => {
  for (let stop = 1; ; stop++) {
    const service = await newService({ during: { b: throwCorruptFile } })
    await service.create(createGraph({ a: { from: ['import'] }, b: { from: ['a'] } }))
    // All tasks have ended, but their completions and messages were lost.
    const { store } = service.services().jobs
    const over = {
      status: 'completed',
      files: [importedFile],
      endedAt: new Date().toISOString(),
      endedBy: 'x',
    }
    for (const task of [1, 2]) await store.changeTask({ jobId: service.jobId, task }, { set: over })
    service.queues.dropAll()
    const effectsBefore = service.gate.effects.length
    service.gate.crashAfter(effectsBefore + stop)
    await service.runToEnd()
    await assertNothingIsPending(service)
    assert.deepEqual(
      (await getOutcome(service)).events,
      ['job.created', 'job.queued', 'job.started', 'job.completed'],
      `crashed after ${service.gate.effects[effectsBefore + stop - 1]}`,
    )
    if (service.gate.effects.length < effectsBefore + stop) break
  }
})

test('job events list every task, whichever process publishes them', async () => {
  const service = await newService()
  await service.create(chain(3))
  await service.runToEnd()
  await service.services().jobs.completion.lifecycle.republishEnd(service.jobId)
  await getOutcome(service)
  const eventsOfJob = service.bus.events.filter(({ stream }) => stream === service.jobId)
  for (const { event, ...body } of eventsOfJob.filter(({ event }) => event !== 'file.uploaded')) {
    // The shape is defined by the event's schema.
    const { tasks } = (body as unknown as { job: { tasks: object } }).job
    assert.deepEqual(Object.keys(tasks), ['import', 't0', 't1', 't2', 'export'], event)
  }
  assert.equal(service.bus.publishedEvents.filter(({ event }) => event === 'job.completed').length, 2)
})

test('the result of a job with two completed branches contains the files of both, named after their sources', async () => {
  const service = await newService()
  const imports = ['left', 'right'].map((name) =>
    createImport(name, { ...importedFile, key: `${importedFile.key}-${name}`, filename: `${name}.png` }),
  )
  for (const { fixed } of imports)
    for (const { key } of fixed?.files ?? []) service.files.objects.set(key, new Uint8Array([1]))
  await service.create(createGraph({ a: { from: ['left'] }, b: { from: ['right'] } }, imports))
  await service.runToEnd()
  const { status, files } = await getOutcome(service)
  assert.equal(status, 'completed')
  assert.deepEqual(files, { 'left.png': 'a', 'right.png': 'b' })
})

test('a failed job leaves no task processing or pending', async () => {
  const service = await newService({ during: { b: throwCorruptFile } })
  await service.create(diamond())
  await service.runToEnd()
  await assertNothingIsPending(service)
  assert.deepEqual((await getOutcome(service)).tasks['f'], 'cancelled INPUT_TASK_FAILED')
})

test('a job fails with the error of a continue_on_error task if a later task has no other input', async () => {
  const service = await newService({ during: { bad: throwCorruptFile } })
  await service.create(
    createGraph({ bad: { from: ['import'], continueOnError: true }, after: { from: ['bad'] } }),
  )
  await service.runToEnd()
  await assertNothingIsPending(service)
  const { status, error } = await getOutcome(service)
  assert.deepEqual([status, error], ['failed', 'CORRUPT_FILE'])
})

test('a job that waits for an upload is pending until the upload arrives', async () => {
  const service = await newService()
  await createJobAwaitingUpload(service)
  assert.equal((await service.job())?.status, 'pending')
  assert.equal(service.queues.nextAt, undefined, 'nothing runs before that')
  await receiveUploadTwice(service, onePixelPng)
  assert.equal((await service.job())?.status, 'queued')
  await service.runToEnd()
  assert.equal((await getOutcome(service)).status, 'completed')
})

test('progress that a worker stored but did not publish is published by the next process', async () => {
  const crashAfterStoringProgress = async (
    service: SimulatedService,
    { attempt, progress }: { attempt: number; progress: (ratio: number) => void },
  ) => {
    if (attempt > 1) return
    const { bus, gate } = service
    const hasWrittenJob = () =>
      gate.effects.some((effect) => effect.endsWith('JOB JOB') && effect.startsWith('worker'))
    while (!hasWrittenJob() || !bus.events.some(({ event }) => event === 'job.started'))
      await new Promise((resolve) => setTimeout(resolve, 20))
    gate.crashAfter(gate.effects.length + 1)
    await new Promise((resolve) => setTimeout(resolve, 600))
    progress(0.5)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const service = await newService({ during: { a: crashAfterStoringProgress } })
  await service.create(createGraph({ a: { from: ['import'] }, b: { from: ['a'] } }))
  await service.runToEnd()
  // Asserts that the sequence numbers have no gap.
  await getOutcome(service)
  assert.equal(service.bus.events.filter(({ event }) => event === 'job.progress').length, 1)
})

test('a task that needs two container images completes even if the first response to each table write is lost', async () => {
  const service = await newService({ tableBehavior: loseResponses(1, () => 0) })
  await service.create(documentGraph())
  await service.runToEnd()
  await assertNothingIsPending(service)
  const { status, files } = await getOutcome(service)
  assert.equal(status, 'completed')
  assert.deepEqual(Object.keys(files), ['source.png'])
})

test('cancellations of dependent tasks propagate even if the first response to each table write is lost', async () => {
  const service = await newService({
    tableBehavior: loseResponses(1, () => 0),
    during: { t0: throwCorruptFile },
  })
  await service.create(chain(5))
  const timeBefore = service.time.now
  await service.runToEnd()
  await assertNothingIsPending(service)
  assert.equal((await getOutcome(service)).status, 'failed')
  assert.ok(service.time.now - timeBefore < 60_000, 'no sweep was needed')
})

test('the end of a job is published even if the event bus rejects it once during the last attempt of the task', async () => {
  const service = await newService()
  await service.create(singleTask())
  const { store } = service.services().jobs
  await store.changeTask({ jobId: service.jobId, task: 1 }, { set: { attempt: 2 } })
  service.bus.failNext(1)
  await service.runToEnd()
  await assertNothingIsPending(service)
  const { status, events } = await getOutcome(service)
  assert.equal(status, 'completed')
  assert.deepEqual(events, ['job.created', 'job.queued', 'job.started', 'job.completed'])
})

test('a failure of the table to return the inputs of a task costs no attempt', async () => {
  let [isClaimed, refusalsLeft] = [false, 5]
  const service = await newService({
    tableBehavior: (command, send) => {
      const { sk } = getTaskKey({ jobId: '', task: 4 })
      if (command instanceof UpdateCommand && command.input.Key?.['sk'] === sk)
        isClaimed = JSON.stringify(command.input).includes('leaseUntil')
      if (!isClaimed || refusalsLeft === 0 || !(command instanceof BatchGetCommand)) return send(command)
      refusalsLeft -= 1
      return Promise.reject(new Error('the table does not respond'))
    },
  })
  await service.create(diamond())
  await service.runToEnd()
  assert.equal(refusalsLeft, 0)
  assert.equal((await getOutcome(service)).status, 'completed')
})

test('the file.uploaded event of an upload is published once, even if the file is not an image', async () => {
  for (const [bytes, format] of [
    [onePixelPng, 'png'],
    [new Uint8Array([1, 2, 3]), null],
  ] as const) {
    const service = await newService()
    await createJobAwaitingUpload(service)
    await receiveUploadTwice(service, bytes)
    await service.runToEnd()
    await getOutcome(service)
    const publishedEvents = service.bus.events.filter(({ event }) => event === 'file.uploaded')
    const { jobId } = service
    const uploadFacts = { filename: 'sent.png', size: bytes.length, mimeType: 'image/png' }
    const [file, ...otherFiles] = publishedEvents.map((event) => event['file'])
    assert.deepEqual(file, { uploadId: `upl_${jobId}`, jobId, ...uploadFacts, format, via: 'presigned' })
    assert.deepEqual(otherFiles, [])
  }
})

test('a task that cannot be planned fails with the reason, and tasks that do not depend on it run', async () => {
  const service = await newService()
  const tasks = createGraph({
    a: { from: ['import'] },
    first: { from: ['import'] },
    late: { from: ['a'] },
    last: { from: ['late'] },
    b: { from: ['import'] },
  })
  const impossibleConversion = { operation: 'convert', spec: { to: 'mp3', options: {} } }
  const isImpossible = ({ name }: { name: string }) => name === 'first' || name === 'late'
  await service.create(
    tasks.map((task) => (isImpossible(task) ? { ...task, ...impossibleConversion } : task)),
  )
  await service.runToEnd()
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  const { status, tasks: statuses } = await getOutcome(service)
  assert.equal(status, 'failed')
  const [lostTask, skippedTask] = ['failed UNSUPPORTED_CONVERSION', 'cancelled INPUT_TASK_FAILED']
  const { first, late, last, a, b } = statuses
  assert.deepEqual([first, late, last, a, b], [lostTask, lostTask, skippedTask, 'completed', 'completed'])
})

test('the input files of a job are found even if there are too many for the job record', async () => {
  const service = await newService()
  const imports = Array.from({ length: 30 }, (_, at) =>
    createImport(`in${at}`, { ...importedFile, key: `${importedFile.key}-${at}`, filename: `${at}.png` }),
  )
  for (const { fixed } of imports)
    for (const { key } of fixed?.files ?? []) service.files.objects.set(key, new Uint8Array([1]))
  await service.create(createGraph({ a: { from: ['in3', 'in29'] }, b: { from: ['in7'] } }, imports))
  assert.equal((await service.job())?.fixed, undefined)
  await service.runToEnd()
  await assertNothingIsPending(service)
  assert.deepEqual(await getOutcome(service).then(({ files }) => files), { '3.png': 'a', '7.png': 'b' })
})

test('a second message for a running task does not run the task and is delivered again after 16 seconds', async () => {
  const outcomes: unknown[] = []
  const service = await newService({
    during: {
      a: ({ jobId, queues }) =>
        service.asInstance('another worker', async (services) => {
          const idleWorker = {
            stopSignal: new AbortController().signal,
            outOfSpaceSignal: new AbortController().signal,
          }
          const run = {
            ref: { jobId, task: 1 },
            queue: 'image',
            services,
            isShared: false,
            ...idleWorker,
          } as const
          const extendVisibility = (seconds: number) => queues.extendVisibility('image', '', seconds)
          outcomes.push(await runTask({ ...run, extendVisibility, remainingMs: 600_000 }, convertTask))
        }),
    },
  })
  await service.create(singleTask())
  await service.runToEnd()
  assert.deepEqual(outcomes, [{ done: false, retryInS: 16 }])
  assert.deepEqual(service.runs, ['a'])
})
