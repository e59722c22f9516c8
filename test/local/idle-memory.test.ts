import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdleCollector } from '../../lib/local/runtime/idle-memory.ts'

function listCollectionIndexes(...workedMs: number[]): number[] {
  const collectionIndexes: number[] = []
  let at = 0
  const collector = new IdleCollector(() => collectionIndexes.push(at))
  for (const ms of workedMs) {
    collector.check(ms)
    at++
  }
  return collectionIndexes
}

test('a garbage collection is forced once the service is idle after a period of work', () => {
  assert.deepEqual(listCollectionIndexes(1700, 50, 50, 50), [1])
  assert.deepEqual(listCollectionIndexes(1700, 50, 12_000, 9000, 50, 50), [1, 4])
})

test('no garbage collection is forced while the service is busy', () => {
  assert.deepEqual(listCollectionIndexes(1700, 400, 14_000, 900, 400), [])
})

test('a garbage collection is forced each time that small amounts of work add up to one second', () => {
  assert.deepEqual(listCollectionIndexes(...Array.from({ length: 20 }, () => 250)), [3, 7, 11, 15, 19])
})
