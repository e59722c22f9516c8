import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { getTaskPercent } from '../../lib/jobs/job-state-machine.ts'
import { fetchChunkResults } from '../../lib/jobs/run/chunks.ts'
import type { TaskServices } from '../../lib/jobs/run/task-services.ts'
import { createChunkRecord, getSpeculativeCopyNumber } from '../../lib/jobs/task-graph.ts'
import type { Task } from '../../lib/model/job.ts'
import { defined } from '../../lib/validation/defined.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { chunkScenarios, createChunkedGraph, findLeftovers, playGraph } from './chunk-scenarios.ts'
import { assertNoSweeps, assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { createRecords, createStoredImport, newTask } from './records.ts'
import { type Scenario, testCrashPoints } from './run-scenario.ts'
import { type DuringTask, SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const exceedTimeLimit: DuringTask = async ({ time }) => time.moveTo(time.now + 121_000)
/** Takes a measurable time. */
const pauseBriefly: DuringTask = () => pause(20)

/** Runs a scenario to its end. */
async function runScenario({ play, during, concurrency = 2 }: Scenario): Promise<SimulatedService> {
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency,
    ...defined({ during }),
  })
  await play(service)
  await service.runToEnd()
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  return service
}

test('the outcome of a chunked task is the same at each tested point where a process crashes', async (t) => {
  // A process crashes after every fourth effect; in chunked-tasks.slow.ts, after every effect.
  t.diagnostic(`${await testCrashPoints(database, chunkScenarios['a chunked task'], { everyNth: 4 })} runs`)
})

test('a chunked task returns the same result as an unsplit task, and leaves no chunks behind', async () => {
  const unsplitRun = await runScenario({ play: playGraph(() => createChunkedGraph(6)) })
  const chunkedRun = await runScenario({ play: playGraph(createChunkedGraph) })
  assert.deepEqual(unsplitRun.runs, ['a', 'string', 'last'])
  assert.deepEqual(chunkedRun.runs.toSorted(), [
    ...['a', 'last', 'string joined', 'string part 1', 'string part 2', 'string part 3'],
  ])
  assert.deepEqual(await getOutcome(chunkedRun), await getOutcome(unsplitRun))
  const [, chunkedTask] = (await chunkedRun.state()).tasks
  const [, unsplitTask] = (await unsplitRun.state()).tasks
  const summarize = (task: typeof chunkedTask) => [
    task?.status,
    task?.percent,
    task?.attempt,
    task?.engine,
    task?.files[0]?.filename,
  ]
  assert.deepEqual(summarize(chunkedTask), summarize(unsplitTask))
  assert.deepEqual(
    chunkedTask?.warnings.map(({ code }) => code),
    ['SHARED'],
  )
  assert.deepEqual(await findLeftovers(chunkedRun), [])
})

test('a worker that joins chunks fetches the inputs again if the join reads them', async () => {
  const service = await runScenario(chunkScenarios['a chunked task after another image'])
  assert.ok(service.runs.includes('string joined'))
  assert.equal((await getOutcome(service)).status, 'completed')
})

test('if each message is delivered twice, no chunk is processed twice and the result stays the same', async () => {
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 4,
    copies: () => 2,
  })
  await service.create(createChunkedGraph(1))
  await service.runToEnd()
  await assertNothingIsPending(service)
  const runs = service.runs.filter((run) => run.startsWith('string'))
  assert.equal(runs.length, new Set(runs).size, 'no chunk is processed twice')
  const { status, files } = await getOutcome(service)
  assert.deepEqual([status, files], ['completed', { 'source.png': 'last' }])
  assert.deepEqual(await findLeftovers(service), [])
})

test('a task in its last attempt completes even if the queue fails once when the chunks of the task are sent', async () => {
  const service = new SimulatedService({ database, tableName: await database.makeTable() })
  await service.create(createChunkedGraph())
  await service.services().jobs.store.changeTask({ jobId: service.jobId, task: 2 }, { set: { attempt: 2 } })
  const send = service.queues.send.bind(service.queues)
  let refusals = 0
  service.queues.send = async (image, messages, group) => {
    if (messages.some(({ part }) => part !== undefined) && refusals++ === 0)
      throw new Error('The queue is unavailable.')
    return send(image, messages, group)
  }
  await service.runToEnd()
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  assert.equal((await getOutcome(service)).status, 'completed')
  assert.ok(refusals > 1)
})

for (const name of ['a chunk that fails', 'a chunk that crashes three times', 'a join that fails'] as const)
  test(`the remaining chunks of a task are deleted after ${name}`, async () => {
    const service = await runScenario({ ...chunkScenarios[name], play: playGraph(createChunkedGraph) })
    const { job, tasks } = await service.state()
    assert.equal(job.status, 'failed')
    assert.equal(job.error?.details?.['task'], 'string')
    assert.equal(tasks[1]?.code, job.error?.code)
    assert.deepEqual(await findLeftovers(service), [])
  })

test('the progress of a chunked task follows its finished chunks', async () => {
  const seenPercents: number[] = []
  const recordPercent: DuringTask = async (service) => {
    const task = (await service.state()).tasks[1]
    seenPercents.push(task ? getTaskPercent(task) : -1)
  }
  const during = {
    'string part 1': recordPercent,
    'string part 2': recordPercent,
    'string part 3': recordPercent,
    'string joined': recordPercent,
  }
  const service = await runScenario({ play: playGraph(createChunkedGraph), during, concurrency: 1 })
  assert.deepEqual(seenPercents, [0, 30, 60, 90])
  const percents = service.bus.events.flatMap((event) =>
    event.event === 'job.progress'
      ? [(event['job'] as { progress: { percent: number } }).progress.percent]
      : [],
  )
  // Of the three tasks, the first has ended, the second is at 30 % and the third has not started.
  assert.deepEqual(percents.includes(43), true, String(percents))
})

test('the time limit of a chunk does not include its waiting time for other chunks', async () => {
  const during = { 'string part 2': exceedTimeLimit, 'string part 3': pauseBriefly }
  const service = await runScenario({ play: playGraph(createChunkedGraph), during, concurrency: 1 })
  assert.equal((await service.state()).job.status, 'completed')
  assert.ok(service.runs.includes('string joined'))
})

test('a task is not split into chunks if there is only one worker or all are busy', async () => {
  for (const [parallel, load, chunkCount] of [
    [1, 1, 0],
    [4, 1, 3],
    [4, 4, 0],
  ] as const) {
    const service = new SimulatedService({ database, tableName: await database.makeTable(), parallel })
    service.queues.load = async () => load
    await service.create(createChunkedGraph())
    await service.runToEnd()
    assert.equal(service.runs.filter((run) => run.startsWith('string part')).length, chunkCount)
  }
})

test('chunks left over from a failed task are deleted even if the first deletion failed', async () => {
  let refusals = 0
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    during: { 'string part 2': chunkScenarios['a chunk that fails'].during['string part 2'] },
  })
  const deleteFiles = service.files.delete.bind(service.files)
  service.files.delete = async (keys) => {
    if (keys.length > 0 && refusals++ === 0) throw new Error('The bucket is unavailable.')
    return deleteFiles(keys)
  }
  await service.create(createChunkedGraph())
  await service.runToEnd()
  await assertNothingIsPending(service)
  assert.ok(refusals > 1)
  assert.equal((await service.job())?.status, 'failed')
  assert.deepEqual(await findLeftovers(service), [])
})

test('chunk results are joined in order, whether the original or its speculative copy completed', async () => {
  const base = createRecords([createStoredImport('in'), newTask('work', [0])]).tasks[0]
  assert.ok(base)
  const createChunk = (chunkNumber: number, moreFields: Partial<Task> = {}): Task => ({
    ...createChunkRecord(base, chunkNumber, { spec: { part: chunkNumber } }, new Date()),
    status: 'completed',
    ...moreFields,
  })
  const warning = { code: 'SHARED', message: 'It was split.' }
  const chunks = [
    ...[
      createChunk(1001, { warnings: [warning] }),
      createChunk(1002),
      createChunk(getSpeculativeCopyNumber(1000), { warnings: [warning] }),
    ],
    ...[
      createChunk(getSpeculativeCopyNumber(1002)),
      createChunk(1000, { status: 'failed' }),
      createChunk(3001),
    ],
  ]
  const services = { jobs: { store: { getChunks: async () => chunks } } } as unknown as TaskServices // no files are read
  const fetchResults = (partCount: number) =>
    fetchChunkResults(
      { ...base, expandedBy: 1, partCount },
      { services, workDir: scratchFolder('chunks'), signal: new AbortController().signal },
    )
  const { results, warnings } = await fetchResults(3)
  assert.deepEqual(
    results.map(({ spec }) => spec?.['part']),
    [getSpeculativeCopyNumber(1000), 1001, 1002],
  )
  assert.deepEqual(warnings, [warning])
  await assert.rejects(fetchResults(4), /only 3 of the task's 4 chunks are complete/)
})
