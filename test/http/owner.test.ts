import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkedJobId, jobHeaders, knownJob, requireOwner, viewedState } from '../../lib/http/job-access.ts'
import { newOwner, ownerOf } from '../../lib/http/owner.ts'
import { newId } from '../../lib/ids.ts'
import type { Job } from '../../lib/jobs/job.ts'
import type { Services } from '../../lib/services.ts'
import { given, moment, newJob, task } from '../jobs/records.ts'

const secret = Buffer.from('a secret of this test')
const { token } = newOwner('anon_1', secret)
const cookie = (value: string) => ['theme=dark', `mutabor_owner=${value}`]

describe('an identity', () => {
  test('is known by its token, in the header or the cookie', () => {
    const known = { id: 'anon_1', token, isNew: false }
    assert.deepEqual(ownerOf({ headers: { 'x-owner-token': token } }, secret), known)
    assert.deepEqual(ownerOf({ headers: {}, cookies: cookie(token) }, secret), known)
    const other = newOwner('anon_2', secret).token
    assert.deepEqual(ownerOf({ headers: { 'x-owner-token': token }, cookies: cookie(other) }, secret), known)
    // A script with an old token in a browser that has a cookie.
    assert.deepEqual(ownerOf({ headers: { 'x-owner-token': 'x' }, cookies: cookie(token) }, secret), known)
  })

  test('is a new one for none, and for one that is not signed by us', () => {
    const [id, signature = ''] = token.split('.')
    const turned = signature.startsWith('A') ? 'B' : 'A'
    const forged = [
      `anon_2.${signature}`,
      `${id}.${turned}${signature.slice(1)}`,
      `${id}.${signature.slice(1)}`,
      `${id}.`,
      `.${signature}`,
      `${id}`,
      newOwner('anon_1', Buffer.from('another secret')).token,
    ]
    for (const one of [undefined, '', ...forged]) {
      const owner = ownerOf({ headers: { 'x-owner-token': one }, cookies: cookie(one ?? '') }, secret)
      assert.equal(owner.isNew, true, one)
      assert.match(owner.id, /^anon_/)
      assert.notEqual(owner.id, 'anon_1')
      assert.equal(ownerOf({ headers: { 'x-owner-token': owner.token } }, secret).id, owner.id)
    }
    assert.notEqual(ownerOf({ headers: {} }, secret).id, ownerOf({ headers: {} }, secret).id)
  })
})

const { job } = newJob([given('in'), task('work', [0])])
const of = (more: Partial<Job>): Job => ({ ...job, ...more })

describe('a job', () => {
  test('is changed by its owner only', () => {
    requireOwner(job, { ...newOwner('anon_1', secret), isNew: false })
    assert.throws(() => requireOwner(job, newOwner('anon_2', secret)), {
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { jobId: 'job_1' },
    })
  })

  test('that is unknown, deleted or expired is not found, and of the last it says when', () => {
    assert.equal(knownJob(job, 'job_1'), job)
    for (const gone of [undefined, of({ deletedAt: moment(1) })]) {
      assert.throws(() => knownJob(gone, 'job_1'), { code: 'JOB_NOT_FOUND', details: { jobId: 'job_1' } })
    }
    assert.throws(() => knownJob(of({ status: 'expired', expiredAt: moment(9) }), 'job_1'), {
      code: 'JOB_NOT_FOUND',
      message: /expired at 2026-01-01T00:00:09/,
      details: { jobId: 'job_1', reason: 'expired', expiredAt: moment(9) },
    })
  })

  test('is looked for only under an id that can exist', () => {
    const id = newId('job')
    assert.equal(checkedJobId(id), id)
    for (const odd of ['job_1', newId('upl'), '../x', `${id}x`])
      assert.throws(() => checkedJobId(odd), { code: 'JOB_NOT_FOUND' }, odd)
  })

  test('tells when to ask again while it runs, and how long a request has waited', () => {
    assert.deepEqual(jobHeaders(of({ status: 'completed' }), undefined), {})
    assert.deepEqual(jobHeaders(of({ status: 'completed' }), 0), { 'preference-applied': 'wait=0' })
    assert.match(jobHeaders(job, undefined)['retry-after'] ?? '', /^\d+$/)
  })

  test('is read with its tasks where its view needs them', async () => {
    const whole = newJob([given('in'), task('work', [0])])
    const asked: string[] = []
    const store = {
      whole: async (id: string) => {
        asked.push(id)
        return whole
      },
    }
    const services = { jobs: { store } } as unknown as Services // as much of them as is looked at
    assert.deepEqual((await viewedState(job, services)).tasks, [])
    assert.deepEqual(asked, [])
    assert.equal(await viewedState(of({ status: 'failed' }), services), whole)
    assert.deepEqual(asked, ['job_1'])
  })
})
