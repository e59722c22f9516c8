import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as z from 'zod'
import { readConfig } from '../../lib/config.ts'
import type { SpaceWatch } from '../../lib/disk.ts'
import type { Engine } from '../../lib/engines/engine.ts'
import type { Piece } from '../../lib/jobs/job.ts'
import { type PiecesRun, runPieces } from '../../lib/jobs/run/run-pieces.ts'
import type { TaskServices } from '../../lib/jobs/run/task-services.ts'
import { createLog } from '../../lib/log.ts'
import { scratchFolder } from '../scratch.ts'
import { Gate } from './gate.ts'
import { MemoryFiles } from './memory-files.ts'
import { file, given, newJob, task, withTasks } from './records.ts'

const folder = scratchFolder('run-pieces')
const page = '<p>a few words that are to come through</p>'

/** Makes nothing of what it is asked for the first time, and all of it the second time. */
function engine(): Engine {
  const results = ['', 'a few words that are to come through']
  return {
    id: 'pandoc',
    image: 'document',
    capabilities: [{ operation: 'convert', from: ['html'], to: ['txt'], options: z.object({}), cost: 1 }],
    limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
    version: () => '1',
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
const piece = { files: [{ ...file('a.html'), format: 'html' }], steps: [step], step: 0 } as unknown as Piece // of constants above

async function run(findWay: PiecesRun['findWay'], signal = new AbortController().signal) {
  const gate = new Gate()
  const files = new MemoryFiles(readConfig({ LOG_LEVEL: 'silent' }), gate)
  files.objects.set('a.html', Buffer.from(page))
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  const [work] = withTasks(newJob([given('in'), task('work', [0], { spec: { options: {} } })]), {
    work: { attempt: 1 },
  }).tasks
  assert.ok(work)
  const engines = [engine()]
  const done = runPieces({
    ...{ services: { files, engines: async () => engines } as unknown as TaskServices, image: 'document' },
    ...{ task: work, pieces: [piece], workDir: await mkdtemp(join(folder, 'run-')), log, findWay },
    space: { requireWhole: async () => {}, explain: async () => undefined } as unknown as SpaceWatch,
    ...{ signal, progress: () => {}, note: async () => {} },
  })
  return { done, files, gate }
}

test('what holds nothing of its source is not kept, though it was on its way to the bucket already', async () => {
  const { done, files, gate } = await run(() => ({ error: { code: 'CONVERSION_FAILED', message: 'No.' } }))
  await assert.rejects(done, { code: 'CONVERSION_FAILED' })
  assert.deepEqual([...files.objects.keys()], ['a.html'])
  assert.deepEqual(gate.effects, ['test: object written', 'test: objects deleted'])
})

test('the way after it is stored and kept', async () => {
  const { done, files } = await run((_, tried) => ({ ...piece, tried: [...tried] }))
  const ended = await done
  assert.ok('made' in ended)
  assert.deepEqual(ended.facts.fidelity?.words, { source: 8, result: 8, share: 1 })
  const kept = ended.pieces.flatMap((one) => one.files.map(({ key }) => key))
  assert.deepEqual([...files.objects.keys()].sort(), ['a.html', ...kept].sort())
  assert.equal(
    Buffer.from(files.objects.get(kept[0] ?? '') ?? []).toString(),
    'a few words that are to come through',
  )
})

test('what fails once nobody wants it any more takes no other way', async () => {
  const { done } = await run(() => assert.fail('another way was looked for'), AbortSignal.abort())
  await assert.rejects(done, { code: 'CONVERSION_FAILED' })
})
