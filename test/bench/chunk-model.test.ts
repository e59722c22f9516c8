import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateOverheadPercent, calculateWallMs } from './chunk-model.ts'

const createTimeSpent = (seconds: number) => ({ wall: seconds * 1000, cpu: seconds * 2000 })
const measuredTimes = {
  whole: createTimeSpent(20),
  cut: createTimeSpent(1),
  join: createTimeSpent(2),
  chunkTimes: [createTimeSpent(6), createTimeSpent(4), createTimeSpent(8)],
}

test('the modelled conversion time with several workers is limited by the longest chunk', () => {
  assert.deepEqual(
    [1, 2, 3, 300].map((count) => calculateWallMs(count, measuredTimes)),
    [21_000, 12_000, 11_000, 11_000],
  )
})

test('the modelled overhead of converting in chunks includes splitting and joining', () => {
  assert.equal(Math.round(calculateOverheadPercent(measuredTimes) * 100) / 100, 5)
})
