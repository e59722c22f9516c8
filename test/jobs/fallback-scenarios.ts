import assert from 'node:assert/strict'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewTask } from '../../lib/jobs/task-graph.ts'
import { defined } from '../../lib/validation/defined.ts'
import { createGraph, createImport } from './new-tasks.ts'
import { importedAnimation } from './no-op-engine.ts'
import type { Scenario } from './run-scenario.ts'
import type { SimulatedService, SimulationOptions } from './simulated-service.ts'

/** Scenarios of a file that not every engine can read. */

type During = NonNullable<SimulationOptions['during']>[string]

/**
 * Converts an animation that three engines can read. The first engine splits the name `word` into chunks of `each`
 * characters.
 */
export const createAnimationGraph = (
  spec: Readonly<Record<string, unknown>> = {},
  each?: number,
): NewTask[] => {
  const [first, task, last] = createGraph({ a: { from: ['import'] } }, [
    createImport('import', importedAnimation),
  ])
  assert.ok(first && task && last)
  const options = { name: 'word', ...defined({ each }) }
  return [first, { ...task, operation: 'convert', spec: { to: 'png', options, ...spec } }, last]
}

const playAnimation = (each?: number) => async (service: SimulatedService) => {
  await service.create(createAnimationGraph({}, each))
}

const throwCorruptFile: During = async () => {
  throw new AppError('CORRUPT_FILE', 'The image is damaged.')
}
const throwUnsupportedFeature: During = async () => {
  throw new AppError('UNSUPPORTED_FORMAT', 'Its colors are Lab.', { reason: 'feature', feature: 'Lab' })
}
const throwCrash: During = async () => {
  throw new Error('The engine crashed.')
}
/** Fails like `Tools.exec` does for a killed program, every time or only `times` times. */
const throwKilled =
  (times = Number.POSITIVE_INFINITY): During =>
  async (_, { attempt }) => {
    if (attempt <= times) throw new EngineCrash('magick', 'SIGKILL', '')
  }
export const loseContent =
  (kept: number): During =>
  async () => ({ kept, warning: { code: 'CONTENT_MISSING', message: `${kept * 100} % was kept.` } })

export const fallbackScenarios = {
  'a file that another engine of the same image reads': {
    play: playAnimation(),
    during: { 'word by vips': throwCorruptFile },
  },
  'a file that only an engine of another image reads': {
    play: playAnimation(),
    during: { 'word by vips': throwUnsupportedFeature, 'word by imagemagick': throwCorruptFile },
  },
  'a file that no engine reads': {
    play: playAnimation(),
    during: {
      'word by vips': throwCorruptFile,
      'word by imagemagick': throwUnsupportedFeature,
      'word by ffmpeg': throwCorruptFile,
    },
  },
  'a file that crashes the second engine': {
    play: playAnimation(),
    during: {
      'word by vips': throwUnsupportedFeature,
      'word by imagemagick': throwCrash,
      'word by ffmpeg': throwCorruptFile,
    },
  },
  'a file with an unreadable chunk': {
    play: playAnimation(2),
    during: { 'word by vips part 1': throwCorruptFile },
  },
  'a file whose chunks cannot be joined': {
    play: playAnimation(2),
    during: { 'word joined': throwCorruptFile },
  },
  'a file that loses content with every engine': {
    play: playAnimation(),
    during: {
      'word by vips': loseContent(0.3),
      'word by imagemagick': loseContent(0.6),
      'word by ffmpeg': loseContent(0.5),
    },
  },
  'a file that loses content and whose next engine is killed once': {
    play: playAnimation(),
    during: { 'word by vips': loseContent(0.3), 'word by imagemagick': throwKilled(1) },
  },
  'a file that loses content and whose next engine is killed every time': {
    play: playAnimation(),
    during: {
      'word by vips': loseContent(0.3),
      'word by imagemagick': throwKilled(),
      'word by ffmpeg': loseContent(0.2),
    },
  },
} as const satisfies Readonly<Record<string, Scenario>>
