import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as z from 'zod'
import { readConfig } from '../../lib/config.ts'
import type { Engine, EngineResult } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import type { DiskSpaceMonitor } from '../../lib/io/disk-space.ts'
import { type InputsRun, runInputs } from '../../lib/jobs/run/run-inputs.ts'
import type { TaskServices } from '../../lib/jobs/run/task-services.ts'
import { createLog } from '../../lib/log.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { EffectGate } from './function-instance.ts'
import { MemoryFiles } from './memory-files.ts'
import { createStoredImport, file, newJob, newTask, withTasks } from './records.ts'

const folder = scratchFolder('run-inputs')
const page = '<p>a few words that are to come through</p>'

/** Creates an engine that loses all text in its first run and keeps it in its second run. */
function engine(): Engine {
  const results = ['', 'a few words that are to come through']
  return {
    id: 'pandoc',
    image: 'document',
    capabilities: [{ operation: 'convert', from: ['html'], to: ['txt'], options: z.object({}), cost: 1 }],
    limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
    version: () => '1',
    runsInWorker: true,
    run: async ({ outDir }) => {
      const path = join(outDir, 'made.txt')
      await writeFile(path, results.shift() ?? '')
      return { files: [{ path }] }
    },
  }
}

const step = {
  operation: 'convert',
  engine: 'pandoc',
  image: 'document',
  from: 'html',
  to: 'txt',
  options: {},
}
const inputPlan = {
  files: [{ ...file('a.html'), format: 'html' }],
  steps: [step],
  step: 0,
} as InputPlan // a stub with only the members that are used

interface RunOptions extends Partial<Omit<InputsRun, 'services' | 'findFallback'>> {
  readonly engines?: readonly Engine[]
  readonly config?: object
}

async function run(
  findFallback: InputsRun['findFallback'],
  { engines = [engine()], config = {}, ...overrides }: RunOptions = {},
) {
  const gate = new EffectGate()
  const files = new MemoryFiles(readConfig({ LOG_LEVEL: 'silent' }), gate)
  files.objects.set('a.html', Buffer.from(page))
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  const [workTask] = withTasks(
    newJob([createStoredImport('in'), newTask('work', [0], { spec: { options: {} } })]),
    {
      work: { attempt: 1 },
    },
  ).tasks
  assert.ok(workTask)
  const inputsRun = runInputs({
    services: { files, engines: async () => engines, config } as unknown as TaskServices,
    image: 'document',
    task: workTask,
    inputPlans: [inputPlan],
    workDir: await mkdtemp(join(folder, 'run-')),
    log,
    findFallback,
    space: {
      requireCompleteOutput: async () => {},
      explainDiskError: async () => undefined,
    } as unknown as DiskSpaceMonitor,
    signal: new AbortController().signal,
    progress: () => {},
    saveRemaining: async () => {},
    ...overrides,
  })
  return { done: inputsRun, files, gate }
}

test('a result that lost the content of the source is deleted even if it is already being stored', async () => {
  const { done, files, gate } = await run(() => ({ error: { code: 'CONVERSION_FAILED', message: 'No.' } }))
  await assert.rejects(done, { code: 'CONVERSION_FAILED' })
  assert.deepEqual([...files.objects.keys()], ['a.html'])
  assert.deepEqual(gate.effects, ['test: object written', 'test: objects deleted'])
})

test('only the result of the fallback route stays stored', async () => {
  const { done, files } = await run((_, triedRoutes) => ({ ...inputPlan, tried: [...triedRoutes] }))
  const endedRun = await done
  assert.ok('storedKeys' in endedRun)
  assert.deepEqual(endedRun.facts.fidelity?.words, { source: 8, result: 8, share: 1 })
  const keptKeys = endedRun.inputPlans.flatMap(({ files: keptFiles }) => keptFiles.map(({ key }) => key))
  assert.deepEqual([...files.objects.keys()].sort(), ['a.html', ...keptKeys].sort())
  assert.equal(
    Buffer.from(files.objects.get(keptKeys[0] ?? '') ?? []).toString(),
    'a few words that are to come through',
  )
})

const failOnFallback = () => assert.fail('no fallback must be requested')

test('aborting a task does not lead to a fallback route', async () => {
  const contentLostError = new AppError('CONVERSION_FAILED', 'The result is empty.', {
    reason: 'content-lost',
  })
  const engines = [createEngine(() => Promise.reject(contentLostError))]
  const { done } = await run(failOnFallback, { engines, signal: AbortSignal.abort() })
  await assert.rejects(done, { code: 'CONVERSION_FAILED' })
})

/** An engine that keeps all text and returns further fields of a result. */
const createEngine = (
  run: (...engineArgs: Parameters<Engine['run']>) => Promise<Partial<EngineResult>>,
  moreFields: Partial<Engine> = {},
): Engine => ({
  ...engine(),
  run: async (work, tools) => {
    const path = join(work.outDir, 'made.txt')
    await writeFile(path, 'a few words that are to come through')
    return { files: [{ path }], ...(await run(work, tools)) }
  },
  ...moreFields,
})
const createTask = (moreFields: Partial<Task>): Task => {
  const [workTask] = withTasks(
    newJob([createStoredImport('in'), newTask('work', [0], { spec: { options: {} } })]),
    {
      work: moreFields,
    },
  ).tasks
  assert.ok(workTask)
  return workTask
}

test('a task that crashed in three attempts is not tried again', async () => {
  const { done, gate } = await run(failOnFallback, {
    task: createTask({ attempt: 4 }),
    engines: [createEngine(failOnFallback)],
  })
  await assert.rejects(done, { code: 'CONVERSION_FAILED', message: /crashed in all three attempts/ })
  assert.deepEqual(gate.effects, [])
})

test('a failure on a full disk is reported as INSUFFICIENT_DISK_SPACE and does not lead to a fallback route', async () => {
  const diskError = new AppError('INSUFFICIENT_DISK_SPACE', 'The disk is full.')
  const space = {
    requireCompleteOutput: async () => {},
    explainDiskError: async () => diskError,
  } as unknown as DiskSpaceMonitor // a stub with only the members that are used
  const { done } = await run(failOnFallback, { space })
  await assert.rejects(done, diskError)
  const requireCompleteOutput = () => Promise.reject(diskError)
  const interruptedRun = await run(failOnFallback, {
    space: {
      requireCompleteOutput,
      explainDiskError: async (error: unknown) => (error === diskError ? diskError : undefined),
    } as never,
    engines: [createEngine(async () => ({}))],
  })
  await assert.rejects(interruptedRun.done, diskError)
  assert.deepEqual(
    [...interruptedRun.files.objects.keys()],
    ['a.html'],
    'a file that may be truncated is not stored',
  )
})

test('the result details of all inputs of a task are merged', async () => {
  const chunkResults = [{ pages: 1, first: true }, { pages: 2 }]
  const engines = [createEngine(async () => ({ method: 'encode', details: chunkResults.shift() ?? {} }))]
  const { done } = await run(failOnFallback, { engines, inputPlans: [inputPlan, inputPlan] })
  const endedRun = await done
  assert.ok('storedKeys' in endedRun)
  const { engine: by, engineVersion, method, details, fidelity } = endedRun.facts
  assert.deepEqual([by, engineVersion, method, details], ['pandoc', '1', 'encode', { pages: 2, first: true }])
  assert.deepEqual(fidelity?.words, { source: 16, result: 16, share: 1 })
  assert.deepEqual([endedRun.isComplete, endedRun.storedKeys.length, endedRun.unusedKeys], [true, 2, []])
  assert.equal(new Set(endedRun.storedKeys).size, 2, 'each file has its own key')
})

test('the progress of a task continues from the previous route, and all inputs count equally', async () => {
  const seenPercents: number[] = []
  const engines = [
    createEngine(async (_, tools) => {
      tools.progress(0.5)
      return {}
    }),
  ]
  const progress = (percent: number) => void seenPercents.push(percent)
  await (await run(failOnFallback, { engines, progress })).done
  await (await run(failOnFallback, { engines, progress, inputPlans: [{ ...inputPlan, reached: 40 }] })).done
  await (
    await run(failOnFallback, { engines, progress, inputPlans: [inputPlan, { ...inputPlan, reached: 40 }] })
  ).done
  assert.deepEqual(seenPercents, [50, 70, 25, 85])
})

test('a partly completed input is handed over with its files, step and fidelity', async () => {
  const steps = [step, { ...step, engine: 'vips', image: 'image', from: 'txt', to: 'png' }]
  const { done, files } = await run(failOnFallback, {
    engines: [createEngine(async () => ({}))],
    inputPlans: [{ ...inputPlan, steps } as InputPlan, { ...inputPlan, steps, step: 2 } as InputPlan],
  })
  const endedRun = await done
  assert.ok('storedKeys' in endedRun)
  const [firstPlan, secondPlan] = endedRun.inputPlans
  assert.deepEqual(
    [firstPlan?.step, firstPlan?.fidelity?.words, endedRun.isComplete],
    [1, { source: 8, result: 8, share: 1 }, false],
  )
  assert.deepEqual(
    firstPlan?.files.map(({ key, format }) => [files.objects.has(key), format]),
    [[true, 'txt']],
  )
  assert.deepEqual(secondPlan, { ...inputPlan, steps, step: 2 }, 'a completed input is unchanged')
})

test('an engine that splits a step receives the number of idle workers and their time limit', async () => {
  const workerPools: unknown[] = []
  const split: Engine['split'] = async (_work, _tools, workerPool) => {
    workerPools.push(workerPool)
    return workerPools.length > 2 ? [{ spec: { from: 1 } }, { spec: { from: 2 } }] : undefined
  }
  const engines = [createEngine(async () => ({}), { split })]
  await (await run(failOnFallback, { engines })).done
  const endedRun = await (await run(failOnFallback, { engines, config: { PARALLEL: 1, TASK_LIMIT_S: 900 } }))
    .done
  assert.ok('storedKeys' in endedRun)
  await (await run(failOnFallback, { engines, inputPlans: [inputPlan, inputPlan] })).done
  assert.deepEqual(workerPools, [
    { workers: 100, timeoutS: Number.POSITIVE_INFINITY },
    { workers: 1, timeoutS: 900 },
  ])
  const sharedRun = await (await run(failOnFallback, { engines })).done
  assert.ok('chunks' in sharedRun)
  const [remainingPlan] = sharedRun.inputPlans
  const counts = { images: 0, links: 0, tables: 0, fields: 0, checkedFields: 0 }
  assert.deepEqual(sharedRun.chunks, [{ spec: { from: 1 } }, { spec: { from: 2 } }])
  assert.deepEqual(
    [remainingPlan?.step, remainingPlan?.files, remainingPlan?.held],
    [0, inputPlan.files, { counts, features: ['selectableText'] }],
  )
})

test('a failed route records its steps up to the failed one, and its folder is deleted', async () => {
  for (const failingIndex of [0, 1]) {
    let runs = 0
    const folders: string[] = []
    const engines = [
      createEngine(
        async ({ outDir }, tools) => {
          if (runs > failingIndex) assert.ok(!folders.some((folder) => existsSync(folder)))
          folders.push(outDir)
          tools.progress(0.5)
          if (runs++ === failingIndex) throw new AppError('CORRUPT_FILE', 'It is cut off.')
          return {}
        },
        {
          capabilities: engine().capabilities.map((capability) => ({ ...capability, from: ['html', 'txt'] })),
        },
      ),
    ]
    const steps = [step, { ...step, from: 'txt' }]
    const savedPercents: number[] = []
    const { done } = await run(
      (_, triedRoutes) => {
        const [firstRoute] = triedRoutes
        assert.deepEqual(
          firstRoute.steps.map(({ from }) => from),
          ['html', 'txt'].slice(0, failingIndex + 1),
        )
        return { ...inputPlan, steps: [step] as InputPlan['steps'], tried: [...triedRoutes] }
      },
      {
        engines,
        inputPlans: [{ ...inputPlan, steps } as InputPlan],
        saveRemaining: async ([remainingPlan]) => void savedPercents.push(remainingPlan?.reached ?? -1),
      },
    )
    const endedRun = await done
    assert.ok('storedKeys' in endedRun)
    assert.deepEqual(
      [savedPercents, endedRun.isComplete, endedRun.inputPlans[0]?.tried?.length],
      [[failingIndex === 0 ? 25 : 75], true, 1],
    )
  }
})
