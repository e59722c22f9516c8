import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listAuditEntries } from '../../lib/access/audit.ts'
import { getWindowEnd } from '../../lib/access/rate-limit-windows.ts'
import { getOwnedCountsKey } from '../../lib/aws/owned-records.ts'
import { newId } from '../../lib/ids.ts'
import { defaultPlans } from '../../lib/plans.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount, newAdminKey, newKey, newManagerKey } from '../support/account.ts'
import { tasks } from './support/account-replies.ts'

/** Tests the replies about accounts, API keys and permissions. */

let app: EmbeddedApp

before(async () => {
  app = await openApp()
})

after(() => app.close())

/** Creates an account and returns the header with its key. */
async function createAccount(plan = 'free') {
  const owner = await newAccount(app.services, { plan })
  const headers = { 'x-api-key': await newManagerKey(app.services, owner) }
  const send = async (method: string, path: string, body?: unknown, of = app) => {
    const { status, json, headers: replyHeaders } = await of.send(method, path, { headers, body })
    return { status, data: json?.data, error: json?.error, headers: replyHeaders }
  }
  return { owner, send }
}

describe('replies of the account endpoints', () => {
  test('GET /v1/account returns the account and its limits', async () => {
    const { owner, send } = await createAccount('starter')
    const { data } = await send('GET', '/v1/account')
    assert.deepEqual(Object.keys(data).sort(), [
      ...['createdAt', 'email', 'emailVerified', 'id', 'limits', 'name', 'plan', 'region', 'retentionHours'],
      'role',
    ])
    assert.deepEqual([data.id, data.plan, data.region, data.retentionHours], [owner, 'starter', 'eu', 24])
    assert.deepEqual(data.limits, { maxFileSize: 2_000_000_000, filesPerJob: 20, concurrentJobs: 5 })
    const { config } = app.services
    const smallApp = app.with({ config: { ...config, MAX_FILE_MB: 1 } })
    const { limits } = (await send('GET', '/v1/account', undefined, smallApp)).data
    assert.equal(limits.maxFileSize, 1024 ** 2, 'the limit of the service applies')
  })

  test('GET /v1/account/quota returns the remaining quota and the running jobs', async () => {
    const { send } = await createAccount()
    const { data: job } = await send('POST', '/v1/jobs', { tasks })
    await send('POST', '/v1/jobs', { tasks })
    await app.services.jobs.store.changeJob(job.id, { set: { status: 'processing' } })
    const { data } = await send('GET', '/v1/account/quota')
    const month = new Date(getWindowEnd('month', Date.now())).toISOString()
    assert.deepEqual(
      data.quotas.map(({ resetsAt: _, ...rest }: { resetsAt: string }) => rest),
      [
        { name: 'requests', window: 'minute', limit: 60, used: 3, remaining: 57 },
        { name: 'requests', window: 'day', limit: 50, used: 2, remaining: 48 },
        { name: 'conversion-minutes', window: 'month', limit: null, used: 0, remaining: null },
      ],
    )
    assert.equal(data.quotas[2].resetsAt, month)
    assert.ok(Date.parse(data.quotas[0].resetsAt) - Date.now() < 60_000)
    assert.deepEqual([data.plan, data.maxFileSize, data.filesPerJob], ['free', 500_000_000, 5])
    assert.deepEqual(data.concurrentJobs, { limit: 2, running: 1, queued: 1 })
    await app.services.jobs.cancel(job.id, 'user')
    const { plans } = app.services
    const free = { ...plans.free, requestsPerDay: 2, readsPerMinute: 9, conversionMinutesPerMonth: 7 }
    const appWithOtherPlans = app.with({ plans: { ...plans, free } })
    const { quotas, concurrentJobs } = (await send('GET', '/v1/account/quota', undefined, appWithOtherPlans))
      .data
    assert.deepEqual(concurrentJobs, { limit: 2, running: 0, queued: 1 })
    assert.deepEqual(
      quotas.map(({ name, window, remaining }: Record<string, unknown>) => [name, window, remaining]),
      [
        ['requests', 'minute', 57],
        ['requests', 'day', 0],
        ['reads', 'minute', 8],
        ['conversion-minutes', 'month', 7],
      ],
    )
  })

  test('GET /v1/plans returns the plans with the limits of the service', async () => {
    const { plans, anonymous } = (await app.send('GET', '/v1/plans')).json.data
    assert.equal(anonymous, 'self-hosted')
    assert.deepEqual(
      plans.map(({ id }: { id: string }) => id),
      Object.keys(defaultPlans),
    )
    const [, free] = plans
    const { maxFileBytes, ...rest } = defaultPlans.free
    assert.deepEqual(free, { id: 'free', ...rest, maxFileSize: maxFileBytes })
    const ownPlan = plans.at(-1)
    assert.deepEqual([ownPlan.retentionHours, ownPlan.maxFileSize], [24, 10_240 * 1024 ** 2])
  })
})

describe('replies of the API key endpoints', () => {
  test('the reply to a new API key contains the scopes of its kind and a Location header', async () => {
    const { send } = await createAccount()
    const createdReply = await send('POST', '/v1/api-keys', { name: 'One' })
    assert.equal(createdReply.status, 201)
    assert.equal(createdReply.headers['location'], `/v1/api-keys/${createdReply.data.id}`)
    assert.deepEqual(createdReply.data.scopes, [
      'CONVERT_READ',
      'CONVERT_WRITE',
      'WEBHOOKS_MANAGE',
      'ACCOUNT_READ',
    ])
    assert.equal(createdReply.data.kind, 'secret')
    const { key: _, ...shown } = createdReply.data
    const secondKey = (await send('POST', '/v1/api-keys', { name: 'Two', access: 'read-only' })).data
    const { keys } = (await send('GET', '/v1/api-keys')).data
    assert.deepEqual([keys[0].id, keys[1], keys.length], [secondKey.id, shown, 3])
    for (const id of ['key_1', 'x', newId('key')]) {
      const { status, error } = await send('GET', `/v1/api-keys/${id}`)
      assert.deepEqual([status, error.code, error.details.keyId], [404, 'API_KEY_NOT_FOUND', id])
    }
  })

  test('an account with 50 API keys can neither create nor rotate a key', async () => {
    const { owner, send } = await createAccount()
    const { id } = (await send('POST', '/v1/api-keys', { name: 'One' })).data
    await app.services.table.update(getOwnedCountsKey(owner), { set: { KEY: 50 } })
    for (const [path, body] of [
      ['', { name: 'Two' }],
      [`/${id}/rotate`, undefined],
    ] as const) {
      const { status, error } = await send('POST', `/v1/api-keys${path}`, body)
      assert.deepEqual(
        [status, error.code, error.details],
        [400, 'INVALID_INPUT', { field: 'keys', max: 50 }],
      )
    }
  })

  test('changing a public key cannot give it other scopes or remove its origins', async () => {
    const { send } = await createAccount()
    const page = ['https://www.example.com']
    const input = { name: 'Page', kind: 'public', allowedOrigins: page, access: 'convert-only' }
    const { id } = (await send('POST', '/v1/api-keys', input)).data
    for (const [change, field] of [
      [{ allowedOrigins: null }, 'allowedOrigins'],
      [{ scopes: ['ACCOUNT_READ'] }, 'scopes'],
      [{ access: 'full' }, 'scopes'],
    ] as const)
      assert.equal((await send('PATCH', `/v1/api-keys/${id}`, change)).error.details.field, field)
    const { data } = await send('PATCH', `/v1/api-keys/${id}`, { name: 'Other' })
    assert.deepEqual([data.name, data.allowedOrigins, data.scopes.length], ['Other', page, 2])
  })

  test('creating, changing, rotating and revoking an API key is audited', async () => {
    const { owner, send } = await createAccount()
    const { id } = (await send('POST', '/v1/api-keys', { name: 'One', scopes: ['CONVERT_READ'] })).data
    await send('PATCH', `/v1/api-keys/${id}`, { name: 'Two' })
    await send('POST', `/v1/api-keys/${id}/rotate`)
    await send('DELETE', `/v1/api-keys/${id}`)
    const { entries } = await listAuditEntries(app.services.table, { limit: 100 })
    const ownEntries = entries.filter(({ subject }) => subject === id)
    assert.deepEqual(
      ownEntries.map(({ action, after: is }) => [action, is]),
      [
        ['key.revoke', null],
        ['key.rotate', 'Two (CONVERT_READ)'],
        ['key.change', 'Two (CONVERT_READ)'],
        ['key.create', 'One (CONVERT_READ)'],
      ],
    )
    for (const { actor, ip } of ownEntries) assert.deepEqual([actor, ip], [owner, '192.0.2.1'])
  })
})

describe('replies of the OAuth client endpoints', () => {
  test('a new OAuth client has all scopes by default, and the reply has a Location header', async () => {
    const { send } = await createAccount()
    const { status, data, headers } = await send('POST', '/v1/oauth/clients', { name: 'Nightly' })
    assert.deepEqual([status, headers['location']], [201, `/v1/oauth/clients/${data.clientId}`])
    assert.deepEqual([data.id, data.scopes.length], [data.clientId, 4])
    assert.equal(data.last4, data.clientSecret.slice(-4))
    for (const wrongInput of [{ name: '' }, { name: 'a', scopes: [] }, { name: 'x'.repeat(201) }])
      assert.equal((await send('POST', '/v1/oauth/clients', wrongInput)).status, 400)
    const missingClient = await send('DELETE', '/v1/oauth/clients/client_1')
    assert.deepEqual([missingClient.status, missingClient.error.code], [404, 'API_KEY_NOT_FOUND'])
  })

  test('GET /.well-known/oauth-authorization-server returns the URLs of the OAuth endpoints', async () => {
    const { json, headers } = await app.send('GET', '/.well-known/oauth-authorization-server')
    assert.equal(headers['cache-control'], 'public, max-age=300')
    const createUrl = (path: string) => `http://localhost:8080${path}`
    const methods = ['client_secret_basic', 'client_secret_post']
    assert.deepEqual(json, {
      issuer: createUrl(''),
      token_endpoint: createUrl('/v1/oauth/token'),
      revocation_endpoint: createUrl('/v1/oauth/revoke'),
      introspection_endpoint: createUrl('/v1/oauth/introspect'),
      service_documentation: createUrl('/docs'),
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: ['CONVERT_READ', 'CONVERT_WRITE', 'WEBHOOKS_MANAGE', 'ACCOUNT_READ'],
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_methods_supported: methods,
    })
  })
})

describe('replies of the admin endpoints', () => {
  test('an administrator can change their own plan, but not their own role or status', async () => {
    const { table } = app.services
    const owner = await newAccount(app.services, { role: 'ADMIN' })
    const key = await newKey(app.services, owner, { scopes: ['ADMIN'] })
    const change = async (body: object, id = owner) =>
      (await app.send('PATCH', `/v1/admin/users/${id}`, { headers: { 'x-api-key': key }, body })).status
    assert.deepEqual(
      [await change({ role: 'USER' }), await change({ status: 'suspended' }), await change({ plan: 'free' })],
      [409, 409, 200],
    )
    assert.deepEqual(
      [await change({ plan: 'free' }, 'acc_1'), await change({ plan: 'free' }, newId('acc'))],
      [404, 404],
    )
    assert.equal((await table.get({ pk: `ACCOUNT#${owner}`, sk: 'ACCOUNT' }))?.['plan'], 'free')
  })

  test('the plan name enterprise is accepted as an alias of business', async () => {
    const headers = { 'x-api-key': await newAdminKey(app.services) }
    const id = await newAccount(app.services)
    const { json } = await app.send('PATCH', `/v1/admin/users/${id}`, {
      headers,
      body: { plan: 'enterprise' },
    })
    assert.deepEqual([json.success, json.data.plan], [true, 'business'])
    const listedReply = await app.send('GET', '/v1/admin/users', { headers, query: { plan: 'enterprise' } })
    assert.ok(listedReply.json.data.users.some((user: { id: string }) => user.id === id))
    const wrongPlanReply = await app.send('PATCH', `/v1/admin/users/${id}`, {
      headers,
      body: { plan: 'gold' },
    })
    assert.deepEqual([wrongPlanReply.status, wrongPlanReply.json.error.details.field], [400, 'plan'])
  })

  test('the admin endpoints return 404 for an unknown account or session', async () => {
    const headers = { 'x-api-key': await newAdminKey(app.services) }
    for (const path of [`users/${newId('acc')}`, `users/${newId('acc')}/sessions`])
      assert.equal((await app.send('GET', `/v1/admin/${path}`, { headers })).status, 404, path)
    for (const id of ['ses_1', newId('ses')])
      assert.equal((await app.send('DELETE', `/v1/admin/sessions/${id}`, { headers })).status, 404, id)
  })
})

test('the reply of GET /v1/reliability is cached for a minute, but an error is not', async () => {
  let requestCount = 0
  let isTableDown = true
  const table = new Proxy(app.services.table, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target)
      if (name !== 'partition') return value
      return (...givenArgs: [string]) => {
        requestCount++
        return isTableDown ? Promise.reject(new Error('it does not answer')) : target.partition(...givenArgs)
      }
    },
  })
  const countingApp = app.with({ table })
  const ask = () => countingApp.send('GET', '/v1/reliability')
  assert.equal((await ask()).status, 500)
  isTableDown = false
  const firstReply = await ask()
  assert.deepEqual([firstReply.status, firstReply.headers['cache-control']], [200, 'public, max-age=60'])
  const { window, ...rest } = firstReply.json.data
  assert.deepEqual(rest, { successRate: null, durationMs: { p50: null, p95: null } })
  assert.equal(window.days, 30)
  const requestsBefore = requestCount
  assert.deepEqual((await ask()).json.data, firstReply.json.data)
  assert.equal(requestCount, requestsBefore)
})
