import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import seconds from './long-files.json' with { type: 'json' }
import { filesOf } from './long-files.ts'

const all = globSync('test/**/*.test.ts').sort()

test('in five days every test file runs: short ones every day, long ones on one day', () => {
  const days = [25, 26, 27, 28, 29].map((day) => filesOf(all, new Date(Date.UTC(2026, 10, day, 12))))
  for (const file of all)
    assert.equal(days.filter((files) => files.includes(file)).length, file in seconds ? 1 : 5, file)
})

test('every file in the list of long tests exists', () => {
  assert.deepEqual(
    Object.keys(seconds).filter((file) => !all.includes(file)),
    [],
  )
})
