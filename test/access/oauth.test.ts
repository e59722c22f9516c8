import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { auditPage } from '../../lib/access/audit.ts'
import { byToken } from '../../lib/access/oauth/by-token.ts'
import { Clients } from '../../lib/access/oauth/clients.ts'
import { Tokens } from '../../lib/access/oauth/tokens.ts'
import { isSecretText, newSecretText } from '../../lib/access/secret-text.ts'
import { newId } from '../../lib/ids.ts'
import { managerKey, newAccount } from '../account.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/app-on-embedded.ts'
import { overHttp } from '../http/over-http.ts'

/** As much of it as is used here; it comes without types. */
interface SimpleOAuth2 {
  readonly ClientCredentials: new (
    options: object,
  ) => {
    getToken(params: object): Promise<{ readonly token: Readonly<Record<string, unknown>> }>
  }
}
const { ClientCredentials } = createRequire(import.meta.url)('simple-oauth2') as SimpleOAuth2

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

/** A client of an account of its own. */
async function newClient(scopes = ['CONVERT_READ', 'CONVERT_WRITE'] as const) {
  const owner = await newAccount(app.services)
  const { table } = app.services
  const { client, secret } = await new Clients(table).create(owner, { name: 'A program', scopes })
  return { owner, client, id: client.id, secret }
}

const form = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) => ({
  body: new URLSearchParams(fields),
  headers,
})
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const grantType = { grant_type: 'client_credentials' }

async function tokenOf({ id, secret }: { readonly id: string; readonly secret: string }) {
  const { json } = await app.send('POST', '/v1/oauth/token', form(grantType, basic(id, secret)))
  return String(json.access_token)
}
const principalOf = async (token: string) =>
  byToken(
    { headers: { authorization: `Bearer ${token}` }, method: 'GET', sourceIp: '192.0.2.1' },
    app.services,
  )

test('a client gets a token for what it may, and comes in by it', async () => {
  const one = await newClient()
  const answer = await app.send(
    'POST',
    '/v1/oauth/token',
    form({ ...grantType, client_id: one.id, client_secret: one.secret, scope: 'CONVERT_READ' }),
  )
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const { access_token: token, ...rest } = answer.json
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'CONVERT_READ' })
  const principal = await principalOf(token)
  assert.deepEqual(
    { ...principal, scopes: [...(principal?.scopes ?? [])] },
    {
      ...{ ownerId: one.owner, kind: 'token', plan: 'pro', role: 'USER', scopes: ['CONVERT_READ'] },
      ...{ limiterKey: `client:${one.id}`, keyId: one.id },
    },
  )
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await app.send('GET', '/v1/jobs', { headers })).status, 200)
  const refused = await app.send('GET', '/v1/webhooks', { headers })
  assert.deepEqual([refused.status, refused.json.error.code], [403, 'INSUFFICIENT_PERMISSIONS'])
})

test('a person makes clients, sees them without their secrets, and deletes them', async () => {
  const key = { 'x-api-key': await managerKey(app.services, await newAccount(app.services)) }
  const stranger = { 'x-api-key': await managerKey(app.services, await newAccount(app.services)) }
  const path = '/v1/oauth/clients'
  const body = { name: 'Nightly', scopes: ['CONVERT_READ'] }
  const made = await app.send('POST', path, { headers: key, body })
  assert.equal(made.status, 201)
  const { clientId, clientSecret, ...rest } = made.json.data
  const { clients } = (await app.send('GET', path, { headers: key })).json.data
  assert.deepEqual(clients, [{ ...rest, clientId }])
  const token = await tokenOf({ id: clientId, secret: clientSecret })
  const byIt = { authorization: `Bearer ${token}` }
  assert.equal(
    (await app.send('POST', path, { headers: byIt, body })).status,
    403,
    'a token makes no clients',
  )
  assert.deepEqual((await app.send('GET', path, { headers: stranger })).json.data, { clients: [] })
  const one = `${path}/${clientId}`
  assert.equal((await app.send('DELETE', one, { headers: stranger })).status, 404)
  assert.equal((await app.send('DELETE', one, { headers: key })).status, 204)
  assert.equal((await app.send('DELETE', one, { headers: key })).status, 404)
  const { entries } = await auditPage(app.services.table, { limit: 100 })
  assert.deepEqual(
    entries.filter(({ subject }) => subject === clientId).map(({ action, after: is }) => [action, is]),
    [
      ['client.delete', null],
      ['client.create', 'Nightly (CONVERT_READ)'],
    ],
  )
  const wrong = await app.send('POST', path, { headers: key, body: { ...body, scopes: ['ADMIN'] } })
  assert.deepEqual([wrong.status, wrong.json.error.code], [400, 'INVALID_INPUT'])
  assert.match(wrong.json.error.message, /CONVERT_READ.*ACCOUNT_READ/)
})

test('what is wrong is said in the words of the protocol', async () => {
  const { id, secret } = await newClient()
  const right = basic(id, secret)
  const cases = [
    [form(grantType), 401, 'invalid_client'],
    [form({ ...grantType, client_id: id }), 401, 'invalid_client'],
    [form({ ...grantType, client_secret: secret }), 401, 'invalid_client'],
    [form(grantType, basic(id, `${secret}x`)), 401, 'invalid_client'],
    [form(grantType, basic(newId('client'), secret)), 401, 'invalid_client'],
    [form(grantType, { authorization: 'Basic %%%' }), 401, 'invalid_client'],
    [form({ ...grantType, client_secret: secret }, right), 400, 'invalid_request'],
    [form({}, right), 400, 'invalid_request'],
    [form({ grant_type: 'password' }, right), 400, 'unsupported_grant_type'],
    [form({ ...grantType, scope: 'CONVERT_READ ADMIN' }, right), 400, 'invalid_scope'],
    [{ body: { grant_type: 'client_credentials' }, headers: right }, 400, 'invalid_request'],
  ] as const
  for (const [sent, status, error] of cases) {
    const answer = await app.send('POST', '/v1/oauth/token', sent)
    assert.deepEqual([answer.status, answer.json.error], [status, error], JSON.stringify(sent))
    assert.equal(typeof answer.json.error_description, 'string')
    if (status === 401) assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /)
  }
  const answer = await app.send('POST', '/v1/oauth/token', form({ ...grantType, scope: 'ADMIN' }, right))
  assert.match(answer.json.error_description, /CONVERT_READ CONVERT_WRITE, got ADMIN/)
})

test('tokens end when they are revoked, when their client is deleted, and by themselves', async () => {
  const one = await newClient()
  const other = await newClient()
  const tokens = new Tokens(app.services.table)
  const token = await tokenOf(one)
  const headers = basic(one.id, one.secret)
  const introspected = async (asking: typeof one) =>
    (await app.send('POST', '/v1/oauth/introspect', form({ token }, basic(asking.id, asking.secret)))).json
  const active = await introspected(one)
  assert.deepEqual([active.active, active.client_id, active.sub], [true, one.id, one.owner])
  assert.deepEqual(await introspected(other), { active: false }, 'a stranger learns nothing')

  await app.send('POST', '/v1/oauth/revoke', form({ token }, basic(other.id, other.secret)))
  assert.ok(await tokens.held(token), 'a stranger ends nothing')
  assert.equal((await app.send('POST', '/v1/oauth/revoke', form({ token }, headers))).status, 200)
  assert.equal(await tokens.held(token), undefined)
  assert.equal((await app.send('POST', '/v1/oauth/revoke', form({ token }, headers))).status, 200)
  await assert.rejects(principalOf(token), { code: 'INVALID_API_KEY' })

  const second = await tokenOf(one)
  await new Clients(app.services.table).remove(one.client)
  assert.equal(await tokens.held(second), undefined)
  const third = await tokenOf(other)
  const records = await app.services.table.partition(`OAUTH#${other.id}`, 'TOKEN#')
  assert.ok(records.every((record) => !JSON.stringify(record).includes(third.slice(-38))))
  for (const { pk, sk } of records)
    await app.services.table.update({ pk: String(pk), sk: String(sk) }, { set: { expiresAt: 1 } })
  assert.equal(await tokens.held(third), undefined)
})

test('a bearer that is no token, or one nearly right, is refused as RFC 6750 has it', async () => {
  const one = await newClient()
  const token = await tokenOf(one)
  const other = newSecretText(token.slice(0, 30))
  assert.ok(isSecretText(other, token.slice(0, 30)))
  for (const wrong of [other, `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`, 'at_', 'at_x_y']) {
    const answer = await app.send('GET', '/v1/jobs', { headers: { authorization: `Bearer ${wrong}` } })
    assert.deepEqual([answer.status, answer.json.error.code], [401, 'INVALID_API_KEY'], wrong)
    assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer .*error="invalid_token"/)
  }
})

test('stock clients find the endpoints, get tokens and end them', async () => {
  const { id, secret } = await newClient()
  const server = await overHttp(app)
  try {
    for (const auth of [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)]) {
      const config = await openid.discovery(new URL(server.url), id, undefined, auth, {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests],
      })
      const { access_token: token, expires_in: lifetime } = await openid.clientCredentialsGrant(config, {
        scope: 'CONVERT_READ',
      })
      assert.equal(lifetime, 3600)
      assert.equal((await openid.tokenIntrospection(config, token)).active, true)
      await openid.tokenRevocation(config, token)
      assert.equal((await openid.tokenIntrospection(config, token)).active, false)
      await assert.rejects(openid.clientCredentialsGrant(config, { scope: 'EVERYTHING' }), {
        error: 'invalid_scope',
      })
    }
    for (const authorizationMethod of ['header', 'body'] as const) {
      const simple = new ClientCredentials({
        client: { id, secret },
        auth: { tokenHost: server.url, tokenPath: '/v1/oauth/token' },
        options: { authorizationMethod },
      })
      const got = await simple.getToken({ scope: ['CONVERT_READ', 'CONVERT_WRITE'] })
      assert.equal(got.token['scope'], 'CONVERT_READ CONVERT_WRITE')
      assert.ok(await principalOf(String(got.token['access_token'])))
    }
  } finally {
    await server.close()
  }
})
