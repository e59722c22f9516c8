import assert from 'node:assert/strict'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { AppError } from '../../lib/errors.ts'
import type { NewTask } from '../../lib/jobs/task-graph.ts'
import { graph, imported } from './new-tasks.ts'
import { importedAnimation } from './no-op-engine.ts'
import type { Story } from './run-scenario.ts'
import type { Circumstances, World } from './simulated-service.ts'

/** What a task can live through whose file not every engine can read. */

type During = NonNullable<Circumstances['during']>[string]

/** Three engines can read it, one after the other; `each` letters of `word` are a part for the first. */
export const animation = (spec: Readonly<Record<string, unknown>> = {}, each?: number): NewTask[] => {
  const [first, task, last] = graph({ a: { from: ['import'] } }, [imported('import', importedAnimation)])
  assert.ok(first && task && last)
  const options = { name: 'word', ...(each !== undefined && { each }) }
  return [first, { ...task, operation: 'convert', spec: { to: 'png', options, ...spec } }, last]
}

const play = (each?: number) => async (world: World) => {
  await world.create(animation({}, each))
}

const isDamaged: During = async () => {
  throw new AppError('CORRUPT_FILE', 'The picture is damaged.')
}
const isUnknown: During = async () => {
  throw new AppError('UNSUPPORTED_FORMAT', 'Its colors are Lab.', { reason: 'feature', feature: 'Lab' })
}
const breaks: During = async () => {
  throw new Error('The engine broke down.')
}
/** As `Tools.exec` tells of a program that somebody killed, each time or the first time only. */
const isKilled =
  (times = Number.POSITIVE_INFINITY): During =>
  async (_, { attempt }) => {
    if (attempt <= times) throw new EngineCrash('magick', 'SIGKILL', '')
  }
export const keeps =
  (kept: number): During =>
  async () => ({ kept, warning: { code: 'CONTENT_MISSING', message: `${kept * 100} % came through.` } })

export const wayStories = {
  'a file that the engine beside it reads': { play: play(), during: { 'word by vips': isDamaged } },
  'a file that only an engine of another image reads': {
    play: play(),
    during: { 'word by vips': isUnknown, 'word by imagemagick': isDamaged },
  },
  'a file that no engine reads': {
    play: play(),
    during: { 'word by vips': isDamaged, 'word by imagemagick': isUnknown, 'word by ffmpeg': isDamaged },
  },
  'a file on which the second engine breaks down': {
    play: play(),
    during: { 'word by vips': isUnknown, 'word by imagemagick': breaks, 'word by ffmpeg': isDamaged },
  },
  'a file of which a part cannot be read': { play: play(2), during: { 'word by vips part 1': isDamaged } },
  'a file whose parts cannot be joined': { play: play(2), during: { 'word joined': isDamaged } },
  'a file of which too little comes through at first': {
    play: play(),
    during: { 'word by vips': keeps(0.3), 'word by imagemagick': keeps(0.6), 'word by ffmpeg': keeps(0.5) },
  },
  'a file of which too little comes through, and whose next engine is killed once': {
    play: play(),
    during: { 'word by vips': keeps(0.3), 'word by imagemagick': isKilled(1) },
  },
  'a file of which too little comes through, and whose next engine is killed each time': {
    play: play(),
    during: { 'word by vips': keeps(0.3), 'word by imagemagick': isKilled(), 'word by ffmpeg': keeps(0.2) },
  },
} as const satisfies Readonly<Record<string, Story>>
