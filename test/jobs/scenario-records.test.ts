import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getJobPrefix, type Task } from '../../lib/model/job.ts'
import { defined } from '../../lib/validation/defined.ts'
import { chunkScenarios, findLeftovers } from './chunk-scenarios.ts'
import { fallbackScenarios } from './fallback-scenarios.ts'
import { assertNoSweeps, assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { jobScenarios } from './job-scenarios.ts'
import { MemoryTable } from './memory-table.ts'
import { documentGraph } from './new-tasks.ts'
import { newTask } from './records.ts'
import type { Scenario } from './run-scenario.ts'
import { type DuringTask, SimulatedService } from './simulated-service.ts'

/** Runs each scenario once, and compares its records and files with the expected ones. */

interface ScenarioEnd {
  readonly job: string
  readonly runs: readonly string[]
  readonly tasks?: readonly string[]
  readonly warnings?: readonly string[]
  /** Leftover chunk records, and files that are not results. */
  readonly left?: readonly string[]
}

async function runScenario({ play, during, concurrency = 1 }: Scenario) {
  const service = new SimulatedService({ table: new MemoryTable(), concurrency, ...defined({ during }) })
  await play(service)
  await service.runToEnd()
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  assert.deepEqual(service.failures, [])
  const { status, error } = await getOutcome(service)
  const state = await service.services().jobs.store.getState(service.jobId)
  return {
    job: [status, error].filter(Boolean).join(' '),
    runs: service.runs,
    tasks: state?.tasks.map(describeTask),
    warnings: state?.tasks.flatMap(({ warnings }) => warnings.map(({ code }) => code)),
    left: state
      ? (await findLeftovers(service)).map((leftover) => leftover.replace(getJobPrefix(service.jobId), ''))
      : [],
  }
}

/** Returns the main fields of a task and its file keys, which contain the attempt, the chunk attempt and the route. */
const describeTask = ({ name, status, code, percent, attempt, engine, engineVersion, files }: Task) =>
  [
    ...[name, status, code, percent, attempt, engine, engineVersion],
    ...files.map(({ key }) => key.replace(/^jobs\/[^/]*\/|(?<=^received\/2d\/upl_).*/, '')),
  ]
    .filter((value) => value !== undefined)
    .join(' ')

const allScenarios: Readonly<Record<string, Scenario>> = {
  ...jobScenarios,
  ...chunkScenarios,
  ...fallbackScenarios,
}
const scenarioEnds: Readonly<Record<string, ScenarioEnd>> = {
  'a job of one task': {
    job: 'completed',
    runs: ['a'],
    tasks: ['a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png'],
  },
  'a diamond of six tasks': {
    job: 'completed',
    runs: ['a', 'b', 'c', 'd', 'e', 'f'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'b completed 100 1 vips 1.0 2/0-0-1-0.1.0-0.png',
      'c completed 100 1 vips 1.0 3/0-0-1-0.1.0-0.png',
      'd completed 100 1 vips 1.0 4/0-0-1-0.1.0-0.png',
      'e completed 100 1 vips 1.0 5/0-0-1-0.1.0-0.png',
      'f completed 100 1 vips 1.0 6/0-0-1-0.1.0-0.png',
    ],
  },
  'a failing branch': {
    job: 'failed CORRUPT_FILE',
    runs: ['a', 'bad', 'good'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'bad failed CORRUPT_FILE 0 1',
      'good completed 100 1 vips 1.0 3/0-0-1-0.1.0-0.png',
      'join cancelled INPUT_TASK_FAILED 0 0',
      'after cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  'a failing branch with continue_on_error': {
    job: 'failed CORRUPT_FILE',
    runs: ['a', 'bad', 'good', 'join'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'bad failed CORRUPT_FILE 0 1',
      'good completed 100 1 vips 1.0 3/0-0-1-0.1.0-0.png',
      'join completed 100 1 vips 1.0 4/0-0-1-0.1.0-0.png',
      'after cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  'a task with unsupported input files': {
    job: 'failed UNSUPPORTED_CONVERSION',
    runs: ['a'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'b failed UNSUPPORTED_CONVERSION 0 0',
      'c cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  failFast: {
    job: 'failed CORRUPT_FILE',
    runs: ['bad'],
    tasks: ['bad failed CORRUPT_FILE 0 1', 'good cancelled 0 0', 'after cancelled 0 0'],
  },
  'a cancellation': {
    job: 'cancelled',
    runs: ['a', 'b'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'b cancelled 0 1',
      'c cancelled 0 0',
      'd cancelled 0 0',
      'e cancelled 0 0',
      'f cancelled 0 0',
    ],
  },
  'a deletion': { job: '', runs: ['a', 'b'] },
  'an expiry': { job: 'expired', runs: ['a'], tasks: [] },
  'an upload that arrives': {
    job: 'completed',
    runs: ['a', 'b'],
    tasks: [
      'upload completed 100 0 received/2d/upl_',
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'b completed 100 1 vips 1.0 2/0-0-1-0.1.0-0.png',
    ],
  },
  'an upload that is not an image': {
    job: 'failed CORRUPT_FILE',
    runs: [],
    tasks: [
      'upload failed CORRUPT_FILE 0 0',
      'a cancelled INPUT_TASK_FAILED 0 0',
      'b cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  'a chunked task': {
    job: 'completed',
    runs: ['a', 'string part 1', 'string part 2', 'string part 3', 'string joined', 'last'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'string completed 100 1 vips 1.0 2/0-0-1-1.1.0-0.png',
      'last completed 100 1 vips 1.0 3/0-0-1-0.1.0-0.png',
    ],
    warnings: ['SHARED'],
  },
  'a chunked task after another image': {
    job: 'completed',
    runs: ['', 'string part 1', 'string part 2', 'string part 3', 'string joined'],
    tasks: ['a completed 100 1 vips 1.0 1/0-0-2-1.1.0-0.png'],
    warnings: ['SHARED'],
    left: ['1/0-0-1-0.1.0-0.pdf'],
  },
  'a chunk that fails': {
    job: 'failed CORRUPT_FILE',
    runs: ['a', 'string part 1', 'string part 2'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'string failed CORRUPT_FILE 60 1',
      'last cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  'a chunk that crashes three times': {
    job: 'failed CONVERSION_FAILED',
    runs: ['a', 'string part 1', 'string part 2', 'string part 3', 'string part 3', 'string part 3'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'string failed CONVERSION_FAILED 0 0',
      'last cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  'a join that fails': {
    job: 'failed CORRUPT_FILE',
    runs: ['a', 'string part 1', 'string part 2', 'string part 3', 'string joined'],
    tasks: [
      'a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png',
      'string failed CORRUPT_FILE 0 1',
      'last cancelled INPUT_TASK_FAILED 0 0',
    ],
  },
  'a cancellation while chunks run': {
    job: 'cancelled',
    runs: ['a', 'string part 1', 'string part 2'],
    tasks: ['a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png', 'string cancelled 0 0', 'last cancelled 0 0'],
  },
  'a cancellation while chunks are joined': {
    job: 'cancelled',
    runs: ['a', 'string part 1', 'string part 2', 'string part 3', 'string joined'],
    tasks: ['a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png', 'string cancelled 0 1', 'last cancelled 0 0'],
  },
  'a deletion while chunks run': { job: '', runs: ['a', 'string part 1'] },
  'a file that another engine of the same image reads': {
    job: 'completed',
    runs: ['word by vips', 'word by imagemagick'],
    tasks: ['a completed 100 1 imagemagick 1.0 1/0-0-1-0.1.1-0.png'],
    warnings: ['MAY_BE_DAMAGED'],
  },
  'a file that only an engine of another image reads': {
    job: 'completed',
    runs: ['word by vips', 'word by imagemagick', 'word by ffmpeg'],
    tasks: ['a completed 100 1 ffmpeg 1.0 1/0-0-1-0.1.2-0.png'],
    warnings: ['MAY_BE_DAMAGED', 'CONTENT_REDUCED'],
  },
  'a file that no engine reads': {
    job: 'failed UNSUPPORTED_FORMAT',
    runs: ['word by vips', 'word by imagemagick', 'word by ffmpeg'],
    tasks: ['a failed UNSUPPORTED_FORMAT 0 1'],
  },
  'a file that crashes the second engine': {
    job: 'failed UNSUPPORTED_FORMAT',
    runs: [
      'word by vips',
      'word by imagemagick',
      'word by imagemagick',
      'word by imagemagick',
      'word by ffmpeg',
    ],
    tasks: ['a failed UNSUPPORTED_FORMAT 0 1'],
  },
  'a file with an unreadable chunk': {
    job: 'completed',
    runs: ['word by vips part 1', 'word by imagemagick'],
    tasks: ['a completed 100 1 imagemagick 1.0 1/0-0-1-0.1.1-0.png'],
    warnings: ['MAY_BE_DAMAGED'],
  },
  'a file whose chunks cannot be joined': {
    job: 'completed',
    runs: ['word by vips part 1', 'word by vips part 2', 'word joined', 'word by imagemagick'],
    tasks: ['a completed 100 1 imagemagick 1.0 1/0-0-1-0.1.1-0.png'],
    warnings: ['MAY_BE_DAMAGED'],
  },
  'a file that loses content with every engine': {
    job: 'completed',
    runs: ['word by vips', 'word by imagemagick', 'word by ffmpeg'],
    tasks: ['a completed 100 1 imagemagick 1.0 1/0-0-1-0.1.1-0.png'],
    warnings: ['CONTENT_MISSING'],
  },
  'a file that loses content and whose next engine is killed once': {
    job: 'completed',
    runs: ['word by vips', 'word by imagemagick', 'word by imagemagick'],
    tasks: ['a completed 100 2 imagemagick 1.0 1/0-0-1-0.2.1-0.png'],
  },
  'a file that loses content and whose next engine is killed every time': {
    job: 'completed',
    runs: [
      'word by vips',
      'word by imagemagick',
      'word by imagemagick',
      'word by imagemagick',
      'word by ffmpeg',
    ],
    tasks: ['a completed 100 1 vips 1.0 1/0-0-1-0.1.0-0.png'],
    warnings: ['CONTENT_MISSING'],
  },
}

for (const [name, scenario] of Object.entries(allScenarios))
  test(`the scenario "${name}" ends as expected, without unnecessary runs or files`, async () => {
    const { left, ...end } = await runScenario(scenario)
    const expectedEnd = { tasks: undefined, warnings: undefined, ...scenarioEnds[name] }
    const { left: knownLeftovers = [], ...expected } = {
      ...expectedEnd,
      ...defined({ warnings: expectedEnd.tasks && (expectedEnd.warnings ?? []) }),
    }
    assert.deepEqual(end, expected)
    // Files of a cancelled join are only deleted with the job.
    if (name !== 'a cancellation while chunks are joined') assert.deepEqual(left, knownLeftovers)
  })

test('the progress of a task counts its inputs, their steps and the progress of a step', async () => {
  const seenPercents: [number, number][] = []
  const recordPercents: DuringTask = async (service) => {
    const { tasks } = await service.state()
    seenPercents.push(...tasks.map(({ number, percent }): [number, number] => [number, percent]))
  }
  const half: DuringTask = async (_, { progress }) => progress(0.5)
  const [source, , exportTask] = documentGraph()
  assert.ok(source && exportTask)
  const bothTasks = [
    ...[source, { ...source, name: 'other' }],
    { ...newTask('a', [0, 1], { spec: { to: 'png', options: { name: 'string' } } }) },
    { ...exportTask, ins: [2] },
  ]
  await runScenario({
    play: async (service) => void (await service.create(bothTasks)),
    during: { '': half, string: recordPercents },
  })
  // While the second input is running, the first input counts fully. With half of the first of two steps, the progress
  // is 125 of 200.
  assert.deepEqual(seenPercents, [
    [2, 62],
    [2, 62],
  ])
})
