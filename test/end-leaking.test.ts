import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from './support/scratch-folder.ts'

const endLeaking = new URL('end-leaking.ts', import.meta.url)

test('a test file that leaves a server open still ends, and all of its tests are reported', {
  timeout: 30_000,
}, async () => {
  const folder = scratchFolder('leaking')
  const testCount = 200
  writeFileSync(
    join(folder, 'ends.ts'),
    `import { endLeaking } from ${JSON.stringify(endLeaking)}\nif (process.env.NODE_TEST_CONTEXT) endLeaking(500)\n`,
  )
  writeFileSync(
    join(folder, 'leaking.test.ts'),
    `import { createServer } from 'node:http'\nimport { test } from 'node:test'\n` +
      `for (let n = 0; n < ${testCount}; n++) test('quick ' + n, () => {})\n` +
      `test('the open server', () => { createServer().listen(0); throw new Error('failed') })\n`,
  )
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // otherwise the inner runner would act as a test file of the outer one
  const args = ['--import', './ends.ts', '--test', '--test-reporter=tap', 'leaking.test.ts']
  const runner = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const output = text(runner.stdout)
  const [code] = await once(runner, 'exit')
  assert.equal(code, 1)
  assert.match(await output, new RegExp(`^not ok ${testCount + 1} - the open server$`, 'm'))
  assert.equal((await output).match(/^ok \d+ - quick/gm)?.length, testCount)
})

test('this test process preloads end-leaking-files.ts, which ends test files that leak resources', () => {
  assert.ok(
    process.execArgv.some((arg) => arg === fileURLToPath(new URL('end-leaking-files.ts', import.meta.url))),
  )
})
