import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveKey, isSealed, Vault, withoutSecrets } from '../lib/sealed.ts'

const vault = new Vault('a secret of this test')
const secrets = new Set(['password', 'key'])

test('what is sealed opens where it was sealed for, and nowhere else', () => {
  const sealed = vault.seal({ password: 'ü' }, 'job_1')
  assert.ok(isSealed(sealed))
  assert.doesNotMatch(Buffer.from(sealed.sealed, 'base64url').toString('latin1'), /password/)
  assert.deepEqual(vault.open(sealed, 'job_1'), { password: 'ü' })
  assert.throws(() => vault.open(sealed, 'job_2'))
  assert.throws(() => new Vault('another secret').open(sealed, 'job_1'))
  const bytes = Buffer.from(sealed.sealed, 'base64url')
  for (const at of [0, 12, 28]) {
    const turned = Buffer.from(bytes)
    turned[at] = (turned[at] ?? 0) ^ 1
    assert.throws(() => vault.open({ sealed: turned.toString('base64url') }, 'job_1'), `byte ${at}`)
  }
  // The same twice is not the same: who reads the table cannot tell who has one password.
  assert.notEqual(vault.seal('a', 'p').sealed, vault.seal('a', 'p').sealed)
})

test('of some values those of secret names are sealed, once', () => {
  const sealed = vault.sealSome({ password: 'a', key: undefined, dpi: 7 }, secrets, 'job_1')
  assert.deepEqual([sealed['dpi'], sealed['key']], [7, undefined])
  assert.ok(isSealed(sealed['password']))
  assert.deepEqual(vault.sealSome(sealed, secrets, 'job_1'), sealed)
})

test('what is sealed is opened, or hidden, however deep it lies, and all else stays', () => {
  const set = new Set([1])
  const value = (secret: unknown) => ({
    a: [{ password: secret, b: null }, 'text'],
    set,
    n: 1,
    none: undefined,
  })
  const sealed = value(vault.seal('open sesame', 'job_1'))
  assert.deepEqual(vault.openAll(sealed, 'job_1'), value('open sesame'))
  assert.deepEqual(withoutSecrets(sealed), value('***'))
  assert.equal(vault.openAll('text', 'job_1'), 'text')
  assert.equal(isSealed({ sealed: 'a', more: 1 }), false)
})

test('keys of one secret tell nothing about each other', () => {
  const keys = (['owner', 'cursor', 'idempotency', 'signed urls', 'seal'] as const).map((purpose) =>
    deriveKey('s', purpose),
  )
  for (const key of keys) assert.equal(key.length, 32)
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, keys.length)
  assert.deepEqual(deriveKey('s', 'owner'), keys[0])
  assert.notDeepEqual(deriveKey('t', 'owner'), keys[0])
})
