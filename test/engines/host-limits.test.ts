import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryOf } from '../../lib/deployment/functions.ts'
import { availableThreads, effectiveLimits } from '../../lib/engines/host-limits.ts'

test('an engine takes no more memory than its function was given, and all that it asks for elsewhere', () => {
  const limits = { memoryMb: 4096, diskMb: 100, timeoutS: 60 }
  assert.deepEqual(effectiveLimits(limits, 3008), { ...limits, memoryMb: 3008 - 256 })
  assert.deepEqual(effectiveLimits(limits, 10_240), limits)
  assert.deepEqual(effectiveLimits(limits), limits)
})

test('a function gets the memory that it asks for, up to what the account may give and Lambda has', () => {
  assert.equal(memoryOf(6400, { MAX_FUNCTION_MB: 3008 }), 3008)
  assert.equal(memoryOf(1024, { MAX_FUNCTION_MB: 3008 }), 1024)
  assert.equal(memoryOf(20_000, { MAX_FUNCTION_MB: 20_000 }), 10_240)
})

test('a program has a thread for each processor that is there, and not many more than it can use', () => {
  assert.deepEqual([1, 2, 6, 64].map(availableThreads), [1, 2, 6, 8])
})
