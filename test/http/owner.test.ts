import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAnonymousPrincipal, signOwnerToken } from '../../lib/access/anonymous.ts'
import {
  canRead,
  createJobHeaders,
  loadViewState,
  requireJobId,
  requireOwner,
  requireVisibleJob,
} from '../../lib/access/job-access.ts'
import type { JobReader } from '../../lib/accounts/visible-to-key.ts'
import { newId } from '../../lib/ids.ts'
import type { Job } from '../../lib/model/job.ts'
import { getSubnet } from '../../lib/net/ip-networks.ts'
import type { Services } from '../../lib/services/services.ts'
import { createStoredImport, newJob, newTask, timestamp } from '../jobs/records.ts'

const secret = Buffer.from('a secret of this test')
const services = { keys: { owner: secret }, config: { ANONYMOUS_PLAN: 'self-hosted' } } as const
const token = signOwnerToken('anon_1', secret)
const createCookies = (value: string) => ['theme=dark', `mutabor_owner=${value}`]
const getPrincipal = (headers: Record<string, string | undefined>, cookies?: string[]) =>
  createAnonymousPrincipal({ headers, cookies, method: 'GET', sourceIp: '192.0.2.1' }, services)

describe('identities of anonymous clients', () => {
  test('an anonymous identity is recognized by its token in a header or cookie', () => {
    const otherToken = signOwnerToken('anon_2', secret)
    for (const knownOwner of [
      getPrincipal({ 'x-owner-token': token }),
      getPrincipal({ authorization: `bearer ${token}` }),
      getPrincipal({}, createCookies(token)),
      getPrincipal({ 'x-owner-token': token }, createCookies(otherToken)),
      getPrincipal({ 'x-owner-token': '' }, createCookies(token)),
    ]) {
      assert.equal(knownOwner.ownerId, 'anon_1')
      assert.equal(knownOwner.isNew, undefined)
    }
  })

  test('a request without a valid identity gets a new one, but a forged token in a header is rejected', () => {
    const [id, signature = ''] = token.split('.')
    const changedFirstCharacter = signature.startsWith('A') ? 'B' : 'A'
    const forgedTokens = [
      `anon_2.${signature}`,
      `${id}.${changedFirstCharacter}${signature.slice(1)}`,
      `${id}.${signature.slice(1)}`,
      `${id}.`,
      `.${signature}`,
      `${id}`,
      signOwnerToken('anon_1', Buffer.from('another secret')),
    ]
    for (const one of [undefined, '', ...forgedTokens]) {
      const { ownerId, isNew } = getPrincipal({}, createCookies(one ?? ''))
      assert.equal(isNew, true, one)
      assert.match(ownerId, /^anon_/)
      assert.notEqual(ownerId, 'anon_1')
      if (!one) continue
      assert.throws(() => getPrincipal({ authorization: `Bearer ${one}` }), { code: 'INVALID_API_KEY' })
      // A forged header is refused even with a valid cookie: the client would act as another identity than it expects.
      assert.throws(() => getPrincipal({ 'x-owner-token': one }, createCookies(token)), {
        code: 'INVALID_API_KEY',
        details: { reason: 'unknown', field: 'X-Owner-Token' },
      })
    }
    assert.notEqual(getPrincipal({}).ownerId, getPrincipal({}).ownerId)
  })

  test('the rate limiter counts anonymous clients by IPv4 address or IPv6 /64 network', () => {
    const readLimiterKey = (sourceIp: string) =>
      createAnonymousPrincipal({ headers: {}, method: 'GET', sourceIp }, services)
    assert.equal(readLimiterKey('192.0.2.7').limiterKey, 'ip:192.0.2.7')
    assert.equal(readLimiterKey('::ffff:192.0.2.7').limiterKey, 'ip:192.0.2.7')
    assert.equal(
      readLimiterKey('2001:db8:0:1:2::3').limiterKey,
      readLimiterKey('2001:db8:0:1:ffff::4').limiterKey,
    )
    assert.notEqual(
      readLimiterKey('2001:db8:0:1::1').limiterKey,
      readLimiterKey('2001:db8:0:2::1').limiterKey,
    )
  })
})

test('the subnet of an IP address is its IPv4 /24 or IPv6 /64 network', () => {
  assert.equal(getSubnet('192.0.2.7'), '192.0.2.0/24')
  assert.equal(getSubnet('::ffff:192.0.2.7'), '192.0.2.0/24')
  assert.equal(getSubnet('2001:db8:0:1:2::3'), '2001:db8:0:1::/64')
  assert.equal(getSubnet('unknown'), null)
})

const { job } = newJob([createStoredImport('in'), newTask('work', [0])])
const createJobWith = (overrides: Partial<Job>): Job => ({ ...job, ...overrides })
const otherOwner = { ownerId: newId('anon') }

describe('access to jobs by owner', () => {
  test('only the owner of a job can change it', () => {
    requireOwner(job, getPrincipal({ 'x-owner-token': token }))
    assert.throws(() => requireOwner(job, getPrincipal({})), {
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { jobId: 'job_1' },
    })
  })

  test('an unknown, deleted or expired job leads to JOB_NOT_FOUND, and the error for an expired job contains expiredAt', () => {
    assert.equal(requireVisibleJob(job, 'job_1', otherOwner), job)
    for (const goneJob of [undefined, createJobWith({ deletedAt: timestamp(1) })]) {
      assert.throws(() => requireVisibleJob(goneJob, 'job_1', otherOwner), {
        code: 'JOB_NOT_FOUND',
        details: { jobId: 'job_1' },
      })
    }
    assert.throws(
      () =>
        requireVisibleJob(createJobWith({ status: 'expired', expiredAt: timestamp(9) }), 'job_1', otherOwner),
      {
        code: 'JOB_NOT_FOUND',
        message: /expired at 2026-01-01T00:00:09/,
        details: { jobId: 'job_1', reason: 'expired', expiredAt: timestamp(9) },
      },
    )
  })

  test('a job of an account is only visible to that account', () => {
    const account = newId('acc')
    const accountJob = createJobWith({ owner: account })
    assert.equal(requireVisibleJob(accountJob, 'job_1', { ownerId: account }), accountJob)
    for (const reader of [otherOwner, { ownerId: newId('acc') }])
      assert.throws(() => requireVisibleJob(accountJob, 'job_1', reader), { code: 'JOB_NOT_FOUND' })
    assert.throws(() => requireOwner(accountJob, getPrincipal({})), { code: 'JOB_NOT_FOUND' })
  })

  test('a public API key can read only jobs that were created with it or with the API keys it replaced', () => {
    const account = newId('acc')
    const createdJob = createJobWith({ owner: account, keyId: 'key_2' })
    const findVisibleJob = (keyId: string, overrides: Partial<JobReader> = {}) =>
      canRead(createdJob, { ownerId: account, keyId, isPublic: true, ...overrides })
    assert.deepEqual(
      [
        findVisibleJob('key_2'),
        findVisibleJob('key_3'),
        findVisibleJob('key_3', { earlierKeyIds: ['key_1', 'key_2'] }),
      ],
      [true, false, true],
    )
    assert.equal(
      canRead(createdJob, { ownerId: account, keyId: 'key_3' }),
      true,
      'a secret key sees all jobs',
    )
    const { keyId: _, ...session } = createdJob
    assert.equal(canRead(session, { ownerId: account, keyId: 'key_2', isPublic: true }), false)
    assert.equal(findVisibleJob('key_2', { ownerId: newId('acc') }), false)
  })

  test('a malformed job id fails with JOB_NOT_FOUND', () => {
    const id = newId('job')
    assert.equal(requireJobId(id), id)
    for (const odd of ['job_1', newId('upl'), '../x', `${id}x`])
      assert.throws(() => requireJobId(odd), { code: 'JOB_NOT_FOUND' }, odd)
  })

  test('the error for an empty job id shows that it is empty', () => {
    for (const emptyId of ['', '  '])
      assert.throws(() => requireJobId(emptyId), { message: /^There is no job "" \(the id is empty\);/ })
  })

  test('the error for a malformed job id escapes control characters and shows at most 64 characters of the id', () => {
    assert.throws(() => requireJobId('job_1'), { message: /^There is no job job_1;/ })
    assert.throws(() => requireJobId('a\0b'), { message: /^There is no job "a\\u0000b";/ })
    assert.throws(() => requireJobId('x'.repeat(500)), { message: /^There is no job x{64};/ })
  })

  test('the reply about a running job has Retry-After, and the reply to a request that waited has Preference-Applied', () => {
    assert.deepEqual(createJobHeaders(createJobWith({ status: 'completed' }), undefined), {})
    assert.deepEqual(createJobHeaders(createJobWith({ status: 'completed' }), 0), {
      'preference-applied': 'wait=0',
    })
    assert.match(createJobHeaders(job, undefined)['retry-after'] ?? '', /^\d+$/)
  })

  test('a job is loaded with its tasks only if its view needs them', async () => {
    const wholeJob = newJob([createStoredImport('in'), newTask('work', [0])])
    const loadedIds: string[] = []
    const store = {
      getState: async (id: string) => {
        loadedIds.push(id)
        return wholeJob
      },
    }
    const services = { jobs: { store } } as unknown as Services // a stub with only the members that are used
    assert.deepEqual((await loadViewState(job, services)).tasks, [])
    assert.deepEqual(loadedIds, [])
    assert.equal(await loadViewState(createJobWith({ status: 'failed' }), services), wholeJob)
    assert.deepEqual(loadedIds, ['job_1'])
  })
})
