import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { addResultLinks, createResultLink } from '../../lib/links/result-links.ts'
import { signQuery, verifySignature } from '../../lib/links/signed-download.ts'

const at = Date.parse('2026-03-10T23:00:00Z')
const dayMs = 86_400_000
const createDayKey = (day: number) => createHash('sha256').update(`key of day ${day}`).digest()

const createQuery = (lifetimeS: number, query = {}) =>
  Object.fromEntries(
    new URLSearchParams(
      signQuery({ jobId: 'job_1', query, expiresAtS: at / 1000 + lifetimeS, at }, createDayKey),
    ),
  )
const getErrorCode = (query: Readonly<Record<string, string>>, now: number, jobId = 'job_1') => {
  try {
    verifySignature(jobId, query, createDayKey, now)
    return 'OK'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('a signed URL is valid until its expiration time and then rejected with EXPIRED', () => {
  const query = createQuery(3600, { file: 'a b.png' })
  assert.equal(getErrorCode(query, at), 'OK')
  assert.equal(getErrorCode(query, at + 3_599_999), 'OK')
  assert.equal(getErrorCode(query, at + 3_600_000), 'EXPIRED')
  assert.equal(getErrorCode(query, at + 30 * dayMs), 'EXPIRED')
  const expiredAt = new Date(at + 3_600_000).toISOString()
  assert.throws(() => verifySignature('job_1', query, createDayKey, at + 3_600_000), {
    details: { expiredAt },
  })
})

test('a signed URL with an invalid signature is rejected with INVALID_SIGNATURE, even if it has expired', () => {
  const query = createQuery(3600)
  for (const now of [at, at + dayMs]) {
    assert.equal(getErrorCode({ ...query, sig: `A${query['sig']?.slice(1)}` }, now), 'INVALID_SIGNATURE')
    assert.equal(getErrorCode({ ...query, exp: String(at / 1000 + 9000) }, now), 'INVALID_SIGNATURE')
    assert.equal(getErrorCode({ ...query, file: 'other.png' }, now), 'INVALID_SIGNATURE')
    assert.equal(getErrorCode(query, now, 'job_2'), 'INVALID_SIGNATURE')
  }
})

test('only `inline` and `attempt` may be added to a signed URL', () => {
  const query = createQuery(3600, { file: 'a b.png' })
  assert.equal(getErrorCode({ ...query, inline: 'true' }, at), 'OK')
  assert.equal(getErrorCode({ ...query, inline: 'true', file: 'other.png' }, at), 'INVALID_SIGNATURE')
  assert.equal(getErrorCode({ ...query, task: 'other' }, at), 'INVALID_SIGNATURE')
  // The service adds `attempt` when it redirects to the same URL.
  assert.equal(getErrorCode({ ...query, attempt: '2' }, at), 'OK')
  assert.equal(getErrorCode({ ...query, attempt: '2', file: 'other.png' }, at), 'INVALID_SIGNATURE')
  assert.equal(getErrorCode({ ...query, inline: 'true' }, at + 3_600_000), 'EXPIRED')
  const inlineQuery = createQuery(3600, { inline: 'true' })
  assert.equal(getErrorCode(inlineQuery, at), 'OK')
  const { inline: _taken, ...rest } = inlineQuery
  assert.equal(getErrorCode(rest, at), 'INVALID_SIGNATURE')
})

test('a daily signing key is valid from five minutes before its day until the end of the next day', () => {
  const query = createQuery(5 * 86_400)
  assert.equal(getErrorCode(query, at + dayMs), 'OK', 'the day after')
  assert.equal(getErrorCode(query, at + 2 * dayMs), 'INVALID_SIGNATURE', 'two days after')
  const midnight = Date.parse('2026-03-10T00:00:00Z')
  assert.equal(getErrorCode(query, midnight - 299_000), 'OK', 'a clock that is five minutes slow')
  assert.equal(getErrorCode(query, midnight - 301_000), 'INVALID_SIGNATURE')
})

test('a result URL stays the same for a day after the end of its job, and is valid for that day', () => {
  const endedAt = new Date(at).toISOString()
  const job = { id: 'job_1', endedAt, expiresAt: new Date(at + 2.5 * dayMs).toISOString() }
  const getUrlAt = (now: number) =>
    createResultLink('https://a.test', createDayKey, () => now)(job, { file: 'a b.png' })
  const getErrorCodeAt = (signedUrl: string, now: number) =>
    getErrorCode(Object.fromEntries(new URL(signedUrl).searchParams), now)
  const firstUrl = getUrlAt(at)
  assert.match(firstUrl, /^https:\/\/a\.test\/v1\/download\/job_1\?file=a%20b\.png&exp=/)
  assert.equal(getUrlAt(at + dayMs - 1), firstUrl)
  assert.equal(getErrorCodeAt(firstUrl, at + dayMs - 1), 'OK')
  assert.equal(getErrorCodeAt(firstUrl, at + dayMs), 'EXPIRED')
  const lastUrl = getUrlAt(at + 2.2 * dayMs)
  assert.equal(getErrorCodeAt(lastUrl, at + 2.4 * dayMs), 'OK')
  assert.equal(getErrorCodeAt(lastUrl, at + 2.5 * dayMs), 'EXPIRED', 'the files are deleted by then')
})

test('events contain the same result URLs as replies', () => {
  const link = createResultLink('https://a.test', createDayKey, () => at)
  const event = {
    timestamp: new Date(at).toISOString(),
    job: {
      files: [{ filename: 'a', url: '/v1/download/job_1' }],
      url: '/v1/jobs/job_1',
      text: '/v1/download/job_1',
    },
  }
  const { job } = addResultLinks(event, link)
  assert.equal(job.files[0]?.url, link({ id: 'job_1', endedAt: event.timestamp }))
  assert.deepEqual([job.url, job.text], [event.job.url, event.job.text])
})
