import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedMap } from '../../lib/async/bounded-map.ts'

test('a full BoundedMap evicts the entry that was set longest ago', () => {
  const map = new BoundedMap<number>(2)
  map.set('a', 1).set('b', 2).set('a', 3)
  assert.deepEqual(
    [...map],
    [
      ['b', 2],
      ['a', 3],
    ],
  )
  map.set('c', 4)
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['c', 4],
    ],
  )
  map.delete('a')
  map.set('d', 5)
  assert.deepEqual([...map.keys()], ['c', 'd'])
})
