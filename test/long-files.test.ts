import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import seconds from './long-files.json' with { type: 'json' }
import { maxCpuSeconds, selectShortFiles } from './long-files.ts'

const allFiles = globSync('test/**/*.test.ts').sort()

test('npm test runs exactly the test files that do not exceed the CPU time limit', () => {
  const shortFiles = selectShortFiles(allFiles)
  const cpuSeconds: Readonly<Record<string, number>> = seconds
  for (const file of allFiles)
    assert.equal(shortFiles.includes(file), (cpuSeconds[file] ?? 0) <= maxCpuSeconds, file)
  assert.ok(shortFiles.length > allFiles.length * 0.75, `${shortFiles.length} of ${allFiles.length} files`)
})

test('every file in the list of long test files exists', () => {
  assert.deepEqual(
    Object.keys(seconds).filter((file) => !allFiles.includes(file)),
    [],
  )
})
