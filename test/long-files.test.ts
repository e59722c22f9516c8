import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import seconds from './long-files.json' with { type: 'json' }
import { filesOf } from './long-files.ts'

const all = globSync('test/**/*.test.ts').sort()

test('in five days each test file runs: short ones on each, long ones on one', () => {
  const days = [25, 26, 27, 28, 29].map((day) => filesOf(all, new Date(Date.UTC(2026, 10, day, 12))))
  for (const file of all)
    assert.equal(days.filter((files) => files.includes(file)).length, file in seconds ? 1 : 5, file)
})

test('what is listed as long is there', () => {
  assert.deepEqual(
    Object.keys(seconds).filter((file) => !all.includes(file)),
    [],
  )
})
