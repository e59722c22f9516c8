import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defined } from '../../lib/validation/defined.ts'

test('undefined fields of an object are dropped, and other empty values are kept in order', () => {
  const fields = { b: undefined, z: 0, a: '', n: null, f: false, o: {} }
  assert.deepEqual(Object.entries(defined(fields)), [
    ['z', 0],
    ['a', ''],
    ['n', null],
    ['f', false],
    ['o', {}],
  ])
})

test('spreading the result of defined() does not overwrite a field with undefined', () => {
  const tag: string | undefined = undefined
  assert.deepEqual({ id: 1, tag: 'kept', ...defined({ tag }) }, { id: 1, tag: 'kept' })
})

test('the result of defined() can be assigned to a type with exact optional properties', () => {
  const tag = 'a' as string | undefined
  const shownFields: { id: number; tag?: string } = { id: 1, ...defined({ tag }) }
  assert.deepEqual(shownFields, { id: 1, tag: 'a' })
})
