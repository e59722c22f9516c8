import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAuthApi } from '../../functions/auth.ts'
import { api } from '../../functions/routes/index.ts'
import { authEndpoints } from '../../lib/access/auth/endpoints/index.ts'
import { createOpenApiDocument } from '../../lib/http/openapi/openapi.ts'
import { defaultPlans } from '../../lib/plans.ts'
import { openBrowser } from '../access/test-browser.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'

/** What every endpoint does in the same way: codes, headers and warnings about the request itself. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

describe('error codes', () => {
  test('a missing required field fails with INVALID_REQUEST', async () => {
    for (const [path, body, field] of [
      ['/v1/webhooks', {}, 'url'],
      ['/v1/jobs', {}, 'tasks'],
      ['/v1/jobs', { tasks: { a: { operation: 'import/url' } } }, 'tasks.a.url'],
      ['/v1/jobs', { tasks: { a: {} } }, 'tasks.a.operation'],
      ['/v1/import/url', {}, 'url'],
      ['/v1/convert/check', { from: 'png' }, 'targetFormat'],
      ['/v1/workflows', { name: 'a' }, 'cron'],
    ] as const) {
      const { status, json } = await app.send('POST', path, { body })
      assert.deepEqual(
        [status, json.error.code, json.error.details.field],
        [400, 'INVALID_REQUEST', field],
        path,
      )
      const [firstError] = json.error.details.errors ?? []
      if (firstError) assert.equal(firstError.field, field, path)
    }
  })

  test('a request body of an unsupported type fails with 415', async () => {
    const { status, json } = await app.send('POST', '/v1/jobs', {
      body: '<tasks/>',
      headers: { 'content-type': 'text/xml' },
    })
    assert.deepEqual([status, json.error.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
    assert.deepEqual(json.error.details.expected, ['application/json'])
  })
})

describe('unknown query parameters', () => {
  const getWarnings = async (path: string, query: Record<string, string>) => {
    const { status, json } = await app.send('GET', path, { query })
    assert.equal(status, 200)
    return json.meta.warnings
  }

  test('unknown query parameters are ignored and listed in a warning with a suggestion', async () => {
    const [warning, ...otherWarnings] = await getWarnings('/v1/formats', { categroy: 'image', q: 'png' })
    assert.deepEqual(otherWarnings, [])
    assert.deepEqual([warning.code, warning.field], ['UNKNOWN_PARAMETER', 'categroy'])
    assert.match(warning.message, /Did you mean category\?$/)
    // The warning is also in replies that are cached, and in replies of endpoints without parameters.
    assert.match((await getWarnings('/v1/formats', { page: '2' }))[0].message, /it has category, /)
    assert.match((await getWarnings('/v1/formats/png', { page: '2' }))[0].message, /it has none\.$/)
  })

  test('a request without unknown query parameters gets no warnings, and one with a hundred gets at most 20', async () => {
    assert.equal(await getWarnings('/v1/formats', { q: 'png' }), undefined)
    const names = Array.from({ length: 100 }, (_, index) => [`${'x'.repeat(90)}${index}`, ''])
    const warnings = await getWarnings('/v1/formats', Object.fromEntries(names))
    assert.equal(warnings.length, 20)
    assert.equal(warnings[0].field.length, 64)
  })
})

describe('rate limit headers', () => {
  const createLimitedApp = () =>
    app.with({ plans: { ...app.services.plans, 'self-hosted': { ...defaultPlans.anonymous } } })

  test('replies have rate-limit headers, including errors and replies to requests that are not counted', async () => {
    const limitedApp = createLimitedApp()
    for (const [path, status] of [
      ['/health', 200],
      ['/v1/plans', 200],
      ['/v1/openapi.json', 200],
      ['/v1/nothing', 404],
      ['/v1/formats', 200],
    ] as const) {
      const reply = await limitedApp.send('GET', path, { address: '203.0.113.7' })
      assert.equal(reply.status, status, path)
      assert.equal(reply.headers['x-ratelimit-limit'], '60', path)
      assert.match(reply.headers['ratelimit'] ?? '', /^"reads";r=\d+;t=\d+$/, path)
    }
    // Only the last of these requests counted.
    const { headers } = await limitedApp.send('GET', '/v1/plans', { address: '203.0.113.7' })
    assert.equal(headers['x-ratelimit-remaining'], '59')
  })

  test('replies of the sign-in API, including errors, have rate-limit headers', async () => {
    const limitedApp = createLimitedApp()
    const { send } = openBrowser(limitedApp, createAuthApi(limitedApp.services))
    for (const [method, path, status] of [
      ['GET', '/v1/auth/get-session', 200],
      ['GET', '/v1/auth/list-sessions', 401],
      ['POST', '/v1/auth/sign-in/email', 400],
      ['GET', '/v1/auth/nothing', 404],
    ] as const) {
      const reply = await send(method, path, method === 'POST' ? {} : undefined)
      assert.equal(reply.status, status, path)
      assert.equal(reply.headers['x-ratelimit-limit'], '60', path)
      assert.match(reply.headers['ratelimit'] ?? '', /^"reads";r=60;t=\d+$/, path)
    }
    const { paths } = createOpenApiDocument(api, { version: '1', url: '/', authEndpoints })
    for (const { path, method } of authEndpoints) {
      const pathItem = JSON.parse(JSON.stringify(paths?.[`/v1/auth${path.replace(/:(\w+)/g, '{$1}')}`]))
      const { responses } = pathItem[method.toLowerCase()]
      for (const [code, { headers }] of Object.entries<{ headers: object }>(responses))
        assert.ok('x-ratelimit-limit' in headers && 'ratelimit-policy' in headers, `${path} ${code}`)
    }
  })

  test('replies have no rate-limit headers if the plan has no limits', async () => {
    const { headers } = await app.send('GET', '/v1/plans')
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.includes('ratelimit')),
      [],
    )
  })
})
