import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { signOwnerToken, verifyOwnerToken } from '../../lib/access/anonymous.ts'
import { createSecretText, hashSecret, matchesSecretHash } from '../../lib/access/secret-text.ts'
import { newId } from '../../lib/ids.ts'

const rounds = 201
const callsPerRound = 400

/**
 * Returns the duration of the fastest round of each function in ms: other load only makes rounds slower, and
 * alternating the rounds spreads that load evenly.
 */
function measureFastestMs(
  compareWrongEnd: () => unknown,
  compareWrongStart: () => unknown,
): readonly [number, number] {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++)
    for (const [at, compare] of (round % 2
      ? [compareWrongEnd, compareWrongStart]
      : [compareWrongStart, compareWrongEnd]
    ).entries()) {
      const start = performance.now()
      for (let callsLeft = callsPerRound; callsLeft > 0; callsLeft--) compare()
      times[round % 2 ? at : 1 - at]?.push(performance.now() - start)
    }
  return [Math.min(...times[0]), Math.min(...times[1])]
}

/** Flattens a string, as if it came from a socket. */
const flatten = (text: string) => Buffer.from(text).toString()

const pickDifferentCharacter = (character: string | undefined) => (character === 'a' ? 'b' : 'a')

test('comparing a secret takes the same time whether its first or its last character is wrong', () => {
  const secret = createSecretText('cs_')
  const hash = hashSecret(secret)
  const secretWithWrongEnd = secret.slice(0, -1) + pickDifferentCharacter(secret.at(-1))
  const secretWithWrongStart = `cs_${pickDifferentCharacter(secret[3])}${secret.slice(4)}`
  assert.equal(matchesSecretHash(hash, secret), true)
  assert.deepEqual(
    [matchesSecretHash(hash, secretWithWrongEnd), matchesSecretHash(hash, secretWithWrongStart)],
    [false, false],
  )
  const [nearMs, farMs] = measureFastestMs(
    () => matchesSecretHash(hash, secretWithWrongEnd),
    () => matchesSecretHash(hash, secretWithWrongStart),
  )
  assert.ok(Math.abs(nearMs / farMs - 1) < 0.1, `${nearMs} ms and ${farMs} ms`)
  // Keys are looked up by hash, not compared: similar keys have different hashes.
  const sameDigitCount = [...hash].filter((digit, at) => digit === hashSecret(secretWithWrongEnd)[at]).length
  assert.ok(sameDigitCount < 20, `${sameDigitCount} of 64 digits`)
})

test('verifying an owner token takes the same time whether the start or the end of its signature is wrong', () => {
  const key = randomBytes(32)
  const token = signOwnerToken(newId('anon'), key)
  const [id = '', signature = ''] = token.split('.')
  const tokenWithWrongEnd = flatten(
    `${id}.${signature.slice(0, -2)}${pickDifferentCharacter(signature.at(-2))}${signature.at(-1)}`,
  )
  const secretWithWrongStart = flatten(`${id}.${pickDifferentCharacter(signature[0])}${signature.slice(1)}`)
  assert.equal(verifyOwnerToken(token, key), id)
  assert.deepEqual(
    [verifyOwnerToken(tokenWithWrongEnd, key), verifyOwnerToken(secretWithWrongStart, key)],
    [undefined, undefined],
  )
  const [nearMs, farMs] = measureFastestMs(
    () => verifyOwnerToken(tokenWithWrongEnd, key),
    () => verifyOwnerToken(secretWithWrongStart, key),
  )
  assert.ok(Math.abs(nearMs / farMs - 1) < 0.1, `${nearMs} ms and ${farMs} ms`)
})
