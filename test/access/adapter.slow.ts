import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startVitest } from 'vitest/node'

/** Takes about a minute: 345 cases of better-auth. */

test("the table adapter passes better-auth's adapter test suite", { timeout: 300_000 }, async () => {
  const root = new URL('../..', import.meta.url).pathname
  const run = await startVitest('test', [], {
    config: false,
    root,
    include: ['test/access/adapter-suite.ts'],
    watch: false,
    silent: true,
    reporters: ['dot'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  })
  const modules = run.state.getTestModules()
  const cases = modules.flatMap((module) => [...module.children.allTests()])
  await run.close()
  const failedCases = cases
    .filter((testCase) => testCase.result().state === 'failed')
    .map(({ fullName }) => fullName)
  assert.deepEqual(failedCases, [])
  assert.ok(cases.length > 300, `${cases.length} cases`)
  // vitest sets the exit code if a case failed.
  assert.equal(process.exitCode ?? 0, 0)
})
