import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createKeyText, isKeyText } from '../../lib/access/api-key-text.ts'
import { ApiKeys, type KeyInput } from '../../lib/access/api-keys.ts'
import { hashSecret } from '../../lib/access/secret-text.ts'
import { grantedScopes } from '../../lib/model/principal.ts'
import { isInNetwork } from '../../lib/net/ip-networks.ts'
import { defined } from '../../lib/validation/defined.ts'
import { after, before } from '../hooks.ts'
import { newAccount, newKey, newManagerKey } from '../support/account.ts'
import { type EmbeddedApp, openApp, type RequestOptions } from './embedded-app.ts'

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const createKey = (owner: string, input?: Partial<KeyInput>) => newKey(app.services, owner, input)

/** Creates an account with a key that may manage keys, as a signed-in user may. */
async function createManager() {
  const owner = await newAccount(app.services)
  const headers = { 'x-api-key': await newManagerKey(app.services, owner) }
  return {
    owner,
    send: (method: string, path = '', body?: unknown) =>
      app.send(method, `/v1/api-keys${path}`, { headers, ...defined({ body }) }),
  }
}

const list = (headers: RequestOptions['headers'] = {}, sent: RequestOptions = {}) =>
  app.send('GET', '/v1/jobs', { ...sent, headers })

describe('API keys over HTTP', () => {
  test('an API key has a prefix for its kind, and a change of any other character makes it invalid', () => {
    const text = createKeyText('secret')
    assert.match(text, /^sk_[0-9A-Za-z]{49}$/)
    assert.match(createKeyText('public'), /^ck_/)
    assert.ok(isKeyText(text))
    for (let at = 3; at < text.length; at++) {
      const otherCharacter = text[at] === 'a' ? 'b' : 'a'
      assert.ok(!isKeyText(text.slice(0, at) + otherCharacter + text.slice(at + 1)), `character ${at}`)
    }
  })

  test('an API key works as X-Api-Key and as a bearer token', async () => {
    const { send } = await createManager()
    const createdReply = await send('POST', '', { name: 'Reports', access: 'read-only' })
    assert.equal(createdReply.status, 201, createdReply.text)
    const { key, id, prefix, last4 } = createdReply.json.data
    assert.deepEqual([prefix, last4], [key.slice(0, 7), key.slice(-4)])
    assert.equal((await list({ 'x-api-key': key })).status, 200)
    assert.equal((await list({ authorization: `Bearer ${key}` })).status, 200)
    const shownReply = await send('GET', `/${id}`)
    assert.deepEqual(shownReply.json.data.scopes, ['CONVERT_READ', 'ACCOUNT_READ'])
    assert.ok(shownReply.json.data.lastUsedAt)
    assert.equal(shownReply.json.data.lastUsedIp, '192.0.2.1')
    assert.ok(!shownReply.text.includes(key))
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
    const { Items } = await client.send(new ScanCommand({ TableName: 'mutabor' }))
    const table = JSON.stringify(Items)
    assert.ok(table.includes(hashSecret(key)))
    assert.ok(!table.includes(key.slice(7, -4)))
  })

  test('an unknown, mistyped, expired or revoked API key is rejected with the reason', async () => {
    const { send, owner } = await createManager()
    const revokedKey = (await send('POST', '', { name: 'One' })).json.data
    assert.equal((await send('DELETE', `/${revokedKey.id}`)).status, 204)
    const expiresAt = new Date(Date.now() - 1).toISOString()
    const wrongKeys = {
      unknown: createKeyText('secret'),
      revoked: revokedKey.key,
      expired: await createKey(owner, { expiresAt }),
    }
    for (const [reason, key] of Object.entries(wrongKeys)) {
      const reply = await list({ 'x-api-key': key })
      assert.equal(reply.status, 401, reply.text)
      assert.equal(reply.json.error.code, 'INVALID_API_KEY')
      assert.equal(reply.json.error.details.reason, reason)
      assert.equal(reply.headers['www-authenticate'], 'Bearer error="invalid_token"')
    }
    for (const key of ['', 'x', `${revokedKey.key}x`, 'sk_'])
      assert.equal((await list({ 'x-api-key': key })).json.error.details.reason, 'unknown')
    assert.equal((await list({ authorization: 'Bearer whatever' })).status, 401)
    assert.equal((await send('GET', `/${revokedKey.id}`)).json.error.code, 'API_KEY_NOT_FOUND')
    assert.equal((await send('DELETE', `/${revokedKey.id}`)).status, 404)
  })

  test('after the rotation of an API key, the new key works, and the old key still works for 24 hours', async () => {
    const { send, owner } = await createManager()
    const firstKey = (await send('POST', '', { name: 'One', access: 'full' })).json.data
    const rotatedReply = await send('POST', `/${firstKey.id}/rotate`)
    assert.equal(rotatedReply.status, 200, rotatedReply.text)
    const { key, previous } = rotatedReply.json.data
    assert.equal(previous.status, 'rotating')
    assert.ok(Math.abs(Date.parse(previous.validUntil) - Date.now() - 86_400_000) < 60_000)
    for (const text of [firstKey.key, key.key]) assert.equal((await list({ 'x-api-key': text })).status, 200)
    assert.equal((await send('POST', `/${firstKey.id}/rotate`)).json.error.code, 'CONFLICT')
    const keys = new ApiKeys(app.services)
    const oldKey = await keys.find(firstKey.id)
    assert.ok(oldKey)
    const freshKey = await keys.create(owner, { name: 'late', kind: 'secret', scopes: ['CONVERT_READ'] })
    assert.ok(freshKey)
    assert.ok(await keys.rotate(freshKey.key, () => [], new Date(Date.now() - 25 * 3600 * 1000)))
    const lateReply = await list({ 'x-api-key': freshKey.text })
    assert.deepEqual([lateReply.status, lateReply.json.error.details.reason], [401, 'revoked'])
  })

  test('an API key permits only what its scopes allow, and no granted scope allows listing API keys', async () => {
    const owner = await newAccount(app.services)
    const convert = { body: { tasks: {} } }
    for (const scope of grantedScopes) {
      const headers = { 'x-api-key': await createKey(owner, { scopes: [scope] }) }
      const statuses = {
        CONVERT_READ: (await list(headers)).status,
        CONVERT_WRITE: (await app.send('POST', '/v1/jobs', { ...convert, headers })).status,
        WEBHOOKS_MANAGE: (await app.send('GET', '/v1/webhooks', { headers })).status,
      }
      for (const [name, status] of Object.entries(statuses))
        assert.equal(status === 403, name !== scope, `${name} with ${scope}: ${status}`)
      assert.equal((await app.send('GET', '/v1/api-keys', { headers })).status, 403)
    }
    const refusedReply = await list({ 'x-api-key': await createKey(owner, { scopes: ['WEBHOOKS_MANAGE'] }) })
    assert.equal(refusedReply.json.error.code, 'INSUFFICIENT_PERMISSIONS')
    assert.equal(
      refusedReply.headers['www-authenticate'],
      'Bearer error="insufficient_scope", scope="CONVERT_READ"',
    )
    assert.deepEqual(refusedReply.json.error.details, {
      required: ['CONVERT_READ'],
      granted: ['WEBHOOKS_MANAGE'],
    })
  })

  test('a public API key works only from its allowed origins, and can neither list jobs nor get more scopes', async () => {
    const { send } = await createManager()
    const page = 'https://www.example.com'
    const input = { name: 'Page', kind: 'public', allowedOrigins: [page] }
    const { key, scopes } = (await send('POST', '', input)).json.data
    assert.match(key, /^ck_/)
    assert.deepEqual(scopes, ['CONVERT_READ', 'CONVERT_WRITE'])
    const headers = { 'x-api-key': key, origin: page }
    assert.equal((await app.send('GET', '/v1/formats', { headers })).status, 200)
    assert.equal((await list(headers)).status, 403)
    for (const origin of ['https://www.example.org', 'null', `${page}.evil.org`])
      assert.equal((await app.send('GET', '/v1/formats', { headers: { ...headers, origin } })).status, 403)
    assert.equal((await app.send('GET', '/v1/formats', { headers: { 'x-api-key': key } })).status, 403)
    const unrestrictedKeyReply = await send('POST', '', { name: 'Page', kind: 'public' })
    assert.equal(unrestrictedKeyReply.json.error.details.field, 'allowedOrigins')
    const wideScopeReply = await send('POST', '', { ...input, scopes: ['WEBHOOKS_MANAGE'] })
    assert.equal(wideScopeReply.json.error.details.field, 'scopes')
    assert.match(wideScopeReply.json.error.message, /CONVERT_READ and CONVERT_WRITE/)
  })

  test('a public API key cannot access jobs of the same account that were created with another API key', async () => {
    const owner = await newAccount(app.services)
    const page = 'https://www.example.com'
    const createPublicKeyHeaders = async () => ({
      'x-api-key': await createKey(owner, {
        kind: 'public',
        allowedOrigins: [page],
        scopes: ['CONVERT_READ', 'CONVERT_WRITE'],
      }),
      origin: page,
    })
    const [one, otherKey] = [await createPublicKeyHeaders(), await createPublicKeyHeaders()]
    const secret = { 'x-api-key': await createKey(owner) }
    const make = async (headers: RequestOptions['headers'] = {}): Promise<string> => {
      const text = { operation: 'import/raw', filename: 'a.md', file: '# Hello' }
      const tasks = {
        text,
        pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
        out: { operation: 'export/url', input: 'pdf' },
      }
      const createdReply = await app.send('POST', '/v1/jobs', { headers, body: { tasks } })
      assert.equal(createdReply.status, 202, createdReply.text)
      return createdReply.json.data.id
    }
    const isJobVisible = async (id: string, headers: RequestOptions['headers'] = {}) => {
      const requests = [
        ['GET', `/v1/jobs/${id}`],
        ['GET', `/v1/status/${id}`],
        ['GET', `/v1/download/${id}`],
        ['POST', `/v1/jobs/${id}/retry`],
      ] as const
      const allReplies = await Promise.all(
        requests.map(([method, path]) => app.send(method, path, { headers })),
      )
      return allReplies.map(({ status }) => status)
    }
    const ownJob = await make(one)
    assert.deepEqual(await isJobVisible(ownJob, one), [200, 200, 409, 409])
    assert.deepEqual(await isJobVisible(ownJob, secret), [200, 200, 409, 409])
    assert.deepEqual(await isJobVisible(ownJob, otherKey), [404, 404, 404, 404])
    assert.deepEqual(await isJobVisible(await make(secret), one), [404, 404, 404, 404])
    for (const [method, path] of [
      ['POST', `/v1/jobs/${ownJob}/cancel`],
      ['DELETE', `/v1/jobs/${ownJob}`],
    ] as const)
      assert.equal((await app.send(method, path, { headers: otherKey })).status, 404, method)
    const [firstKey] = (await new ApiKeys(app.services).list(owner)).filter(({ last4 }) =>
      String(one['x-api-key']).endsWith(last4),
    )
    const rotatedKey = await new ApiKeys(app.services).rotate(firstKey ?? assert.fail())
    assert.ok(typeof rotatedKey === 'object')
    const nextHeaders = { ...one, 'x-api-key': rotatedKey.text }
    assert.deepEqual(
      await isJobVisible(ownJob, nextHeaders),
      [200, 200, 409, 409],
      'jobs of the key that it replaced',
    )
    const rotatedAgain = await new ApiKeys(app.services).rotate(rotatedKey.key)
    assert.ok(typeof rotatedAgain === 'object')
    assert.deepEqual(
      await isJobVisible(ownJob, { ...one, 'x-api-key': rotatedAgain.text }),
      [200, 200, 409, 409],
    )
    // A ticket would open a socket that sends events of all jobs.
    assert.equal((await app.send('POST', '/v1/ws/tickets', { headers: one })).status, 403)
    assert.equal((await app.send('DELETE', `/v1/jobs/${ownJob}`, { headers: one })).status, 204)
  })

  test('an API key with allowedIps works only from these IP addresses', async () => {
    const allowedIps = ['203.0.113.0/24', '2001:db8::/32']
    const headers = { 'x-api-key': await createKey(await newAccount(app.services), { allowedIps }) }
    for (const address of ['203.0.113.9', '2001:db8:1::1', '::ffff:203.0.113.9'])
      assert.equal((await list(headers, { address })).status, 200, address)
    for (const address of ['203.0.114.9', '2001:db9::1'])
      assert.equal((await list(headers, { address })).status, 403, address)
    assert.ok(
      isInNetwork('10.0.0.1', '10.0.0.1') &&
        !isInNetwork('10.0.0.2', '10.0.0.1') &&
        !isInNetwork('', '10.0.0.1'),
    )
  })

  test('API keys of a suspended account are refused', async () => {
    const key = await createKey(await newAccount(app.services, { status: 'suspended' }))
    const reply = await list({ 'x-api-key': key })
    assert.deepEqual([reply.status, reply.json.error.details.reason], [403, 'suspended'])
  })
})

test('API keys of other accounts cannot be seen, changed, rotated or revoked', async () => {
  const [ownManager, otherManager] = [await createManager(), await createManager()]
  const { id } = (await otherManager.send('POST', '', { name: 'Theirs' })).json.data
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'Mine' }],
    ['POST', '/rotate', undefined],
    ['DELETE', '', undefined],
  ] as const)
    assert.equal((await ownManager.send(method, `/${id}${path}`, body)).json.error.code, 'API_KEY_NOT_FOUND')
  const { keys } = (await ownManager.send('GET')).json.data
  assert.ok(!keys.some((key: { id: string }) => key.id === id))
})

test('an API key can be changed, and allowedIps: null removes its restriction to IP addresses', async () => {
  const { send } = await createManager()
  const { id, key } = (await send('POST', '', { name: 'One', allowedIps: ['203.0.113.7'] })).json.data
  assert.equal((await list({ 'x-api-key': key })).status, 403)
  const changedReply = await send('PATCH', `/${id}`, {
    name: 'Two',
    allowedIps: null,
    scopes: ['CONVERT_READ'],
  })
  assert.equal(changedReply.status, 200, changedReply.text)
  assert.deepEqual(
    [changedReply.json.data.name, changedReply.json.data.allowedIps, changedReply.json.data.scopes],
    ['Two', null, ['CONVERT_READ']],
  )
  assert.equal((await list({ 'x-api-key': key })).status, 200)
  const bothReply = await send('PATCH', `/${id}`, { access: 'full', scopes: ['CONVERT_READ'] })
  assert.equal(bothReply.json.error.code, 'INVALID_REQUEST')
  const wrongReply = await send('POST', '', { name: 'x', scopes: ['ADMIN'] })
  assert.equal(wrongReply.json.error.code, 'INVALID_INPUT')
  assert.match(wrongReply.json.error.message, /CONVERT_READ/)
})
