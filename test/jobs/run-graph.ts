import assert from 'node:assert/strict'
import { getJobPercent } from '../../lib/jobs/job-state-machine.ts'
import type { NewTask } from '../../lib/jobs/task-graph.ts'
import { assertNoSweeps, assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { SimulatedService, type SimulationOptions } from './simulated-service.ts'
import type { TestDatabase } from './test-table.ts'

export interface GraphRun {
  readonly service: SimulatedService
  /** Duration in milliseconds. */
  readonly ms: number
  /** Records written per task including its creation, without the time-based progress. */
  readonly writesPerTask: number
}

/**
 * Runs a graph to its end while polling the job like a client. Asserts that each task ran once, progress never fell and
 * no event is missing.
 */
export async function runGraph(
  database: TestDatabase,
  tasks: readonly NewTask[],
  options: Partial<SimulationOptions> = {},
): Promise<GraphRun> {
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 8,
    ...options,
  })
  await service.create(tasks)
  const startedAt = performance.now()
  let isOver = false
  const watcher = watch(service, () => isOver)
  await service.runToEnd()
  const ms = performance.now() - startedAt
  isOver = true
  const percents = await watcher
  const decreases = percents.filter((percent, at) => percent < (percents[at - 1] ?? 0))
  assert.deepEqual(decreases, [], 'the progress shown by GET never falls')
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  const { status, events } = await getOutcome(service)
  assert.equal(status, 'completed')
  assert.deepEqual(events, ['job.created', 'job.queued', 'job.started', 'job.completed'])
  const workTasks = tasks.flatMap(({ name, fixed }) => (fixed ? [] : [name]))
  assert.deepEqual(service.runs.toSorted(), workTasks.toSorted(), 'each task ran once')
  assert.deepEqual(service.failures, [])
  const writtenKeys = service.calls.filter(({ isWrite }) => isWrite).flatMap(({ keys }) => keys)
  const progressEventCount = service.bus.events.filter(({ event }) => event === 'job.progress').length
  return { service, ms, writesPerTask: (writtenKeys.length - progressEventCount) / workTasks.length }
}

async function watch(service: SimulatedService, isOver: () => boolean): Promise<number[]> {
  const { store } = service.services().jobs
  const percents: number[] = []
  while (!isOver()) {
    const job = await store.getJob(service.jobId)
    if (job) percents.push(getJobPercent(job))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return percents
}

export const describeRun = ({ service, ms, writesPerTask }: GraphRun) =>
  `${(ms / service.runs.length).toFixed(1)} ms and ${writesPerTask.toFixed(2)} writes per task, ${service.runs.length} tasks`
