import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Task } from '../../lib/jobs/job.ts'
import { percentOfTask } from '../../lib/jobs/job-state-machine.ts'
import { fetchChunkResults } from '../../lib/jobs/run/chunks.ts'
import type { TaskServices } from '../../lib/jobs/run/task-services.ts'
import { createChunkRecord, speculativeCopyOf } from '../../lib/jobs/task-graph.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { created, leftovers, partStories, split } from './chunk-scenarios.ts'
import { assertAtRest, assertPrompt, outcomeOf } from './job-outcome.ts'
import { given, records, task } from './records.ts'
import { type Story, walk } from './run-scenario.ts'
import { type During, World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

const isLate: During = async ({ time }) => time.moveTo(time.now + 121_000)
/** More than nothing. */
const takesTime: During = () => pause(20)

/** The job as it is when nothing is left to do. */
async function told({ play, during, loops = 2 }: Story): Promise<World> {
  const world = new World({
    ...{ database, tableName: await database.makeTable(), loops },
    ...(during && { during }),
  })
  await play(world)
  await world.settle()
  await assertAtRest(world)
  assertPrompt(world)
  return world
}

test('a task in parts ends alike whatever write, message or event is the last of its process', async (t) => {
  // Every one of them in chunks.slow.ts.
  t.diagnostic(`${await walk(database, partStories['a task in parts'], { every: 4 })} runs`)
})

test('a task in parts gives what it gives in one piece, and nothing is left of its parts', async () => {
  const whole = await told({ play: created(() => split(6)) })
  const parts = await told({ play: created(split) })
  assert.deepEqual(whole.runs, ['a', 'letter', 'last'])
  assert.deepEqual(parts.runs.toSorted(), [
    ...['a', 'last', 'letter joined', 'letter part 1', 'letter part 2', 'letter part 3'],
  ])
  assert.deepEqual(await outcomeOf(parts), await outcomeOf(whole))
  const [, task] = (await parts.state()).tasks
  const [, other] = (await whole.state()).tasks
  const named = (one: typeof task) => [
    one?.status,
    one?.percent,
    one?.attempt,
    one?.engine,
    one?.files[0]?.filename,
  ]
  assert.deepEqual(named(task), named(other))
  assert.deepEqual(
    task?.warnings.map(({ code }) => code),
    ['SHARED'],
  )
  assert.deepEqual(await leftovers(parts), [])
})

test('what was sent is there again where parts are joined by an engine that reads it then', async () => {
  const world = await told(partStories['a task in parts after another image'])
  assert.ok(world.runs.includes('letter joined'))
  assert.equal((await outcomeOf(world)).status, 'completed')
})

test('messages of parts that come twice change nothing', async () => {
  const world = new World({ database, tableName: await database.makeTable(), loops: 4, copies: () => 2 })
  await world.create(split(1))
  await world.settle()
  await assertAtRest(world)
  const runs = world.runs.filter((run) => run.startsWith('letter'))
  assert.equal(runs.length, new Set(runs).size, 'no part is made twice')
  const { status, files } = await outcomeOf(world)
  assert.deepEqual([status, files], ['completed', { 'source.png': 'last' }])
  assert.deepEqual(await leftovers(world), [])
})

test('a task that was given to its parts is not ended by a queue that fails then, even at its last attempt', async () => {
  const world = new World({ database, tableName: await database.makeTable() })
  await world.create(split())
  await world.services().jobs.store.changeTask({ jobId: world.jobId, task: 2 }, { set: { attempt: 2 } })
  const send = world.queues.send.bind(world.queues)
  let refusals = 0
  world.queues.send = async (image, messages, group) => {
    if (messages.some(({ part }) => part !== undefined) && refusals++ === 0)
      throw new Error('The queue is away.')
    return send(image, messages, group)
  }
  await world.settle()
  await assertAtRest(world)
  assertPrompt(world)
  assert.equal((await outcomeOf(world)).status, 'completed')
  assert.ok(refusals > 1)
})

for (const name of ['a part that fails', 'a part that breaks down three times', 'a join that fails'] as const)
  test(`nothing is left of the other parts after ${name}`, async () => {
    const world = await told({ ...partStories[name], play: created(split) })
    const { job, tasks } = await world.state()
    assert.equal(job.status, 'failed')
    assert.equal(job.error?.details?.['task'], 'letter')
    assert.equal(tasks[1]?.code, job.error?.code)
    assert.deepEqual(await leftovers(world), [])
  })

test('the percent of a task in parts follows those that are over', async () => {
  const seen: number[] = []
  const look: During = async (world) => {
    const task = (await world.state()).tasks[1]
    seen.push(task ? percentOfTask(task) : -1)
  }
  const during = {
    'letter part 1': look,
    'letter part 2': look,
    'letter part 3': look,
    'letter joined': look,
  }
  const world = await told({ play: created(split), during, loops: 1 })
  assert.deepEqual(seen, [0, 30, 60, 90])
  const percents = world.bus.events.flatMap((event) =>
    event.event === 'job.progress'
      ? [(event['job'] as { progress: { percent: number } }).progress.percent]
      : [],
  )
  // Two of the three tasks of the job are not over.
  assert.deepEqual(percents.includes(43), true, String(percents))
})

test('the time of a task in parts counts from its first claim', async () => {
  const during = { 'letter part 2': isLate, 'letter part 3': takesTime }
  const world = await told({ play: created(split), during, loops: 1 })
  const { job, tasks } = await world.state()
  assert.deepEqual([job.status, job.error?.code], ['failed', 'TIMEOUT'])
  assert.equal(tasks[1]?.code, 'TIMEOUT')
  assert.ok(!world.runs.includes('letter joined'))
})

test('one worker is no reason to share out a task, nor are several that are at work', async () => {
  for (const [parallel, load, parts] of [
    [1, 1, 0],
    [4, 1, 3],
    [4, 4, 0],
  ] as const) {
    const world = new World({ database, tableName: await database.makeTable(), parallel })
    world.queues.load = async () => load
    await world.create(split())
    await world.settle()
    assert.equal(world.runs.filter((run) => run.startsWith('letter part')).length, parts)
  }
})

test('what is left of the parts of a task that failed goes, though whoever ended it did not come to that', async () => {
  let refusals = 0
  const world = new World({
    ...{ database, tableName: await database.makeTable() },
    during: { 'letter part 2': partStories['a part that fails'].during['letter part 2'] },
  })
  const drop = world.files.delete.bind(world.files)
  world.files.delete = async (keys) => {
    if (keys.length > 0 && refusals++ === 0) throw new Error('The bucket is away.')
    return drop(keys)
  }
  await world.create(split())
  await world.settle()
  await assertAtRest(world)
  assert.ok(refusals > 1)
  assert.equal((await world.job())?.status, 'failed')
  assert.deepEqual(await leftovers(world), [])
})

test('what parts made comes in their order, whoever of two twins was there', async () => {
  const base = records([given('in'), task('work', [0])]).tasks[0]
  assert.ok(base)
  const made = (part: number, more: Partial<Task> = {}): Task => ({
    ...{ ...createChunkRecord(base, part, { spec: { part } }, new Date()), status: 'completed', ...more },
  })
  const warning = { code: 'SHARED', message: 'It was shared out.' }
  const parts = [
    ...[
      made(1001, { warnings: [warning] }),
      made(1002),
      made(speculativeCopyOf(1000), { warnings: [warning] }),
    ],
    ...[made(speculativeCopyOf(1002)), made(1000, { status: 'failed' }), made(3001)],
  ]
  const services = { jobs: { store: { parts: async () => parts } } } as unknown as TaskServices // no files are read
  const fetched = (partCount: number) =>
    fetchChunkResults(
      { ...base, expandedBy: 1, partCount },
      { services, workDir: scratchFolder('parts'), signal: new AbortController().signal },
    )
  const { results, warnings } = await fetched(3)
  assert.deepEqual(
    results.map(({ spec }) => spec?.['part']),
    [speculativeCopyOf(1000), 1001, 1002],
  )
  assert.deepEqual(warnings, [warning])
  await assert.rejects(fetched(4), /of 4 parts of the task 3 are there/)
})
