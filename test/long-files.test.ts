import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import seconds from './long-files.json' with { type: 'json' }
import { filterShort, maxCpuSeconds } from './long-files.ts'

const all = globSync('test/**/*.test.ts').sort()

test('npm test runs every test file but those that take long, the same each time', () => {
  const short = filterShort(all)
  const cpuSeconds: Readonly<Record<string, number>> = seconds
  for (const file of all) assert.equal(short.includes(file), (cpuSeconds[file] ?? 0) <= maxCpuSeconds, file)
  assert.ok(short.length > all.length * 0.75, `${short.length} of ${all.length} files`)
})

test('every file in the list of long tests exists', () => {
  assert.deepEqual(
    Object.keys(seconds).filter((file) => !all.includes(file)),
    [],
  )
})
