import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compatContracts } from '../../functions/compat-v2/contracts.ts'
import { routes } from '../../functions/routes/index.ts'
import { ApiKeys } from '../../lib/access/api-keys.ts'
import { createRateLimitHeaders } from '../../lib/access/rate-limit-windows.ts'
import { countRequest } from '../../lib/access/rate-limiter.ts'
import type { Principal } from '../../lib/model/principal.ts'
import { getClientIp } from '../../lib/net/client-ip.ts'
import { type Plan, type PlanId, planIds } from '../../lib/plans.ts'
import { after, before } from '../hooks.ts'
import { changeAccount, newAccount, newKey } from '../support/account.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'

let app: EmbeddedApp

before(async () => {
  app = await openApp()
})

after(() => app.close())

/** Returns an app in which anonymous clients have this plan, with some of its limits changed. */
function createAppWithPlan(plan: PlanId, limits: Partial<Plan> = {}): EmbeddedApp {
  const { config, plans } = app.services
  const changedPlans = Object.fromEntries(planIds.map((id) => [id, { ...plans[id], ...limits }]))
  return app.with({
    config: { ...config, ANONYMOUS_PLAN: plan },
    plans: changedPlans as typeof plans, // has the same keys
  })
}

let principalCount = 0

const createPrincipal = (moreFields: Partial<Principal> = {}): Principal => ({
  ownerId: `acc_${++principalCount}`,
  kind: 'key',
  plan: 'free',
  role: 'USER',
  scopes: new Set(),
  limiterKey: `key:${principalCount}`,
  ...moreFields,
})

test('creating more API keys for an account does not raise its daily limit', async () => {
  const { services } = createAppWithPlan('free', { requestsPerDay: 2 })
  const isRequestAllowed = async (limiterKey: string) =>
    (await countRequest(services, createPrincipal({ ownerId: 'acc_shared', limiterKey }), 'work')).isAllowed
  assert.deepEqual(
    [await isRequestAllowed('key:a'), await isRequestAllowed('key:b'), await isRequestAllowed('key:c')],
    [true, true, false],
  )
})

test('the daily and monthly limits count only requests that create work', async () => {
  const workRoutes = [...routes, ...compatContracts].filter(({ createsWork }) => createsWork)
  const nativePaths = workRoutes.map(({ path }) => path).filter((path) => !path.startsWith('/v2/'))
  assert.deepEqual(nativePaths.sort(), [
    '/v1/cloud/:drive/export',
    '/v1/cloud/:drive/import',
    '/v1/convert',
    '/v1/convert/batch',
    '/v1/convert/merge',
    '/v1/import/url',
    '/v1/jobs',
    '/v1/jobs/:jobId/retry',
    '/v1/workflows/:workflowId/run',
  ])
  const compatPaths = workRoutes.map(({ path }) => path).filter((path) => path.startsWith('/v2/'))
  for (const path of ['/v2/jobs', '/v2/tasks/:taskId/retry', '/v2/convert'])
    assert.ok(compatPaths.includes(path), path)
  const headers = { 'x-api-key': await newKey(app.services, await newAccount(app.services)) }
  for (const limits of [{ requestsPerDay: 0 }, { requestsPerMonth: 0 }]) {
    const fullApp = createAppWithPlan('anonymous', limits)
    const getStatus = async (path: string, body?: unknown) =>
      (await fullApp.send('POST', path, { headers, body })).status
    for (const { path, method } of workRoutes) {
      assert.equal(method, 'POST', path)
      if (path.startsWith('/v1/')) assert.equal(await getStatus(path.replace(/:\w+/, 'x'), {}), 429, path)
    }
    for (const [path, body] of [
      ['/v1/uploads/presign', { filename: 'a.png', contentType: 'image/png', size: 1 }],
      ['/v1/ws/tickets', undefined],
      ['/v1/webhooks', { url: 'https://example.com/', events: ['job.completed'] }],
    ] as const)
      assert.equal(await getStatus(path, body), 201, path)
  }
})

test('rate limits count anonymous clients by IP address, and reads separately from writes', async () => {
  const open = createAppWithPlan('anonymous')
  const ask = (method: string, address: string) =>
    open.send(method, method === 'GET' ? '/v1/formats/png' : '/v1/ws/tickets', { address })
  const firstReply = await ask('POST', '198.51.100.1')
  assert.equal(firstReply.status, 201, firstReply.text)
  assert.equal(firstReply.headers['x-ratelimit-limit'], '5')
  assert.equal(firstReply.headers['x-ratelimit-remaining'], '4')
  assert.equal(firstReply.headers['ratelimit-policy'], '"minute";q=5;w=60, "hour";q=30;w=3600')
  assert.match(firstReply.headers['ratelimit'] ?? '', /^"minute";r=4;t=60$/)
  for (let requestsLeft = 4; requestsLeft > 0; requestsLeft--)
    assert.equal((await ask('POST', '198.51.100.1')).status, 201)
  const refusedReply = await ask('POST', '198.51.100.1')
  assert.equal(refusedReply.status, 429)
  const { code, details } = refusedReply.json.error
  assert.equal(code, 'RATE_LIMITED')
  assert.equal(refusedReply.headers['retry-after'], String(details.retryAfter))
  assert.equal(refusedReply.headers['x-ratelimit-remaining'], '0')
  assert.ok(Math.abs(Number(refusedReply.headers['x-ratelimit-reset']) - Date.now() / 1000 - 60) < 10)
  assert.deepEqual([details.limit, details.window, details.scope], [5, 'minute', 'ip'])
  const read = await ask('GET', '198.51.100.1')
  assert.deepEqual([read.status, read.headers['x-ratelimit-limit']], [200, '60'])
  assert.equal((await ask('POST', '198.51.100.2')).status, 201)
  // Endpoints that describe the service are never limited.
  assert.equal((await open.send('GET', '/v1/plans', { address: '198.51.100.1' })).status, 200)
})

test('an API key uses the plan of its account, not the anonymous plan', async () => {
  const open = createAppWithPlan('anonymous', { readsPerMinute: 1 })
  const headers = { 'x-api-key': await newKey(app.services, await newAccount(app.services)) }
  const reply = await open.send('GET', '/v1/formats/png', { headers })
  assert.equal(reply.status, 200, reply.text)
  const businessAccount = await newAccount(app.services, { plan: 'business' })
  const otherHeaders = { 'x-api-key': await newKey(app.services, businessAccount) }
  const createdReply = await createAppWithPlan('anonymous').send('POST', '/v1/jobs', {
    headers: otherHeaders,
    body: {},
  })
  assert.match(createdReply.headers['ratelimit-policy'] ?? '', /"day";q=20000/)
})

test('the body of a request that is unauthenticated or over the rate limit is not read', async () => {
  const open = createAppWithPlan('anonymous', { requestsPerMinute: 0 })
  const body = { tasks: {} }
  for (const [status, path, headers] of [
    [401, '/v1/webhooks', {}],
    [401, '/v1/jobs', { 'x-api-key': 'sk_wrong' }],
    [429, '/v1/jobs', {}],
  ] as const) {
    // The error would be about the body if it were read.
    const reply = await open.send('POST', path, { body, headers: { ...headers, 'content-type': 'x/y' } })
    assert.equal(reply.status, status, reply.text)
  }
})

test('a self-hosted service does not count requests and sends no rate-limit headers', async () => {
  const calls: unknown[] = []
  const table = new Proxy(app.services.table, {
    get: (target, name) => {
      calls.push(name)
      return Reflect.get(target, name, target)
    },
  })
  const reply = await app.with({ table }).send('GET', '/v1/formats/png')
  assert.equal(reply.status, 200)
  assert.deepEqual(calls, [])
  assert.equal(reply.headers['x-ratelimit-limit'], undefined)
  assert.deepEqual(createRateLimitHeaders([], 0), {})
})

test('requests with a cached API key look up nothing, and only some of them write to the table', async () => {
  const calls: unknown[] = []
  const table = new Proxy(app.services.table, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...givenArgs: unknown[]) => {
        calls.push(name)
        return value.apply(target, givenArgs)
      }
    },
  })
  const countedApp = app.with({ table })
  const owner = await newAccount(app.services)
  const text = await newKey(app.services, owner)
  const sendAndListTableCalls = async () => {
    calls.length = 0
    const { status } = await countedApp.send('GET', '/v1/formats/png', { headers: { 'x-api-key': text } })
    assert.equal(status, 200)
    return [...calls]
  }
  assert.deepEqual(
    (await sendAndListTableCalls()).slice(0, 2),
    ['get', 'get'],
    'the owner of the key is not cached yet',
  )
  await sendAndListTableCalls()
  const laterWrites: unknown[] = []
  for (let requestsLeft = 16; requestsLeft > 0; requestsLeft--)
    laterWrites.push(...(await sendAndListTableCalls()))
  assert.ok(laterWrites.length < 16 && laterWrites.every((name) => name === 'update'), laterWrites.join())
  const keys = new ApiKeys({ table })
  await keys.change((await keys.findCached(text)) ?? assert.fail(), { name: 'of another name' })
  assert.equal((await sendAndListTableCalls())[0], 'getAll')
  await changeAccount({ table: app.services.table }, owner, { status: 'suspended' })
  await keys.change((await keys.findCached(text)) ?? assert.fail(), { name: 'of the old name' })
  const refusedReply = await countedApp.send('GET', '/v1/formats/png', { headers: { 'x-api-key': text } })
  assert.equal(refusedReply.status, 403, 'the account was read together with the key')
})

test('the plan limits file size, files per job and retention', async () => {
  const open = createAppWithPlan('anonymous', {
    requestsPerMinute: null,
    requestsPerHour: null,
    requestsPerDay: null,
  })
  const limitedApp = open.with({
    plans: { ...open.services.plans, anonymous: { ...open.services.plans.anonymous, maxFileBytes: 50 } },
  })
  const createForm = (...texts: string[]) => {
    const data = new FormData()
    data.set('targetFormat', 'pdf')
    for (const text of texts) data.append('file', new Blob([text]), 'page.md')
    return data
  }
  const tooLargeReply = await limitedApp.send('POST', '/v1/convert', { body: createForm('x'.repeat(51)) })
  assert.deepEqual([tooLargeReply.status, tooLargeReply.json.error.code], [413, 'FILE_TOO_LARGE'])
  const maxSizeReply = await limitedApp.send('POST', '/v1/convert', { body: createForm('x'.repeat(50)) })
  assert.deepEqual([maxSizeReply.status, maxSizeReply.json.source.size], [202, 50], maxSizeReply.text)
  const announcedFile = { filename: 'a.png', contentType: 'image/png', size: 51 }
  for (const [path, body] of [
    ['/v1/uploads/presign', announcedFile],
    ['/v1/uploads/multipart', { filename: 'a.png', type: 'image/png', size: 51 }],
    [
      '/v1/jobs',
      {
        tasks: {
          in: { operation: 'import/raw', file: 'x'.repeat(51), filename: 'a.md' },
          pdf: { operation: 'convert', input: 'in', output_format: 'pdf' },
          out: { operation: 'export/url', input: 'pdf' },
        },
      },
    ],
  ] as const)
    assert.equal((await limitedApp.send('POST', path, { body })).status, 413, path)
  const tooManyFilesReply = await open.send('POST', '/v1/convert/batch', {
    body: createForm('# One', '# Two'),
  })
  assert.equal(tooManyFilesReply.status, 400, tooManyFilesReply.text)
  assert.deepEqual(tooManyFilesReply.json.error.details, { field: 'file', max: 1, got: 2, plan: 'anonymous' })
  const raw = { operation: 'import/raw', file: '# Hello', filename: 'a.md' }
  const tasks = {
    a: raw,
    b: raw,
    pdf: { operation: 'merge', input: ['a', 'b'], output_format: 'pdf' },
    out: { operation: 'export/url', input: 'pdf' },
  }
  const job = await open.send('POST', '/v1/jobs', { body: { tasks } })
  assert.deepEqual(job.json.error.details, { field: 'tasks', max: 1, got: 2, plan: 'anonymous' })
  const acceptedReply = await open.send('POST', '/v1/convert', { body: createForm('# Hello') })
  assert.equal(acceptedReply.status, 202, acceptedReply.text)
  const { job: storedJob } = (await app.services.jobs.store.getState(acceptedReply.json.jobId)) ?? {}
  assert.equal(storedJob?.retentionS, 3600)
})

test('X-Forwarded-For is trusted only from trusted proxies', () => {
  const requestFrom = (sourceIp: string, forwarded?: string) =>
    getClientIp({ sourceIp, headers: { 'x-forwarded-for': forwarded } }, ['10.0.0.0/8', '192.168.7.1/32'])
  assert.equal(requestFrom('192.168.7.1', '203.0.113.9, 10.7.7.7'), '203.0.113.9')
  assert.equal(requestFrom('10.0.0.1', '203.0.113.9, 10.0.0.1'), '203.0.113.9')
  assert.equal(requestFrom('10.0.0.1', '198.51.100.1, 203.0.113.9, 10.7.7.7, 10.0.0.1'), '203.0.113.9')
  assert.equal(requestFrom('203.0.113.9', '198.51.100.1, 203.0.113.9'), '203.0.113.9')
  assert.equal(requestFrom('10.0.0.1'), '10.0.0.1')
  assert.equal(requestFrom('10.0.0.1', 'nonsense'), '10.0.0.1')
  const headers = { 'x-forwarded-for': '198.51.100.1' }
  assert.equal(getClientIp({ sourceIp: '10.0.0.1', headers }), '10.0.0.1')
})
