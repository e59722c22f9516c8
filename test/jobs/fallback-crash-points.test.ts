import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { decideAfterFailure, decideAfterSuccess } from '../../lib/jobs/run/fallbacks.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import { getJobPrefix, type InputPlan, type Task } from '../../lib/model/job.ts'
import { defined } from '../../lib/validation/defined.ts'
import { createAnimationGraph, fallbackScenarios, loseContent } from './fallback-scenarios.ts'
import { assertNoSweeps, assertNothingIsPending, getOutcome } from './job-outcome.ts'
import { type Scenario, testCrashPoints } from './run-scenario.ts'
import { SimulatedService } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

async function runScenario({
  play,
  during,
}: Scenario): Promise<{ service: SimulatedService; task: Task; left: string[] }> {
  const service = new SimulatedService({
    database,
    tableName: await database.makeTable(),
    concurrency: 2,
    ...defined({ during }),
  })
  await play(service)
  await service.runToEnd()
  await assertNothingIsPending(service)
  assertNoSweeps(service)
  const { tasks, chunks } = await service.state()
  const [task] = tasks
  assert.ok(task)
  const files = new Set(task.files.map(({ key }) => key))
  const objects = [...service.files.objects.keys()].filter((key) =>
    key.startsWith(getJobPrefix(service.jobId)),
  )
  return {
    service,
    task,
    left: [...chunks.map(({ part }) => `part ${part}`), ...objects.filter((key) => !files.has(key))],
  }
}

const readContents = async (service: SimulatedService) => Object.values((await getOutcome(service)).files)
const listCodes = ({ warnings }: Task) => warnings.map(({ code }) => code)

for (const [name, testedScenario] of Object.entries(fallbackScenarios))
  test(`the outcome of "${name}" is the same at each tested point where a process crashes`, async (t) => {
    t.diagnostic(`${await testCrashPoints(database, testedScenario, { everyNth: 4 })} runs`)
  })

test('a file that one engine cannot read is read by the next engine, with a warning', async () => {
  const { service, task, left } = await runScenario(
    fallbackScenarios['a file that another engine of the same image reads'],
  )
  assert.deepEqual(service.runs, ['word by vips', 'word by imagemagick'])
  assert.deepEqual(await readContents(service), ['word by imagemagick'])
  assert.equal(task.engine, 'imagemagick')
  assert.deepEqual(listCodes(task), ['MAY_BE_DAMAGED'])
  assert.deepEqual(left, [])
})

test('a fallback route that drops content by design adds a warning', async () => {
  const { task } = await runScenario(fallbackScenarios['a file that only an engine of another image reads'])
  assert.equal(task.engine, 'ffmpeg')
  assert.deepEqual(listCodes(task), ['MAY_BE_DAMAGED', 'CONTENT_REDUCED'])
})

test('if no engine can read a file, the most informative error is reported', async () => {
  const { service, task } = await runScenario(fallbackScenarios['a file that no engine reads'])
  assert.equal(service.runs.length, 3)
  assert.deepEqual([task.code, task.message], ['UNSUPPORTED_FORMAT', 'Its colors are Lab.'])
})

test('the error of an unreadable chunk keeps the details of its engine', async () => {
  const { 'word by imagemagick': resultOfImagemagick, 'word by ffmpeg': damagedFile } =
    fallbackScenarios['a file that no engine reads'].during
  const { task } = await runScenario({
    play: fallbackScenarios['a file with an unreadable chunk'].play,
    during: {
      'word by vips part 1': resultOfImagemagick,
      'word by imagemagick': damagedFile,
      'word by ffmpeg': damagedFile,
    },
  })
  assert.equal(task.code, 'UNSUPPORTED_FORMAT')
  assert.deepEqual([task.details?.['reason'], task.details?.['feature']], ['feature', 'Lab'])
})

test('after a crash on the second route, the error of the first route is reported', async () => {
  const { service, task } = await runScenario(fallbackScenarios['a file that crashes the second engine'])
  assert.deepEqual(service.runs.slice(1), [...Array(3).fill('word by imagemagick'), 'word by ffmpeg'])
  assert.deepEqual([task.code, task.message], ['UNSUPPORTED_FORMAT', 'Its colors are Lab.'])
})

for (const name of ['a file with an unreadable chunk', 'a file whose chunks cannot be joined'] as const)
  test(`${name} is converted as a whole by the next engine, and its chunks are deleted`, async () => {
    const { service, left } = await runScenario(fallbackScenarios[name])
    assert.deepEqual(await readContents(service), ['word by imagemagick'])
    assert.deepEqual(left, [])
  })

test('after an unreadable chunk, the replanned task is sent even if the queue fails once', async () => {
  const testedScenario = fallbackScenarios['a file with an unreadable chunk']
  let refusals = 0
  const { service } = await runScenario({
    ...testedScenario,
    play: async (simulated) => {
      const send = simulated.queues.send.bind(simulated.queues)
      simulated.queues.send = async (queue, messages, group) => {
        const isTaskMessage = messages.some(({ part }) => part === undefined)
        if (isTaskMessage && simulated.runs.includes('word by vips part 1') && refusals++ === 0)
          throw new Error('The queue is unavailable.')
        return send(queue, messages, group)
      }
      await testedScenario.play(simulated)
    },
  })
  assert.ok(refusals > 1)
  assert.deepEqual(await readContents(service), ['word by imagemagick'])
})

test('if every engine loses content, the result that kept the most content is used with its warning', async () => {
  const { service, task, left } = await runScenario(
    fallbackScenarios['a file that loses content with every engine'],
  )
  assert.deepEqual(service.runs, ['word by vips', 'word by imagemagick', 'word by ffmpeg'])
  assert.deepEqual(await readContents(service), ['word by imagemagick'])
  assert.equal(task.engine, 'imagemagick')
  assert.deepEqual(
    task.warnings.map(({ message }) => message),
    ['60 % was kept.'],
  )
  assert.deepEqual(left, [])
})

test('a fallback result with the warning CONTENT_REDUCED is preferred only if it kept many more words', () => {
  const createResultWithWords = (foundWords: number, ...warningCodes: string[]) => ({
    files: [],
    warnings: warningCodes.map((code) => ({ code, message: code })),
    fidelity: { words: createRetention(100, foundWords), dropped: [] },
  })
  const contentLostError = { code: 'CONTENT_LOST', message: '' }
  const inputPlan = {
    steps: [],
    step: 0,
    files: [],
    fallback: { ...createResultWithWords(88, 'CONTENT_LOST'), kept: 0.88 },
  }
  const failWithoutRoute = () => ({ error: { code: 'CONVERSION_FAILED' as const, message: '' } })
  const chooseResult = (foundWords: number, warningCodes: string[], isShort: boolean) => {
    const shortfall = isShort ? { kept: foundWords / 100, warning: contentLostError } : undefined
    const decision = decideAfterSuccess(
      inputPlan,
      createResultWithWords(foundWords, ...warningCodes),
      shortfall,
      failWithoutRoute,
    )
    return 'result' in decision ? decision.result.fidelity?.words?.result : undefined
  }
  for (const isShort of [true, false]) {
    assert.equal(chooseResult(91, ['CONTENT_REDUCED'], isShort), 88)
    assert.equal(chooseResult(91, [], isShort), 91)
    assert.equal(chooseResult(99, ['CONTENT_REDUCED'], isShort), 99)
  }
})

test('a fallback result with more words does not replace an earlier result with more images', () => {
  const createResultWithShares = (words: number, images: number) => ({
    files: [],
    warnings: [],
    fidelity: { words: createRetention(100, words), images: createRetention(4, images), dropped: [] },
  })
  const inputPlan = {
    steps: [],
    step: 0,
    files: [],
    fallback: { ...createResultWithShares(90, 4), kept: 0.9 },
  }
  const failWithoutRoute = () => ({ error: { code: 'CONVERSION_FAILED' as const, message: '' } })
  const chooseResultWords = (words: number, images: number) => {
    const decision = decideAfterSuccess(
      inputPlan,
      createResultWithShares(words, images),
      undefined,
      failWithoutRoute,
    )
    return 'result' in decision ? decision.result.fidelity?.words?.result : undefined
  }
  assert.equal(chooseResultWords(100, 3), 90)
  assert.equal(chooseResultWords(100, 4), 100)
})

test('an earlier partial result is used if a fallback route fails', () => {
  const [damagedError, missingError] = [
    new AppError('CORRUPT_FILE', 'It is cut off.'),
    new AppError('INVALID_INPUT', 'pages: expected …'),
  ]
  const emptyResult = { files: [], warnings: [], kept: 0.88 }
  const inputPlan = {
    steps: [{ engine: 'vips', from: 'png', to: 'jpg' }],
    step: 0,
    files: [],
  } as unknown as InputPlan
  const failWithoutRoute = () => ({ error: { code: 'CORRUPT_FILE' as const, message: 'No route is left.' } })
  const failureFields = { step: 0, percent: 40, isLastAttempt: true }
  for (const error of [damagedError, missingError]) {
    assert.deepEqual(
      decideAfterFailure(
        { ...inputPlan, fallback: emptyResult },
        { ...failureFields, error },
        failWithoutRoute,
      ),
      {
        result: emptyResult,
      },
    )
    assert.throws(() => decideAfterFailure(inputPlan, { ...failureFields, error }, failWithoutRoute), {
      code: error.code,
    })
  }
  const busyError = new Error('the machine is busy')
  const secondFailure = { ...failureFields, error: busyError, isLastAttempt: false }
  assert.throws(
    () => decideAfterFailure({ ...inputPlan, fallback: emptyResult }, secondFailure, failWithoutRoute),
    busyError,
    'another attempt follows',
  )
  const otherPlan = { ...inputPlan, files: [{ key: 'k' }] } as InputPlan
  const decision = decideAfterFailure(
    { ...inputPlan, fallback: emptyResult },
    { ...failureFields, error: damagedError },
    () => otherPlan,
  )
  assert.deepEqual(decision, { inputPlan: { ...otherPlan, reached: 40, fallback: emptyResult } })
})

test('after a fallback route that keeps all content, no further engine is tried', async () => {
  const { service, task } = await runScenario({
    play: fallbackScenarios['a file that no engine reads'].play,
    during: { 'word by vips': loseContent(0.3) },
  })
  assert.deepEqual(service.runs, ['word by vips', 'word by imagemagick'])
  assert.deepEqual(listCodes(task), [])
})

test('an engine that is killed on the fallback route is retried', async () => {
  const name = 'a file that loses content and whose next engine is killed once'
  const { service, task, left } = await runScenario(fallbackScenarios[name])
  assert.deepEqual(service.runs, ['word by vips', 'word by imagemagick', 'word by imagemagick'])
  assert.deepEqual(await readContents(service), ['word by imagemagick'])
  assert.deepEqual([task.engine, ...listCodes(task)], ['imagemagick'])
  assert.deepEqual(left, [])
})

test('if the engine of the fallback route is always killed, the best result of the other engines is used', async () => {
  const name = 'a file that loses content and whose next engine is killed every time'
  const { service, task, left } = await runScenario(fallbackScenarios[name])
  assert.deepEqual(service.runs, ['word by vips', ...Array(3).fill('word by imagemagick'), 'word by ffmpeg'])
  assert.deepEqual(await readContents(service), ['word by vips'])
  assert.deepEqual(
    task.warnings.map(({ message }) => message),
    ['30 % was kept.'],
  )
  assert.deepEqual(left, [])
})

test('a conversion with a pinned engine tries only that engine, and its error says so', async () => {
  const { service, task } = await runScenario({
    play: async (simulated) => {
      await simulated.create(createAnimationGraph({ engine: 'vips' }))
    },
    during: fallbackScenarios['a file that another engine of the same image reads'].during,
  })
  assert.deepEqual(service.runs, ['word by vips'])
  assert.equal(task.code, 'CORRUPT_FILE')
  assert.match(task.message ?? '', /Only vips was tried.* Leave "engine" out/)
})
