import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deriveKey, isSealed, redactSecrets, Vault } from '../../lib/crypto/sealed.ts'

const vault = new Vault('a secret of this test')
const secrets = new Set(['password', 'key'])

test('an encrypted value can be decrypted only in the context that it was encrypted for', () => {
  const sealedFields = vault.seal({ password: 'ü' }, 'job_1')
  assert.ok(isSealed(sealedFields))
  assert.doesNotMatch(Buffer.from(sealedFields.sealed, 'base64url').toString('latin1'), /password/)
  assert.deepEqual(vault.unseal(sealedFields, 'job_1'), { password: 'ü' })
  assert.throws(() => vault.unseal(sealedFields, 'job_2'))
  assert.throws(() => new Vault('another secret').unseal(sealedFields, 'job_1'))
  const bytes = Buffer.from(sealedFields.sealed, 'base64url')
  for (const at of [0, 12, 28]) {
    const tamperedBytes = Buffer.from(bytes)
    tamperedBytes[at] = (tamperedBytes[at] ?? 0) ^ 1
    assert.throws(() => vault.unseal({ sealed: tamperedBytes.toString('base64url') }, 'job_1'), `byte ${at}`)
  }
  // Sealing a value twice gives different results, so that equal passwords cannot be recognized in the table.
  assert.notEqual(vault.seal('a', 'p').sealed, vault.seal('a', 'p').sealed)
})

test('only options with secret names are encrypted, and none is encrypted twice', () => {
  const sealedFields = vault.sealSecrets({ password: 'a', key: undefined, dpi: 7 }, secrets, 'job_1')
  assert.deepEqual([sealedFields['dpi'], sealedFields['key']], [7, undefined])
  assert.ok(isSealed(sealedFields['password']))
  assert.deepEqual(vault.sealSecrets(sealedFields, secrets, 'job_1'), sealedFields)
})

test('nested encrypted values are decrypted or redacted, and all others stay unchanged', () => {
  const set = new Set([1])
  const createValue = (secret: unknown) => ({
    a: [{ password: secret, b: null }, 'text'],
    set,
    n: 1,
    none: undefined,
  })
  const sealedText = createValue(vault.seal('open sesame', 'job_1'))
  assert.deepEqual(vault.unsealAll(sealedText, 'job_1'), createValue('open sesame'))
  assert.deepEqual(redactSecrets(sealedText), createValue('***'))
  assert.equal(vault.unsealAll('text', 'job_1'), 'text')
  assert.equal(isSealed({ sealed: 'a', more: 1 }), false)
})

test('keys derived from one secret for different purposes are different', () => {
  const keys = (['owner', 'cursor', 'idempotency', 'signed urls', 'seal'] as const).map((purpose) =>
    deriveKey('s', purpose),
  )
  for (const key of keys) assert.equal(key.length, 32)
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, keys.length)
  assert.deepEqual(deriveKey('s', 'owner'), keys[0])
  assert.notDeepEqual(deriveKey('t', 'owner'), keys[0])
})
