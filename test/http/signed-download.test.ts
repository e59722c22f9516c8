import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { signedQuery, verify } from '../../lib/http/signed-download.ts'

const at = Date.parse('2026-03-10T23:00:00Z')
const dayMs = 86_400_000
const keyOf = (day: number) => createHash('sha256').update(`key of day ${day}`).digest()

const queryOf = (lifetimeS: number, query = {}) =>
  Object.fromEntries(
    new URLSearchParams(signedQuery({ jobId: 'job_1', query, expiresAtS: at / 1000 + lifetimeS, at }, keyOf)),
  )
const codeOf = (query: Readonly<Record<string, string>>, now: number, jobId = 'job_1') => {
  try {
    verify(jobId, query, keyOf, now)
    return 'OK'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a signed address holds to the second that it names, and then says that it has expired', () => {
  const query = queryOf(3600, { file: 'a b.png' })
  assert.equal(codeOf(query, at), 'OK')
  assert.equal(codeOf(query, at + 3_599_999), 'OK')
  assert.equal(codeOf(query, at + 3_600_000), 'EXPIRED')
  assert.equal(codeOf(query, at + 30 * dayMs), 'EXPIRED')
})

test('of an address that was never right nobody says that it has expired', () => {
  const query = queryOf(3600)
  for (const now of [at, at + dayMs]) {
    assert.equal(codeOf({ ...query, sig: `A${query['sig']?.slice(1)}` }, now), 'INVALID_SIGNATURE')
    assert.equal(codeOf({ ...query, exp: String(at / 1000 + 9000) }, now), 'INVALID_SIGNATURE')
    assert.equal(codeOf({ ...query, file: 'other.png' }, now), 'INVALID_SIGNATURE')
    assert.equal(codeOf(query, now, 'job_2'), 'INVALID_SIGNATURE')
  }
})

test('the key of a day signs for that day and the next, a few minutes early too', () => {
  const query = queryOf(5 * 86_400)
  assert.equal(codeOf(query, at + dayMs), 'OK', 'the day after')
  assert.equal(codeOf(query, at + 2 * dayMs), 'INVALID_SIGNATURE', 'two days after')
  const midnight = Date.parse('2026-03-10T00:00:00Z')
  assert.equal(codeOf(query, midnight - 299_000), 'OK', 'a clock that is five minutes behind')
  assert.equal(codeOf(query, midnight - 301_000), 'INVALID_SIGNATURE')
})
