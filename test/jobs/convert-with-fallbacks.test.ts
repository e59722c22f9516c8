import assert from 'node:assert/strict'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import * as z from 'zod'
import type { Engine } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import { convertWithFallbacks } from '../../lib/jobs/run/convert-with-fallbacks.ts'
import type { FindFallback } from '../../lib/jobs/run/fallbacks.ts'
import { createLog } from '../../lib/log.ts'
import type { ConversionStep, InputPlan } from '../../lib/model/job.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { file } from './records.ts'

const folder = scratchFolder('fallbacks')
const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
const step = (engine: string, from = 'html', to = 'txt'): ConversionStep => ({
  operation: 'convert',
  engine,
  image: engine === 'vips' ? 'image' : 'document',
  from,
  to,
  options: {},
})
const createPlan = (...steps: ConversionStep[]): InputPlan => ({
  steps,
  step: 0,
  files: [{ ...file('a.html'), format: 'html' }],
})

/** Converts a file, and records the input that each engine found in its folder. */
async function convert(
  inputPlan: InputPlan,
  engineActions: Readonly<Record<string, () => void>>,
  findFallback: FindFallback,
  signal = new AbortController().signal,
) {
  const workDir = await mkdtemp(join(folder, 'run-'))
  const path = join(workDir, 'source-1.html')
  await writeFile(path, '<p>a few words</p>')
  const recordedCalls: [engine: string, folder: string, text: string][] = []
  const createEngine = (id: string): Engine =>
    ({
      id,
      image: id === 'vips' ? 'image' : 'document',
      version: () => '1',
      capabilities: [
        { operation: 'convert', from: ['html', 'txt'], to: ['txt', 'md'], options: z.object({}), cost: 1 },
      ],
      limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
      runsInWorker: true,
      run: async ({ outDir, inputs: [input] }) => {
        const text = await readFile(input?.path ?? '', 'utf8')
        recordedCalls.push([id, dirname(input?.path ?? '').slice(workDir.length), text])
        engineActions[id]?.()
        const outputPath = join(outDir, 'made.txt')
        await writeFile(outputPath, 'a few words')
        return { files: [{ path: outputPath }] }
      },
    }) as Engine
  const doneResult = await convertWithFallbacks(
    inputPlan,
    {
      workDir,
      inputs: [{ path, filename: 'a.html', format: 'html', size: 18 }],
      signal,
      log,
      engines: ['pandoc', 'vips', 'calibre'].map(createEngine),
      progress: () => {},
    },
    findFallback,
  ).catch((error: unknown) => ({ error }))
  return { done: doneResult, engineCalls: recordedCalls }
}
const throwCorruptFile = () => {
  throw new AppError('CORRUPT_FILE', 'It is cut off.')
}
const noFallback: FindFallback = () => ({ error: { code: 'CORRUPT_FILE', message: 'No route is left.' } })

test('a file passes through all steps of its route, even if they need different container images', async () => {
  const { done, engineCalls } = await convert(
    createPlan(step('pandoc'), step('vips', 'txt', 'md')),
    {},
    noFallback,
  )
  assert.ok('inputPlan' in done)
  assert.deepEqual([done.engine.id, done.format, done.nextStep], ['vips', 'md', 2])
  assert.deepEqual(engineCalls, [
    ['pandoc', '', '<p>a few words</p>'],
    ['vips', '/step-1', 'a few words'],
  ])
})

test('if an engine cannot read a file, the fallback engine receives the original file in a folder of its own', async () => {
  const triedCounts: number[] = []
  const { done, engineCalls } = await convert(
    createPlan(step('pandoc')),
    { pandoc: throwCorruptFile, vips: throwCorruptFile },
    (triedRoutes) => {
      triedCounts.push(triedRoutes.length)
      const [lastRoute] = triedRoutes.slice(-1)
      assert.deepEqual(lastRoute?.error.code, 'CORRUPT_FILE')
      return { ...createPlan(step(triedRoutes.length === 1 ? 'vips' : 'calibre')), tried: [...triedRoutes] }
    },
  )
  assert.ok('inputPlan' in done)
  assert.deepEqual([done.engine.id, done.inputPlan.tried?.length, triedCounts], ['calibre', 2, [1, 2]])
  assert.deepEqual(engineCalls, [
    ['pandoc', '', '<p>a few words</p>'],
    ['vips', '/route-2', '<p>a few words</p>'],
    ['calibre', '/route-3', '<p>a few words</p>'],
  ])
})

test('a failed route records its steps up to the one that failed', async () => {
  const steps = [step('pandoc'), step('vips', 'txt', 'md')]
  const seenPercents: number[] = []
  await convert(createPlan(...steps), { vips: throwCorruptFile }, (triedRoutes) => {
    seenPercents.push(triedRoutes[0].steps.length)
    return { error: { code: 'CORRUPT_FILE', message: '' } }
  })
  await convert(createPlan(...steps), { pandoc: throwCorruptFile }, (triedRoutes) => {
    seenPercents.push(triedRoutes[0].steps.length)
    return { error: { code: 'CORRUPT_FILE', message: '' } }
  })
  assert.deepEqual(seenPercents, [2, 1])
})

test('a conversion fails with the original error if no fallback route is left', async () => {
  const { done } = await convert(createPlan(step('pandoc')), { pandoc: throwCorruptFile }, noFallback)
  assert.ok('error' in done && done.error instanceof AppError)
  assert.equal(done.error.code, 'CORRUPT_FILE')
})

test('aborting a conversion does not lead to a fallback', async () => {
  const stop = new AbortController()
  const over = new Error('the time limit is reached')
  const engineActions = {
    pandoc: () => {
      stop.abort(over)
      throwCorruptFile()
    },
  }
  const { done } = await convert(
    createPlan(step('pandoc')),
    engineActions,
    () => assert.fail('no fallback must be requested'),
    stop.signal,
  )
  assert.deepEqual(done, { error: over })
})
