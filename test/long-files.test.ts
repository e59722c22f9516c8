import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import seconds from './long-files.json' with { type: 'json' }
import { maxCpuSeconds, selectShortFiles } from './long-files.ts'

const allFiles = globSync('test/**/*.test.ts').sort()

test('npm test always runs the same test files, without the ones that take long', () => {
  const short = selectShortFiles(allFiles)
  const cpuSeconds: Readonly<Record<string, number>> = seconds
  for (const file of allFiles)
    assert.equal(short.includes(file), (cpuSeconds[file] ?? 0) <= maxCpuSeconds, file)
  assert.ok(short.length > allFiles.length * 0.75, `${short.length} of ${allFiles.length} files`)
})

test('every file in the list of long test files exists', () => {
  assert.deepEqual(
    Object.keys(seconds).filter((file) => !allFiles.includes(file)),
    [],
  )
})
