import assert from 'node:assert/strict'
import { percentOf } from '../../lib/jobs/job-state-machine.ts'
import type { NewTask } from '../../lib/jobs/task-graph.ts'
import { assertAtRest, assertPrompt, outcomeOf } from './job-outcome.ts'
import { type Circumstances, World } from './simulated-service.ts'
import type { Database } from './test-table.ts'

export interface GraphRun {
  readonly world: World
  /** Milliseconds from the first message to the end. */
  readonly ms: number
  /** Records that were written for each task, the creation included; progress is told by the clock. */
  readonly writesPerTask: number
}

/**
 * Runs a graph to its end, and looks at the job all the time as a client does: each task ran once, nothing fell, nothing
 * is missing among its events.
 */
export async function runGraph(
  database: Database,
  tasks: readonly NewTask[],
  circumstances: Partial<Circumstances> = {},
): Promise<GraphRun> {
  const world = new World({ database, tableName: await database.makeTable(), loops: 8, ...circumstances })
  await world.create(tasks)
  const begun = performance.now()
  let isOver = false
  const watching = watch(world, () => isOver)
  await world.settle()
  const ms = performance.now() - begun
  isOver = true
  const percents = await watching
  const fallen = percents.filter((percent, at) => percent < (percents[at - 1] ?? 0))
  assert.deepEqual(fallen, [], 'what GET shows never falls')
  await assertAtRest(world)
  assertPrompt(world)
  const { status, events } = await outcomeOf(world)
  assert.equal(status, 'completed')
  assert.deepEqual(events, ['job.created', 'job.queued', 'job.started', 'job.completed'])
  const works = tasks.flatMap(({ name, fixed }) => (fixed ? [] : [name]))
  assert.deepEqual(world.runs.toSorted(), works.toSorted(), 'each task ran once')
  assert.deepEqual(world.failures, [])
  const written = world.calls.filter(({ isWrite }) => isWrite).flatMap(({ keys }) => keys)
  const told = world.bus.events.filter(({ event }) => event === 'job.progress').length
  return { world, ms, writesPerTask: (written.length - told) / works.length }
}

async function watch(world: World, isOver: () => boolean): Promise<number[]> {
  const { store } = world.services().jobs
  const percents: number[] = []
  while (!isOver()) {
    const job = await store.getJob(world.jobId)
    if (job) percents.push(percentOf(job))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return percents
}

export const figures = ({ world, ms, writesPerTask }: GraphRun) =>
  `${(ms / world.runs.length).toFixed(1)} ms and ${writesPerTask.toFixed(2)} writes a task, ${world.runs.length} tasks`
