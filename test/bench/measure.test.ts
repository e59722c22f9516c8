import assert from 'node:assert/strict'
import { test } from 'node:test'
import { medianRange } from './measure.ts'

test('the confidence interval of a median excludes outliers on both sides and contains the median', () => {
  const nearValues = Array.from({ length: 19 }, (_, at) => at + 1)
  assert.deepEqual(medianRange([1000, ...nearValues, -1000]), [5, 15])
})

test('the confidence interval of a median of few values spans all of them', () => {
  assert.deepEqual(medianRange([3, 1, 5, 2, 4]), [1, 5])
})
