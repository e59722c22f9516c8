import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitMemory } from '../../lib/deployment/functions.ts'
import { computeEffectiveLimits, getAvailableThreads } from '../../lib/engines/host-limits.ts'

test('an engine gets at most the memory of its Lambda function, and its full memory limit outside of Lambda', () => {
  const limits = { memoryMb: 4096, diskMb: 100, timeoutS: 60 }
  assert.deepEqual(computeEffectiveLimits(limits, 3008), { ...limits, memoryMb: 3008 - 256 })
  assert.deepEqual(computeEffectiveLimits(limits, 10_240), limits)
  assert.deepEqual(computeEffectiveLimits(limits), limits)
})

test('a Lambda function gets the memory it requests, up to MAX_FUNCTION_MB and the maximum of AWS', () => {
  assert.equal(limitMemory(6400, { MAX_FUNCTION_MB: 3008 }), 3008)
  assert.equal(limitMemory(1024, { MAX_FUNCTION_MB: 3008 }), 1024)
  assert.equal(limitMemory(20_000, { MAX_FUNCTION_MB: 20_000 }), 10_240)
})

test('an engine program gets one thread per processor, up to eight', () => {
  assert.deepEqual([1, 2, 6, 64].map(getAvailableThreads), [1, 2, 6, 8])
})
