import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asAccountName } from '../lib/display-name.ts'

test('the name that somebody has elsewhere becomes one that can be read, or is that of his address', () => {
  const named = (name: string) => asAccountName(name, 'ann')
  assert.equal(named(' Ann\nLee '), 'Ann Lee')
  assert.equal(named('Ann \u202eeeL'), 'Ann  eeL')
  assert.equal(named('\u200b\0'), 'ann')
  assert.equal(named(''), 'ann')
  assert.equal(named('x'.repeat(10_000)).length, 200)
  assert.equal(named(`${'x'.repeat(199)}😀`).length, 200, 'half a character is none')
})
