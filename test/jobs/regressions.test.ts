import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { taskKey } from '../../lib/jobs/keys.ts'
import { convertTask } from '../../lib/jobs/run/convert-task.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import { assertAtRest, assertPrompt, outcomeOf } from './job-outcome.ts'
import { arrive, createAwaiting, fails, picture } from './job-scenarios.ts'
import { chain, diamond, document, graph, imported, one } from './new-tasks.ts'
import { importedFile } from './no-op-engine.ts'
import { lostAnswers } from './simulated-aws.ts'
import { type Circumstances, World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()
const newWorld = async (circumstances: Partial<Circumstances> = {}) =>
  new World({ database, tableName: await database.makeTable(), loops: 2, ...circumstances })

test('a cancellation whose process dies as it is stored is told within two minutes', async () => {
  // Three effects of the creator, then the cancellation.
  const world = await newWorld({ stops: [4] })
  await world.create(diamond())
  const before = world.time.now
  assert.equal(await world.cancel(), undefined)
  await world.settle()
  assert.ok(world.time.now - before < 30_000, 'it is due in a quarter of a minute')
  await assertAtRest(world)
  assert.deepEqual((await outcomeOf(world)).events, ['job.created', 'job.queued', 'job.cancelled'])
  assert.deepEqual(world.runs, [], 'whoever has the message of a task leaves it')
})

test('a job that nobody began is told of from its creation, though its creator died and it is cancelled', async () => {
  for (const stop of [1, 2]) {
    const world = await newWorld({ stops: [stop] })
    await world.create(diamond())
    assert.equal(await world.cancel(), true)
    await world.settle()
    assert.deepEqual((await outcomeOf(world)).events, ['job.created', 'job.queued', 'job.cancelled'])
  }
})

test('a job whose creator died is told of from its creation, however late somebody looks', async () => {
  const world = await newWorld({ stops: [1] })
  await world.create(diamond())
  world.time.moveTo(world.time.now + 40 * 60_000)
  await world.settle()
  const { status, events } = await outcomeOf(world)
  assert.equal(status, 'completed')
  assert.deepEqual(events, ['job.created', 'job.queued', 'job.started', 'job.completed'])
})

test('an end that the sweep finds is told, though the sweep dies as it is stored', async () => {
  for (let stop = 1; ; stop++) {
    const world = await newWorld({ during: { b: fails } })
    await world.create(graph({ a: { from: ['import'] }, b: { from: ['a'] } }))
    // All are over, and whoever was to tell is gone with the message.
    const { store } = world.services().jobs
    const over = {
      status: 'completed',
      files: [importedFile],
      endedAt: new Date().toISOString(),
      endedBy: 'x',
    }
    for (const task of [1, 2]) await store.changeTask({ jobId: world.jobId, task }, { set: over })
    world.queues.lose()
    const begun = world.gate.effects.length
    world.gate.stopAt(begun + stop)
    await world.settle()
    await assertAtRest(world)
    assert.deepEqual(
      (await outcomeOf(world)).events,
      ['job.created', 'job.queued', 'job.started', 'job.completed'],
      `stopped after ${world.gate.effects[begun + stop - 1]}`,
    )
    if (world.gate.effects.length < begun + stop) break
  }
})

test('the body of an event lists every task, whoever publishes it', async () => {
  const world = await newWorld()
  await world.create(chain(3))
  await world.settle()
  await world.services().jobs.completion.lifecycle.republishEnd(world.jobId)
  await outcomeOf(world)
  const ofJob = world.bus.events.filter(({ stream }) => stream === world.jobId)
  for (const { event, ...body } of ofJob) {
    // As its schema has it.
    const { tasks } = (body as unknown as { job: { tasks: object } }).job
    assert.deepEqual(Object.keys(tasks), ['import', 't0', 't1', 't2', 'export'], event)
  }
  assert.equal(world.bus.published.filter(({ event }) => event === 'job.completed').length, 2)
})

test('two branches that both complete give the files of both, each with the name of its own source', async () => {
  const world = await newWorld()
  const imports = ['left', 'right'].map((name) =>
    imported(name, { ...importedFile, key: `${importedFile.key}-${name}`, filename: `${name}.png` }),
  )
  for (const { fixed } of imports)
    for (const { key } of fixed?.files ?? []) world.files.objects.set(key, new Uint8Array([1]))
  await world.create(graph({ a: { from: ['left'] }, b: { from: ['right'] } }, imports))
  await world.settle()
  const { status, files } = await outcomeOf(world)
  assert.equal(status, 'completed')
  assert.deepEqual(files, { 'left.png': 'a', 'right.png': 'b' })
})

test('a failure leaves no task processing or pending', async () => {
  const world = await newWorld({ during: { b: fails } })
  await world.create(diamond())
  await world.settle()
  await assertAtRest(world)
  assert.deepEqual((await outcomeOf(world)).tasks['f'], 'cancelled INPUT_TASK_FAILED')
})

test('a job that lacks nothing but what a failure with continue_on_error left out fails by that failure', async () => {
  const world = await newWorld({ during: { bad: fails } })
  await world.create(graph({ bad: { from: ['import'], continueOnError: true }, after: { from: ['bad'] } }))
  await world.settle()
  await assertAtRest(world)
  const { status, error } = await outcomeOf(world)
  assert.deepEqual([status, error], ['failed', 'CORRUPT_FILE'])
})

test('a job that waits for a file is pending until the file is there', async () => {
  const world = await newWorld()
  await createAwaiting(world)
  assert.equal((await world.job())?.status, 'pending')
  assert.equal(world.queues.nextAt, undefined, 'nothing runs before')
  await arrive(world, picture)
  assert.equal((await world.job())?.status, 'queued')
  await world.settle()
  assert.equal((await outcomeOf(world)).status, 'completed')
})

test('progress that a worker stored and did not come to tell is told by whoever comes after', async () => {
  const tells = async (
    world: World,
    { attempt, progress }: { attempt: number; progress: (ratio: number) => void },
  ) => {
    if (attempt > 1) return
    const { bus, gate } = world
    const stored = () =>
      gate.effects.some((effect) => effect.endsWith('JOB JOB') && effect.startsWith('worker'))
    while (!stored() || !bus.events.some(({ event }) => event === 'job.started'))
      await new Promise((resolve) => setTimeout(resolve, 20))
    gate.stopAt(gate.effects.length + 1)
    await new Promise((resolve) => setTimeout(resolve, 600))
    progress(0.5)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const world = await newWorld({ during: { a: tells } })
  await world.create(graph({ a: { from: ['import'] }, b: { from: ['a'] } }))
  await world.settle()
  // Without it there is a gap among the numbers.
  await outcomeOf(world)
  assert.equal(world.bus.events.filter(({ event }) => event === 'job.progress').length, 1)
})

test('a task whose way leads through two images ends though each answer of the table is lost once', async () => {
  const world = await newWorld({ manner: lostAnswers(1, () => 0) })
  await world.create(document())
  await world.settle()
  await assertAtRest(world)
  const { status, files } = await outcomeOf(world)
  assert.equal(status, 'completed')
  assert.deepEqual(Object.keys(files), ['source.png'])
})

test('a task without input passes that on at once though the answer of each write is lost', async () => {
  const world = await newWorld({ manner: lostAnswers(1, () => 0), during: { t0: fails } })
  await world.create(chain(5))
  const before = world.time.now
  await world.settle()
  await assertAtRest(world)
  assert.equal((await outcomeOf(world)).status, 'failed')
  assert.ok(world.time.now - before < 60_000, 'no sweep had to see to it')
})

test('an end that is stored and not told for want of the bus is told, even by the last attempt', async () => {
  const world = await newWorld()
  await world.create(one())
  const { store } = world.services().jobs
  await store.changeTask({ jobId: world.jobId, task: 1 }, { set: { attempt: 2 } })
  world.bus.refuse(1)
  await world.settle()
  await assertAtRest(world)
  const { status, events } = await outcomeOf(world)
  assert.equal(status, 'completed')
  assert.deepEqual(events, ['job.created', 'job.queued', 'job.started', 'job.completed'])
})

test('a table that does not answer for the files of a task costs it none of its attempts', async () => {
  let [isClaimed, refusals] = [false, 5]
  const world = await newWorld({
    manner: (command, send) => {
      const { sk } = taskKey({ jobId: '', task: 4 })
      if (command instanceof UpdateCommand && command.input.Key?.['sk'] === sk)
        isClaimed = JSON.stringify(command.input).includes('leaseUntil')
      if (!isClaimed || refusals === 0 || !(command instanceof BatchGetCommand)) return send(command)
      refusals -= 1
      return Promise.reject(new Error('the table does not answer'))
    },
  })
  await world.create(diamond())
  await world.settle()
  assert.equal(refusals, 0)
  assert.equal((await outcomeOf(world)).status, 'completed')
})

test('an upload is told of when it is there, each time the same, though it is no picture', async () => {
  for (const [bytes, format] of [
    [picture, 'png'],
    [new Uint8Array([1, 2, 3]), null],
  ] as const) {
    const world = await newWorld()
    await createAwaiting(world)
    await arrive(world, bytes)
    await world.settle()
    await outcomeOf(world)
    const told = world.bus.events.filter(({ event }) => event === 'file.uploaded')
    const { jobId } = world
    const facts = { filename: 'sent.png', size: bytes.length, mimeType: 'image/png' }
    const [file, ...others] = told.map((event) => event['file'])
    assert.deepEqual(file, { uploadId: `upl_${jobId}`, jobId, ...facts, format, via: 'presigned' })
    assert.deepEqual(others, [])
  }
})

test('a task that cannot run fails with what is wrong, those beside it run', async () => {
  const world = await newWorld()
  const tasks = graph({
    ...{ a: { from: ['import'] }, first: { from: ['import'] }, late: { from: ['a'] } },
    ...{ last: { from: ['late'] }, b: { from: ['import'] } },
  })
  const impossible = { operation: 'convert', spec: { to: 'mp3', options: {} } }
  const isImpossible = ({ name }: { name: string }) => name === 'first' || name === 'late'
  await world.create(tasks.map((task) => (isImpossible(task) ? { ...task, ...impossible } : task)))
  await world.settle()
  await assertAtRest(world)
  assertPrompt(world)
  const { status, tasks: told } = await outcomeOf(world)
  assert.equal(status, 'failed')
  const [lost, skipped] = ['failed UNSUPPORTED_CONVERSION', 'cancelled INPUT_TASK_FAILED']
  const { first, late, last, a, b } = told
  assert.deepEqual([first, late, last, a, b], [lost, lost, skipped, 'completed', 'completed'])
})

test('files that were sent are found also where there are too many for the record of their job', async () => {
  const world = await newWorld()
  const imports = Array.from({ length: 30 }, (_, at) =>
    imported(`in${at}`, { ...importedFile, key: `${importedFile.key}-${at}`, filename: `${at}.png` }),
  )
  for (const { fixed } of imports)
    for (const { key } of fixed?.files ?? []) world.files.objects.set(key, new Uint8Array([1]))
  await world.create(graph({ a: { from: ['in3', 'in29'] }, b: { from: ['in7'] } }, imports))
  assert.equal((await world.job())?.fixed, undefined)
  await world.settle()
  await assertAtRest(world)
  assert.deepEqual(await outcomeOf(world).then(({ files }) => files), { '3.png': 'a', '7.png': 'b' })
})

test('a message that comes while its task is at work comes again when the lease would be over', async () => {
  const outcomes: unknown[] = []
  const world = await newWorld({
    during: {
      a: ({ jobId, queues }) =>
        world.as('another worker', async (services) => {
          const idle = { stopping: new AbortController().signal, outOfSpace: new AbortController().signal }
          const run = { ref: { jobId, task: 1 }, queue: 'image', services, ...idle } as const
          const extendVisibility = (seconds: number) => queues.extendVisibility('image', '', seconds)
          outcomes.push(await runTask({ ...run, extendVisibility, remainingMs: 600_000 }, convertTask))
        }),
    },
  })
  await world.create(one())
  await world.settle()
  assert.deepEqual(outcomes, [{ done: false, againInS: 16 }])
  assert.deepEqual(world.runs, ['a'])
})
