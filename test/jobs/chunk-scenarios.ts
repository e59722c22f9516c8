import assert from 'node:assert/strict'
import { AppError } from '../../lib/errors.ts'
import type { NewTask } from '../../lib/jobs/task-graph.ts'
import { getJobPrefix } from '../../lib/model/job.ts'
import { createGraph, createImport } from './new-tasks.ts'
import { importedDocument } from './no-op-engine.ts'
import type { Scenario } from './run-scenario.ts'
import type { DuringTask, SimulatedService } from './simulated-service.ts'

/** Scenarios of a task that is split into chunks. */

/** A task named `string`, split into chunks of two characters, between two other tasks. */
export const createChunkedGraph = (chunkCount = 2): NewTask[] =>
  createGraph({ a: { from: ['import'] }, string: { from: ['a'] }, last: { from: ['string'] } }).map((task) =>
    task.name === 'string' ? { ...task, spec: { options: { name: 'string', each: chunkCount } } } : task,
  )

/** A document that one container image converts to PDF, and another container image converts to PNG in chunks. */
const createChunkedGraphInTwoImages = (): NewTask[] => {
  const [firstTask, task, lastTask] = createGraph({ a: { from: ['import'] } }, [
    createImport('import', importedDocument),
  ])
  assert.ok(firstTask && task && lastTask)
  const spec = { to: 'png', options: { name: 'string', each: 2 } }
  return [firstTask, { ...task, operation: 'convert', spec }, lastTask]
}

export const playGraph =
  (tasks: () => NewTask[]): Scenario['play'] =>
  async (service) => {
    await service.create(tasks())
  }

/** Returns leftover records and files of chunks. */
export async function findLeftovers(service: SimulatedService): Promise<string[]> {
  const state = await service.services().jobs.store.getState(service.jobId)
  const files = new Set(state?.tasks.flatMap(({ files }) => files.map(({ key }) => key)))
  const objects = [...service.files.objects.keys()].filter((key) =>
    key.startsWith(getJobPrefix(service.jobId)),
  )
  return [
    ...(state?.chunks.map(({ part }) => `part ${part}`) ?? []),
    ...objects.filter((key) => !files.has(key)),
  ]
}

const throwCrash: DuringTask = async () => {
  throw new Error('The engine crashed.')
}
const throwCorruptFile: DuringTask = async () => {
  throw new AppError('CORRUPT_FILE', 'The second chunk is damaged.')
}

export const chunkScenarios = {
  'a chunked task': { play: playGraph(createChunkedGraph) },
  'a chunked task after another image': { play: playGraph(createChunkedGraphInTwoImages) },
  'a chunk that fails': {
    play: playGraph(createChunkedGraph),
    during: { 'string part 2': throwCorruptFile },
  },
  'a chunk that crashes three times': {
    play: playGraph(createChunkedGraph),
    during: { 'string part 3': throwCrash },
  },
  'a join that fails': {
    play: playGraph(createChunkedGraph),
    during: { 'string joined': throwCorruptFile },
  },
  'a cancellation while chunks run': {
    play: playGraph(createChunkedGraph),
    during: {
      'string part 2': async (service) => {
        await service.cancel()
      },
    },
  },
  'a cancellation while chunks are joined': {
    play: playGraph(createChunkedGraph),
    during: {
      'string joined': async (service) => {
        await service.cancel()
      },
    },
    // The canceller may die before the task is cancelled.
    normalize: (outcome) => ({ ...outcome, tasks: { ...outcome.tasks, string: '' } }),
  },
  'a deletion while chunks run': {
    play: playGraph(createChunkedGraph),
    during: {
      'string part 1': async (service) => {
        await service.delete()
      },
    },
    normalize: (outcome) => ({ ...outcome, events: [...new Set(outcome.events)] }),
  },
} as const satisfies Readonly<Record<string, Scenario>>
