import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import * as z from 'zod'
import type { Engine } from '../../lib/engines/engine.ts'
import { getConfinement } from '../../lib/engines/sandbox/isolation.ts'
import { runSteps, type StepsRun } from '../../lib/jobs/run/run-steps.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const { level, detail } = await getConfinement()
const testOptions = level === 'none' ? { skip: `needs limits, found ${detail}` } : {}
const folder = scratchFolder('command-log')

/** An engine that runs scripts, ignores their failures, and then succeeds or fails. */
const createEngine = (scripts: readonly string[], succeeds: boolean): Engine => ({
  id: 'pandoc',
  image: 'document',
  version: () => '1.2',
  capabilities: [{ operation: 'convert', from: ['html'], to: ['txt'], cost: 1, options: z.object({}) }],
  limits: { memoryMb: 512, diskMb: 8, timeoutS: 20 },
  runsInWorker: true,
  run: async ({ outDir }, { exec }) => {
    for (const script of scripts) await exec('sh', ['-c', script, 'a password']).catch(() => undefined)
    if (!succeeds) throw new Error('the engine failed')
    const path = join(outDir, 'made.txt')
    await writeFile(path, 'made')
    return { files: [{ path }], method: 'encode' }
  },
})

async function readLog(scripts: readonly string[], succeeds = true) {
  const lines: Record<string, unknown>[] = []
  const watchedLines: unknown[] = []
  const workDir = await mkdtemp(join(folder, 'run-'))
  const path = join(workDir, 'source')
  await writeFile(path, 'text')
  const step = {
    operation: 'convert',
    engine: 'pandoc',
    image: 'document',
    from: 'html',
    to: 'txt',
    options: {},
  } as const
  const run: StepsRun = {
    steps: [step],
    firstIndex: 0,
    workDir,
    signal: new AbortController().signal,
    progress: () => undefined,
    inputs: [{ path, filename: 'a.html', format: 'html', size: 4 }],
    engines: [createEngine(scripts, succeeds)],
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    onCommand: (bin, args) => {
      watchedLines.push([bin, args.length])
      return {
        stderr: (chunk) => watchedLines.push(String(chunk)),
        ended: ({ how, hasSucceeded: succeeded }) => watchedLines.push([how, succeeded]),
      }
    },
  }
  const endedRun = await runSteps(run).then(
    () => 'done',
    (error: unknown) => String(error),
  )
  const loggedFields = lines.map(({ level: _, time: __, pid: ___, hostname: ____, ms, ...line }) => {
    assert.equal(typeof ms, 'number')
    return line
  })
  return { log: loggedFields, watchedLines: watchedLines, ended: endedRun }
}

const logFields = { engine: 'pandoc', from: 'html', to: 'txt' }

test(
  'the command log contains the end of a failed program’s output, without its arguments',
  testOptions,
  async () => {
    const { log: loggedFields, ended } = await readLog([
      'exit 0',
      'echo why >&2; exit 3',
      'yes | head -c 5000 >&2; exit 1',
    ])
    assert.equal(ended, 'done')
    assert.deepEqual(loggedFields, [
      { command: 'sh', how: 'exit code 3', stderr: 'why\n', msg: 'command failed' },
      { command: 'sh', how: 'exit code 1', stderr: 'y\n'.repeat(2000), msg: 'command failed' },
      { ...logFields, method: 'encode', msg: 'step completed' },
    ])
  },
)

test('the log of a failed step contains the version of its engine', testOptions, async () => {
  const { log: lines, ended } = await readLog([], false)
  assert.equal(ended, 'Error: the engine failed')
  assert.deepEqual(lines, [{ ...logFields, engineVersion: '1.2', msg: 'step failed' }])
})

test('the command observer is notified of programs and their output', testOptions, async () => {
  const { watchedLines } = await readLog(['echo why >&2; exit 3'])
  assert.deepEqual(watchedLines, [['sh', 3], 'why\n', ['exit code 3', false]])
})
