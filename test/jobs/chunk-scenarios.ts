import assert from 'node:assert/strict'
import { AppError } from '../../lib/errors.ts'
import { jobPrefix } from '../../lib/jobs/job.ts'
import type { NewTask } from '../../lib/jobs/task-graph.ts'
import { graph, imported } from './new-tasks.ts'
import { importedDocument } from './no-op-engine.ts'
import type { Story } from './run-scenario.ts'
import type { During, World } from './simulated-service.ts'

/** What a task that splits into parts can live through. */

/** A task of six letters, two of which are a part, between two others. */
export const split = (each = 2): NewTask[] =>
  graph({ a: { from: ['import'] }, letter: { from: ['a'] }, last: { from: ['letter'] } }).map((task) =>
    task.name === 'letter' ? { ...task, spec: { options: { name: 'letter', each } } } : task,
  )

/** A document that one image makes a PDF of, and another one pictures, in parts. */
const inTwoImages = (): NewTask[] => {
  const [first, task, last] = graph({ a: { from: ['import'] } }, [imported('import', importedDocument)])
  assert.ok(first && task && last)
  const spec = { to: 'png', options: { name: 'letter', each: 2 } }
  return [first, { ...task, operation: 'convert', spec }, last]
}

export const created =
  (tasks: () => NewTask[]): Story['play'] =>
  async (world) => {
    await world.create(tasks())
  }

/** Records and files of parts. */
export async function leftovers(world: World): Promise<string[]> {
  const state = await world.services().jobs.store.getState(world.jobId)
  const files = new Set(state?.tasks.flatMap(({ files }) => files.map(({ key }) => key)))
  const objects = [...world.files.objects.keys()].filter((key) => key.startsWith(jobPrefix(world.jobId)))
  return [
    ...(state?.chunks.map(({ part }) => `part ${part}`) ?? []),
    ...objects.filter((key) => !files.has(key)),
  ]
}

const breaks: During = async () => {
  throw new Error('The engine broke down.')
}
const isDamaged: During = async () => {
  throw new AppError('CORRUPT_FILE', 'The second part is damaged.')
}

export const partStories = {
  'a task in parts': { play: created(split) },
  'a task in parts after another image': { play: created(inTwoImages) },
  'a part that fails': { play: created(split), during: { 'letter part 2': isDamaged } },
  'a part that breaks down three times': { play: created(split), during: { 'letter part 3': breaks } },
  'a join that fails': { play: created(split), during: { 'letter joined': isDamaged } },
  'a cancellation while parts run': {
    play: created(split),
    during: {
      'letter part 2': async (world) => {
        await world.cancel()
      },
    },
  },
  'a cancellation while parts are joined': {
    play: created(split),
    during: {
      'letter joined': async (world) => {
        await world.cancel()
      },
    },
    // Whoever cancels may be stopped before the task hears of it.
    alike: (outcome) => ({ ...outcome, tasks: { ...outcome.tasks, letter: '' } }),
  },
  'a deletion while parts run': {
    play: created(split),
    during: {
      'letter part 1': async (world) => {
        await world.delete()
      },
    },
    alike: (outcome) => ({ ...outcome, events: [...new Set(outcome.events)] }),
  },
} as const satisfies Readonly<Record<string, Story>>
