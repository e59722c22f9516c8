import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAccountName } from '../../lib/validation/display-name.ts'

test('a user name from a sign-in provider is sanitized, or replaced with the email address', () => {
  const nameOf = (name: string) => toAccountName(name, 'ann')
  assert.equal(nameOf(' Ann\nLee '), 'Ann Lee')
  assert.equal(nameOf('Ann \u202eeeL'), 'Ann  eeL')
  assert.equal(nameOf('\u200b\0'), 'ann')
  assert.equal(nameOf(''), 'ann')
  assert.equal(nameOf('x'.repeat(10_000)).length, 200)
  assert.equal(nameOf(`${'x'.repeat(199)}😀`).length, 200, 'an unpaired surrogate is removed')
})
