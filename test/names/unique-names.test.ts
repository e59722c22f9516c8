import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UniqueNames } from '../../lib/names/unique-names.ts'

const makeDistinct = (givenNames: readonly string[], reservedNames: readonly string[] = []) => {
  const names = new UniqueNames(reservedNames)
  return givenNames.map((name) => names.createUniqueName(name))
}

test('a repeated name gets a number that makes it unique', () => {
  assert.deepEqual(makeDistinct(['a.png', 'a (2).png', 'a.png', 'A.PNG']), [
    'a.png',
    'a (2).png',
    'a (3).png',
    'A (4).PNG',
  ])
  assert.deepEqual(makeDistinct(['manifest.json'], ['manifest.json']), ['manifest (2).json'])
  assert.deepEqual(makeDistinct(['toString', 'toString']), ['toString', 'toString (2)'])
})

test('the number that makes a path unique is added to its last segment', () => {
  assert.deepEqual(makeDistinct(['v1.2/notes', 'v1.2/notes', 'v1.2/.env', 'v1.2/.env']), [
    'v1.2/notes',
    'v1.2/notes (2)',
    'v1.2/.env',
    'v1.2/.env (2)',
  ])
})
