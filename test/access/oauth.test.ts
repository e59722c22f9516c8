import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as openid from 'openid-client'
import { listAuditEntries } from '../../lib/access/audit.ts'
import { Clients } from '../../lib/access/oauth/clients.ts'
import { createOAuthError, toOAuthErrorBody } from '../../lib/access/oauth/oauth-errors.ts'
import { authenticateByToken } from '../../lib/access/oauth/token-auth.ts'
import { AccessTokens } from '../../lib/access/oauth/tokens.ts'
import { createSecretText, isSecretText } from '../../lib/access/secret-text.ts'
import { getOwnedCountsKey } from '../../lib/aws/owned-records.ts'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { defined } from '../../lib/validation/defined.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { serveApp } from '../http/serve-app.ts'
import { changeAccount, newAccount, newManagerKey } from '../support/account.ts'

/** The parts of the untyped library that are used here. */
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

/** Creates a client of a new account. */
async function newClient(scopes = ['CONVERT_READ', 'CONVERT_WRITE'] as const) {
  const owner = await newAccount(app.services)
  const { table } = app.services
  const { client, secret } = await new Clients(table).create(owner, { name: 'A program', scopes })
  return { owner, client, id: client.id, secret }
}

const createForm = (
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
) => ({
  body: new URLSearchParams(fields),
  headers,
})
const createBasicAuthHeaders = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const grantType = { grant_type: 'client_credentials' }

async function requestToken({ id, secret }: { readonly id: string; readonly secret: string }) {
  const { json } = await app.send(
    'POST',
    '/v1/oauth/token',
    createForm(grantType, createBasicAuthHeaders(id, secret)),
  )
  return String(json.access_token)
}
const getPrincipal = async (token: string) =>
  authenticateByToken(
    { headers: { authorization: `Bearer ${token}` }, method: 'GET', sourceIp: '192.0.2.1' },
    app.services,
  )

test('an OAuth client obtains an access token with the requested scopes and can use it', async () => {
  const client = await newClient()
  const reply = await app.send(
    'POST',
    '/v1/oauth/token',
    createForm({ ...grantType, client_id: client.id, client_secret: client.secret, scope: 'CONVERT_READ' }),
  )
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['cache-control'], 'no-store')
  const { access_token: token, ...rest } = reply.json
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600, scope: 'CONVERT_READ' })
  const knownPrincipal = await getPrincipal(token)
  assert.ok(knownPrincipal)
  const { credential = [], ...principal } = knownPrincipal
  assert.deepEqual(
    credential.map(({ sk }) => sk.split('#')[0]),
    ['ACCOUNT', 'OAUTH', 'TOKEN'],
  )
  assert.deepEqual(
    { ...principal, scopes: [...principal.scopes] },
    {
      ownerId: client.owner,
      kind: 'token',
      plan: 'pro',
      role: 'USER',
      scopes: ['CONVERT_READ'],
      limiterKey: `client:${client.id}`,
      keyId: client.id,
    },
  )
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await app.send('GET', '/v1/jobs', { headers })).status, 200)
  const refusedReply = await app.send('GET', '/v1/webhooks', { headers })
  assert.deepEqual([refusedReply.status, refusedReply.json.error.code], [403, 'INSUFFICIENT_PERMISSIONS'])
})

test('a user can create, list and delete OAuth clients, and each client secret is shown only once', async () => {
  const key = { 'x-api-key': await newManagerKey(app.services, await newAccount(app.services)) }
  const strangerHeaders = { 'x-api-key': await newManagerKey(app.services, await newAccount(app.services)) }
  const path = '/v1/oauth/clients'
  const body = { name: 'Nightly', scopes: ['CONVERT_READ'] }
  const createdClient = await app.send('POST', path, { headers: key, body })
  assert.equal(createdClient.status, 201)
  const { clientId, clientSecret, ...rest } = createdClient.json.data
  const { clients } = (await app.send('GET', path, { headers: key })).json.data
  assert.deepEqual(clients, [{ ...rest, clientId }])
  const token = await requestToken({ id: clientId, secret: clientSecret })
  const bearerHeaders = { authorization: `Bearer ${token}` }
  assert.equal(
    (await app.send('POST', path, { headers: bearerHeaders, body })).status,
    403,
    'a token cannot create clients',
  )
  assert.deepEqual((await app.send('GET', path, { headers: strangerHeaders })).json.data.clients, [])
  const clientPath = `${path}/${clientId}`
  assert.equal((await app.send('DELETE', clientPath, { headers: strangerHeaders })).status, 404)
  assert.equal((await app.send('DELETE', clientPath, { headers: key })).status, 204)
  assert.equal((await app.send('DELETE', clientPath, { headers: key })).status, 404)
  const { entries } = await listAuditEntries(app.services.table, { limit: 100 })
  assert.deepEqual(
    entries.filter(({ subject }) => subject === clientId).map(({ action, after: is }) => [action, is]),
    [
      ['client.delete', null],
      ['client.create', 'Nightly (CONVERT_READ)'],
    ],
  )
  const wrongReply = await app.send('POST', path, { headers: key, body: { ...body, scopes: ['ADMIN'] } })
  assert.deepEqual([wrongReply.status, wrongReply.json.error.code], [400, 'INVALID_INPUT'])
  assert.match(wrongReply.json.error.message, /CONVERT_READ.*ACCOUNT_READ/)
})

test('errors of POST /v1/oauth/token have the codes of RFC 6749', async () => {
  const { id, secret } = await newClient()
  const validHeaders = createBasicAuthHeaders(id, secret)
  const cases = [
    [createForm(grantType), 401, 'invalid_client'],
    [createForm({ ...grantType, client_id: id }), 401, 'invalid_client'],
    [createForm({ ...grantType, client_secret: secret }), 401, 'invalid_client'],
    [createForm(grantType, createBasicAuthHeaders(id, `${secret}x`)), 401, 'invalid_client'],
    [createForm(grantType, createBasicAuthHeaders(newId('client'), secret)), 401, 'invalid_client'],
    [createForm(grantType, { authorization: 'Basic %%%' }), 401, 'invalid_client'],
    [createForm({ ...grantType, client_secret: secret }, validHeaders), 400, 'invalid_request'],
    [createForm({}, validHeaders), 400, 'invalid_request'],
    [createForm({ grant_type: 'password' }, validHeaders), 400, 'unsupported_grant_type'],
    [createForm({ ...grantType, scope: 'CONVERT_READ ADMIN' }, validHeaders), 400, 'invalid_scope'],
    [{ body: { grant_type: 'client_credentials' }, headers: validHeaders }, 400, 'invalid_request'],
  ] as const
  for (const [sentForm, status, error] of cases) {
    const reply = await app.send('POST', '/v1/oauth/token', sentForm)
    assert.deepEqual([reply.status, reply.json.error], [status, error], JSON.stringify(sentForm))
    assert.equal(typeof reply.json.error_description, 'string')
    if (status === 401) assert.match(reply.headers['www-authenticate'] ?? '', /^Basic /)
  }
  const answer = await app.send(
    'POST',
    '/v1/oauth/token',
    createForm({ ...grantType, scope: 'ADMIN' }, validHeaders),
  )
  assert.match(answer.json.error_description, /CONVERT_READ CONVERT_WRITE, got ADMIN/)
})

test('an access token stops working when it is revoked or expires, or when its client is deleted', async () => {
  const one = await newClient()
  const otherClient = await newClient()
  const tokens = new AccessTokens(app.services.table)
  const token = await requestToken(one)
  const headers = createBasicAuthHeaders(one.id, one.secret)
  const introspect = async (client: typeof one) =>
    (
      await app.send(
        'POST',
        '/v1/oauth/introspect',
        createForm({ token }, createBasicAuthHeaders(client.id, client.secret)),
      )
    ).json
  const activeToken = await introspect(one)
  assert.deepEqual([activeToken.active, activeToken.client_id, activeToken.sub], [true, one.id, one.owner])
  assert.deepEqual(await introspect(otherClient), { active: false }, 'another account cannot introspect it')

  await app.send(
    'POST',
    '/v1/oauth/revoke',
    createForm({ token }, createBasicAuthHeaders(otherClient.id, otherClient.secret)),
  )
  assert.ok(await tokens.findActive(token), 'another account cannot revoke it')
  assert.equal((await app.send('POST', '/v1/oauth/revoke', createForm({ token }, headers))).status, 200)
  assert.equal(await tokens.findActive(token), undefined)
  assert.equal((await app.send('POST', '/v1/oauth/revoke', createForm({ token }, headers))).status, 200)
  await assert.rejects(getPrincipal(token), { code: 'INVALID_API_KEY' })

  const secondToken = await requestToken(one)
  await new Clients(app.services.table).remove(one.client)
  assert.equal(await tokens.findActive(secondToken), undefined)
  const thirdToken = await requestToken(otherClient)
  const records = await app.services.table.partition(`OAUTH#${otherClient.id}`, 'TOKEN#')
  assert.ok(records.every((record) => !JSON.stringify(record).includes(thirdToken.slice(-38))))
  for (const { pk, sk } of records)
    await app.services.table.update({ pk: String(pk), sk: String(sk) }, { set: { expiresAt: 1 } })
  assert.equal(await tokens.findActive(thirdToken), undefined)
})

test('an invalid bearer token is rejected as RFC 6750 requires', async () => {
  const client = await newClient()
  const token = await requestToken(client)
  const otherSecret = createSecretText(token.slice(0, 30))
  assert.ok(isSecretText(otherSecret, token.slice(0, 30)))
  for (const wrongToken of [
    otherSecret,
    `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
    'at_',
    'at_x_y',
  ]) {
    const reply = await app.send('GET', '/v1/jobs', { headers: { authorization: `Bearer ${wrongToken}` } })
    assert.deepEqual([reply.status, reply.json.error.code], [401, 'INVALID_API_KEY'], wrongToken)
    assert.match(reply.headers['www-authenticate'] ?? '', /^Bearer .*error="invalid_token"/)
  }
})

test('an OAuth library can discover the endpoints, obtain tokens and revoke them', async () => {
  const { id, secret } = await newClient()
  const server = await serveApp(app)
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
      const simpleClient = new ClientCredentials({
        client: { id, secret },
        auth: { tokenHost: server.url, tokenPath: '/v1/oauth/token' },
        options: { authorizationMethod },
      })
      const grantedToken = await simpleClient.getToken({ scope: ['CONVERT_READ', 'CONVERT_WRITE'] })
      assert.equal(grantedToken.token['scope'], 'CONVERT_READ CONVERT_WRITE')
      assert.ok(await getPrincipal(String(grantedToken.token['access_token'])))
    }
  } finally {
    await server.close()
  }
})

test('OAuth error descriptions contain only the characters that RFC 6749 allows', () => {
  const failure = toOAuthErrorBody(
    createOAuthError('invalid_scope', 'scope: "größe" \\ \n~', { allowed: [] }),
  )
  assert.deepEqual(failure, { error: 'invalid_scope', error_description: "scope: 'gr??e' ? ?~" })
  assert.equal(createOAuthError('invalid_client', 'a').status, 401)
  assert.deepEqual(createOAuthError('invalid_scope', 'a', { allowed: ['x'] }).details, {
    allowed: ['x'],
    oauth: 'invalid_scope',
  })
  const getOAuthError = (code: AppError['code']) => toOAuthErrorBody(new AppError(code, 'a')).error
  assert.deepEqual(
    [getOAuthError('INVALID_INPUT'), getOAuthError('INTERNAL_ERROR')],
    ['invalid_request', 'server_error'],
  )
})

test('an OAuth client can percent-encode its credentials and write "basic" in lower case', async () => {
  const { id, secret } = await newClient()
  const encode = (text: string) =>
    [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
  const createLowercaseHeaders = (user: string, password: string) => ({
    authorization: `basic  ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })
  const authenticateWith = async (fields: Record<string, string>, headers: Record<string, string>) =>
    (await app.send('POST', '/v1/oauth/token', createForm({ ...grantType, ...fields }, headers))).status
  assert.equal(await authenticateWith({}, createLowercaseHeaders(encode(id), encode(secret))), 200)
  assert.equal(await authenticateWith({ client_id: id }, createBasicAuthHeaders(id, secret)), 200)
  assert.equal(
    await authenticateWith({ client_id: newId('client') }, createBasicAuthHeaders(id, secret)),
    401,
  )
  for (const wrongHeaders of [
    createLowercaseHeaders('', secret),
    createLowercaseHeaders(id, ''),
    createLowercaseHeaders('%E0', secret),
    createLowercaseHeaders(id, `${secret}:`),
  ])
    assert.equal(await authenticateWith({}, wrongHeaders), 401, wrongHeaders.authorization)
})

test('an OAuth client that requests no scopes gets all of its scopes, in a fixed order', async () => {
  const { id, secret } = await newClient()
  const requestScope = async (scope?: string) => {
    const fields = { ...grantType, ...defined({ scope }) }
    return (await app.send('POST', '/v1/oauth/token', createForm(fields, createBasicAuthHeaders(id, secret))))
      .json.scope
  }
  const bothScopes = 'CONVERT_READ CONVERT_WRITE'
  assert.deepEqual(
    [
      await requestScope(),
      await requestScope(' '),
      await requestScope('CONVERT_WRITE  CONVERT_READ'),
      await requestScope('CONVERT_WRITE'),
    ],
    [bothScopes, bothScopes, bothScopes, 'CONVERT_WRITE'],
  )
})

test('OAuth clients and tokens of a suspended account are refused', async () => {
  const [one, secondClient] = [await newClient(), await newClient()]
  const tokens = [await requestToken(one), await requestToken(secondClient)]
  assert.ok(await getPrincipal(tokens[1] ?? ''))
  for (const { owner } of [one, secondClient])
    await changeAccount(app.services, owner, { status: 'suspended' })
  await assert.rejects(getPrincipal(tokens[0] ?? ''), { details: { reason: 'suspended' } })
  const refusedReply = await app.send(
    'POST',
    '/v1/oauth/token',
    createForm(grantType, createBasicAuthHeaders(one.id, one.secret)),
  )
  assert.deepEqual([refusedReply.status, refusedReply.json.error], [401, 'invalid_client'])
})

test('an account can have at most twenty OAuth clients, listed newest first', async () => {
  const { owner, id, client } = await newClient()
  const { table } = app.services
  const clients = new Clients(table)
  const input = { name: 'Another', scopes: ['CONVERT_READ', 'CONVERT_READ'] } as const
  const secondClient = await clients.create(owner, input)
  assert.deepEqual(secondClient.client.scopes, ['CONVERT_READ'])
  assert.equal(secondClient.client.last4, secondClient.secret.slice(-4))
  assert.deepEqual(
    (await clients.list(owner)).map((each) => each.id),
    [secondClient.client.id, id],
  )
  await table.update(getOwnedCountsKey(owner), { set: { OAUTH: 19 } })
  await clients.create(owner, input)
  await assert.rejects(clients.create(owner, input), { code: 'INVALID_INPUT', details: { max: 20 } })
  assert.deepEqual([await clients.remove(client), await clients.remove(client)], [true, false])
})

test('an access token is valid for an hour, and another OAuth client cannot revoke it', async () => {
  const [one, otherClient] = [await newClient(), await newClient()]
  const tokens = new AccessTokens(app.services.table)
  const token = await tokens.issue(one.client, ['CONVERT_READ'])
  const activeToken = await tokens.findActive(token)
  assert.ok(activeToken)
  assert.equal(activeToken.expiresAt - activeToken.issuedAt, 3600)
  assert.ok(Math.abs(activeToken.issuedAt - Date.now() / 1000) < 10)
  const [record] = await app.services.table.partition(`OAUTH#${one.id}`, 'TOKEN#')
  assert.equal(record?.['ttl'], activeToken.expiresAt)
  await tokens.revoke(otherClient.client, token)
  assert.ok(await tokens.findActive(token))
})
