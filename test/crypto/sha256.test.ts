import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Sha256 } from '../../lib/crypto/sha256.ts'

const message = Buffer.from('mutabor')
const hex = async (hash: Sha256) => Buffer.from(await hash.digest()).toString('hex')

test('the SHA-256 of request signatures is correct with a key of any type and without a key', async () => {
  const key = Buffer.from('a key beyond ASCII: ü')
  const expectedHash = createHmac('sha256', key).update(message).digest('hex')
  // The buffer of the view also contains bytes before and after the key.
  const padded = new Uint8Array(Buffer.concat([message, key, message]))
  const view = padded.subarray(message.length, message.length + key.length)
  for (const secret of [key.toString(), key, view, Uint8Array.from(key).buffer]) {
    const hash = new Sha256(secret)
    hash.update(message)
    assert.equal(await hex(hash), expectedHash)
  }
  const plainHash = new Sha256()
  plainHash.update(message.subarray(0, 2))
  plainHash.update(message.subarray(2))
  assert.equal(await hex(plainHash), createHash('sha256').update(message).digest('hex'))
})

test('resetting a keyed SHA-256 hash starts it again with the same key', async () => {
  const hash = new Sha256('key')
  hash.update(Buffer.from('something else'))
  hash.reset()
  hash.update(message)
  assert.equal(await hex(hash), createHmac('sha256', 'key').update(message).digest('hex'))
})
