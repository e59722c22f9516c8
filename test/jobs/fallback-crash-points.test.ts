import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { kept } from '../../lib/fidelity/fidelity.ts'
import { type InputPlan, jobPrefix, type Task } from '../../lib/jobs/job.ts'
import { decideAfterFailure, decideAfterSuccess } from '../../lib/jobs/run/fallbacks.ts'
import { animation, keeps, wayStories } from './fallback-scenarios.ts'
import { assertAtRest, assertPrompt, outcomeOf } from './job-outcome.ts'
import { type Story, walk } from './run-scenario.ts'
import { World } from './simulated-service.ts'
import { openDatabase } from './test-table.ts'

const database = openDatabase()

async function told({ play, during }: Story): Promise<{ world: World; task: Task; left: string[] }> {
  const world = new World({
    ...{ database, tableName: await database.makeTable(), loops: 2 },
    ...(during && { during }),
  })
  await play(world)
  await world.settle()
  await assertAtRest(world)
  assertPrompt(world)
  const { tasks, chunks } = await world.state()
  const [task] = tasks
  assert.ok(task)
  const files = new Set(task.files.map(({ key }) => key))
  const objects = [...world.files.objects.keys()].filter((key) => key.startsWith(jobPrefix(world.jobId)))
  return {
    world,
    task,
    left: [...chunks.map(({ part }) => `part ${part}`), ...objects.filter((key) => !files.has(key))],
  }
}

const contents = async (world: World) => Object.values((await outcomeOf(world)).files)
const codes = ({ warnings }: Task) => warnings.map(({ code }) => code)

for (const [name, story] of Object.entries(wayStories))
  test(`${name} ends alike whatever write, message or event is the last of its process`, async (t) => {
    t.diagnostic(`${await walk(database, story, { every: 4 })} runs`)
  })

test('what one engine cannot read, the next one reads, and is told of', async () => {
  const { world, task, left } = await told(wayStories['a file that the engine beside it reads'])
  assert.deepEqual(world.runs, ['word by vips', 'word by imagemagick'])
  assert.deepEqual(await contents(world), ['word by imagemagick'])
  assert.equal(task.engine, 'imagemagick')
  assert.deepEqual(codes(task), ['MAY_BE_DAMAGED'])
  assert.deepEqual(left, [])
})

test('a way that loses something by design says so', async () => {
  const { task } = await told(wayStories['a file that only an engine of another image reads'])
  assert.equal(task.engine, 'ffmpeg')
  assert.deepEqual(codes(task), ['MAY_BE_DAMAGED', 'CONTENT_REDUCED'])
})

test('where no engine can read a file, the most telling of their words is said', async () => {
  const { world, task } = await told(wayStories['a file that no engine reads'])
  assert.equal(world.runs.length, 3)
  assert.deepEqual([task.code, task.message], ['UNSUPPORTED_FORMAT', 'Its colors are Lab.'])
})

test('what a part of it could not be read for is said with all that its engine told', async () => {
  const { 'word by imagemagick': lab, 'word by ffmpeg': damaged } =
    wayStories['a file that no engine reads'].during
  const { task } = await told({
    play: wayStories['a file of which a part cannot be read'].play,
    during: { 'word by vips part 1': lab, 'word by imagemagick': damaged, 'word by ffmpeg': damaged },
  })
  assert.equal(task.code, 'UNSUPPORTED_FORMAT')
  assert.deepEqual([task.details?.['reason'], task.details?.['feature']], ['feature', 'Lab'])
})

test('a breakdown on the second way ends with what was said of the file on the first', async () => {
  const { world, task } = await told(wayStories['a file on which the second engine breaks down'])
  assert.deepEqual(world.runs.slice(1), [...Array(3).fill('word by imagemagick'), 'word by ffmpeg'])
  assert.deepEqual([task.code, task.message], ['UNSUPPORTED_FORMAT', 'Its colors are Lab.'])
})

for (const name of ['a file of which a part cannot be read', 'a file whose parts cannot be joined'] as const)
  test(`${name} is made whole by the next engine, and nothing is left of its parts`, async () => {
    const { world, left } = await told(wayStories[name])
    assert.deepEqual(await contents(world), ['word by imagemagick'])
    assert.deepEqual(left, [])
  })

test('a task that goes another way for a part of it is sent at once, though the queue was away', async () => {
  const story = wayStories['a file of which a part cannot be read']
  let refusals = 0
  const { world } = await told({
    ...story,
    play: async (one) => {
      const send = one.queues.send.bind(one.queues)
      one.queues.send = async (queue, messages, group) => {
        const isOfTask = messages.some(({ part }) => part === undefined)
        if (isOfTask && one.runs.includes('word by vips part 1') && refusals++ === 0)
          throw new Error('The queue is away.')
        return send(queue, messages, group)
      }
      await story.play(one)
    },
  })
  assert.ok(refusals > 1)
  assert.deepEqual(await contents(world), ['word by imagemagick'])
})

test('the way on which most came through gives the result, with its warning', async () => {
  const { world, task, left } = await told(wayStories['a file of which too little comes through at first'])
  assert.deepEqual(world.runs, ['word by vips', 'word by imagemagick', 'word by ffmpeg'])
  assert.deepEqual(await contents(world), ['word by imagemagick'])
  assert.equal(task.engine, 'imagemagick')
  assert.deepEqual(
    task.warnings.map(({ message }) => message),
    ['60 % came through.'],
  )
  assert.deepEqual(left, [])
})

test('a word more is not worth the look of a document, many are', () => {
  const ofWords = (found: number, ...said: string[]) => ({
    files: [],
    warnings: said.map((code) => ({ code, message: code })),
    fidelity: { words: kept(100, found), dropped: [] },
  })
  const lost = { code: 'CONTENT_LOST', message: '' }
  const piece = {
    ...{ steps: [], step: 0, files: [] },
    fallback: { ...ofWords(88, 'CONTENT_LOST'), kept: 0.88 },
  }
  const nowhere = () => ({ error: { code: 'CONVERSION_FAILED' as const, message: '' } })
  const chosen = (found: number, said: string[], isShort: boolean) => {
    const shortfall = isShort ? { kept: found / 100, warning: lost } : undefined
    const turn = decideAfterSuccess(piece, ofWords(found, ...said), shortfall, nowhere)
    return 'result' in turn ? turn.result.fidelity?.words?.result : undefined
  }
  for (const isShort of [true, false]) {
    assert.equal(chosen(91, ['CONTENT_REDUCED'], isShort), 88)
    assert.equal(chosen(91, [], isShort), 91)
    assert.equal(chosen(99, ['CONTENT_REDUCED'], isShort), 99)
  }
})

test('a way that fails behind one that kept most of it gives what that one made', () => {
  const [damaged, missing] = [
    new AppError('CORRUPT_FILE', 'It is cut off.'),
    new AppError('INVALID_INPUT', 'pages: expected …'),
  ]
  const made = { files: [], warnings: [], kept: 0.88 }
  const piece = {
    steps: [{ engine: 'vips', from: 'png', to: 'jpg' }],
    step: 0,
    files: [],
  } as unknown as InputPlan
  const nowhere = () => ({ error: { code: 'CORRUPT_FILE' as const, message: 'No way is left.' } })
  const fails = { step: 0, percent: 40, isLastAttempt: true }
  for (const error of [damaged, missing]) {
    assert.deepEqual(decideAfterFailure({ ...piece, fallback: made }, { ...fails, error }, nowhere), { made })
    assert.throws(() => decideAfterFailure(piece, { ...fails, error }, nowhere), { code: error.code })
  }
  const bare = new Error('the machine is busy')
  const again = { ...fails, error: bare, isLastAttempt: false }
  assert.throws(
    () => decideAfterFailure({ ...piece, fallback: made }, again, nowhere),
    bare,
    'another attempt',
  )
  const other = { ...piece, files: [{ key: 'k' }] } as unknown as InputPlan
  const turn = decideAfterFailure({ ...piece, fallback: made }, { ...fails, error: damaged }, () => other)
  assert.deepEqual(turn, { piece: { ...other, reached: 40, fallback: made } })
})

test('a way on which all comes through ends the search', async () => {
  const { world, task } = await told({
    play: wayStories['a file that no engine reads'].play,
    during: { 'word by vips': keeps(0.3) },
  })
  assert.deepEqual(world.runs, ['word by vips', 'word by imagemagick'])
  assert.deepEqual(codes(task), [])
})

test('an engine that is killed on the second way is called again', async () => {
  const name = 'a file of which too little comes through, and whose next engine is killed once'
  const { world, task, left } = await told(wayStories[name])
  assert.deepEqual(world.runs, ['word by vips', 'word by imagemagick', 'word by imagemagick'])
  assert.deepEqual(await contents(world), ['word by imagemagick'])
  assert.deepEqual([task.engine, ...codes(task)], ['imagemagick'])
  assert.deepEqual(left, [])
})

test('where the second way kills its engine each time, the best of the others is the result', async () => {
  const name = 'a file of which too little comes through, and whose next engine is killed each time'
  const { world, task, left } = await told(wayStories[name])
  assert.deepEqual(world.runs, ['word by vips', ...Array(3).fill('word by imagemagick'), 'word by ffmpeg'])
  assert.deepEqual(await contents(world), ['word by vips'])
  assert.deepEqual(
    task.warnings.map(({ message }) => message),
    ['30 % came through.'],
  )
  assert.deepEqual(left, [])
})

test('an engine that is asked for by name is the only one, and the error says so', async () => {
  const { world, task } = await told({
    play: async (one) => {
      await one.create(animation({ engine: 'vips' }))
    },
    during: wayStories['a file that the engine beside it reads'].during,
  })
  assert.deepEqual(world.runs, ['word by vips'])
  assert.equal(task.code, 'CORRUPT_FILE')
  assert.match(task.message ?? '', /Only vips was tried.* leave engine out/)
})
