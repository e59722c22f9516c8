import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createOverdueFinder, endHungFiles } from './end-hung.ts'
import { scratchFolder } from './support/scratch-folder.ts'

const hangingFiles: Readonly<Record<string, string>> = {
  'a loop that never waits': `test('a', () => { for (;;); })`,
  'a wait outside of tests': `setInterval(() => {}, 1000); await new Promise(() => {})`,
  'a program that it started':
    `import { spawn } from 'node:child_process'\n` +
    `test('a', () => { spawn('sleep', ['1000'], { stdio: 'inherit' }); for (;;); })`,
}

for (const [caseName, body] of Object.entries(hangingFiles))
  test(`a test file that hangs in ${caseName} is killed and reported as failed`, async () => {
    const folder = scratchFolder('hung')
    writeFileSync(join(folder, 'hung.test.ts'), `import { test } from 'node:test'\n${body}\n`)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env // otherwise the inner runner would act as a test file of the outer one
    const runner = spawn(process.execPath, ['--test', '--test-timeout=1000', 'hung.test.ts'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const stop = endHungFiles(Number(runner.pid), { fileMs: 4000, everyMs: 200 })
    try {
      const output = text(runner.stdout)
      const [code] = await once(runner, 'exit')
      assert.equal(code, 1)
      assert.match(await output, /hung\.test\.ts/)
    } finally {
      stop()
    }
  })

test('a test file is not taken for an earlier one that had the same process id', () => {
  const findOverdue = createOverdueFinder(1000)
  const file = { pid: 7 }
  assert.deepEqual(findOverdue([file], 0), [])
  assert.deepEqual(findOverdue([file], 1000), [file])
  assert.deepEqual(findOverdue([], 1500), [])
  assert.deepEqual(findOverdue([file], 2000), [])
})
