import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAccountName } from '../../lib/validation/display-name.ts'

test('a user name from a sign-in provider is sanitized, or replaced with the fallback name if it is empty', () => {
  const getAccountName = (name: string) => toAccountName(name, 'ann')
  assert.equal(getAccountName(' Ann\nLee '), 'Ann Lee')
  assert.equal(getAccountName('Ann \u202eeeL'), 'Ann  eeL')
  assert.equal(getAccountName('\u200b\0'), 'ann')
  assert.equal(getAccountName(''), 'ann')
  assert.equal(getAccountName('x'.repeat(10_000)).length, 200)
  assert.equal(getAccountName(`${'x'.repeat(199)}😀`).length, 200, 'an unpaired surrogate is removed')
})
