import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAuthApi } from '../../functions/auth.ts'
import { api } from '../../functions/routes/index.ts'
import { createKeyText } from '../../lib/access/api-key-text.ts'
import { ApiKeys, type KeyInput } from '../../lib/access/api-keys.ts'
import { Clients } from '../../lib/access/oauth/clients.ts'
import { AccessTokens } from '../../lib/access/oauth/tokens.ts'
import { getOwnedKey } from '../../lib/aws/owned-records.ts'
import type { AnyContract } from '../../lib/http/contract.ts'
import { operationId } from '../../lib/http/openapi/openapi.ts'
import { type Access, type GrantedScope, grantedScopes, isOpenAccess } from '../../lib/model/principal.ts'
import type { Plans } from '../../lib/plans.ts'
import { defined } from '../../lib/validation/defined.ts'
import { after, before } from '../hooks.ts'
import { type AppReply, type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount, newAdminKey, newKey, newManagerKey } from '../support/account.ts'
import { openBrowser } from './test-browser.ts'

/**
 * Sends a request for every documented operation as every kind of client, and checks that the reply is as documented.
 */

let app: EmbeddedApp
let senders: readonly Sender[]
/** Ids of another owner's resources, by parameter name. */
let foreignIds: Readonly<Record<string, string>>
before(async () => {
  app = await openApp()
  foreignIds = await createResources(await newManagerKey(app.services, await newAccount(app.services)))
  senders = await createSenders()
})
after(() => app.close())

/** A string in everything that a stranger must not see. */
const secretMarker = 'only-the-owner-knows'

type SeenReply = Pick<AppReply, 'status' | 'json' | 'text'>
type Send = (method: string, path: string, body?: unknown) => Promise<SeenReply>
interface Sender {
  readonly name: string
  readonly send: Send
  readonly expected: (access: Access) => readonly string[] | 'let in'
}

const refusalCodes = [
  'INVALID_API_KEY',
  'AUTHENTICATION_REQUIRED',
  'INSUFFICIENT_PERMISSIONS',
  'RATE_LIMITED',
]
const invalidKeyCodes = () => ['INVALID_API_KEY']

/** Expected replies for anonymous clients, on a self-hosted and on a public service. */
const anonymous = (isPublic: boolean) => (access: Access) =>
  access.anonymous === true || (access.anonymous === 'self-hosted' && !isPublic)
    ? ('let in' as const)
    : ['AUTHENTICATION_REQUIRED']

const expectForScopes =
  (scopes: readonly string[], isPublicKey = false) =>
  (access: Access) =>
    access.scopes.every((scope) => scopes.includes(scope)) && !(isPublicKey && access.lists)
      ? ('let in' as const)
      : ['INSUFFICIENT_PERMISSIONS']

async function createSenders(): Promise<Sender[]> {
  const unlimitedApp = app.with({ plans: createUnlimitedPlans() })
  const { services } = unlimitedApp
  const by =
    (headers: Record<string, string>, at = unlimitedApp): Send =>
    (method, path, body) =>
      at.send(method, path, { headers, ...defined({ body }) })
  const createKey = async (input: Parameters<typeof newKey>[2] = {}) => ({
    'x-api-key': await newKey(services, await newAccount(services), input),
  })
  const keys = new ApiKeys(services)
  const owner = await newAccount(services)
  const input: KeyInput = { name: 'k', kind: 'secret', scopes: [...grantedScopes] }
  const [oldKey, revokedKey] = [await keys.create(owner, input), await keys.create(owner, input)]
  assert.ok(oldKey && revokedKey)
  const rotatedKey = await keys.rotate(oldKey.key)
  assert.ok(rotatedKey && rotatedKey !== 'full')
  await keys.revoke(revokedKey.key)
  const open = unlimitedApp.with({ config: { ...services.config, ANONYMOUS_PLAN: 'anonymous' } })
  const { client } = await new Clients(services.table).create(await newAccount(services), {
    name: 'c',
    scopes: ['CONVERT_READ', 'WEBHOOKS_MANAGE'],
  })
  const token = await new AccessTokens(services.table).issue(client, ['CONVERT_READ'])
  const person = openBrowser(unlimitedApp, createAuthApi(services, { constantTimeMs: 0 }))
  const signUpBody = { name: 'Ann', email: 'matrix@example.com', password: 'correct horse battery' }
  assert.equal((await person.send('POST', '/v1/auth/sign-up/email', signUpBody)).status, 200)
  const page = 'https://www.example.com'
  const publicKey = await createKey({
    kind: 'public',
    scopes: ['CONVERT_READ', 'CONVERT_WRITE'],
    allowedOrigins: [page],
  })
  const listScopesWithout = (scope: GrantedScope) =>
    grantedScopes.filter((grantedScope) => grantedScope !== scope)
  const expectForAllScopes = expectForScopes([...grantedScopes, 'ACCOUNT_MANAGE'])
  const { headers: identityHeaders } = await app.send('POST', '/v1/ws/tickets')
  return [
    { name: 'an anonymous client', send: by({}), expected: anonymous(false) },
    { name: 'an anonymous client of a public service', send: by({}, open), expected: anonymous(true) },
    {
      name: 'an anonymous owner',
      send: by({ 'x-owner-token': identityHeaders['x-owner-token'] ?? '' }),
      expected: anonymous(false),
    },
    { name: 'an unknown key', send: by({ 'x-api-key': createKeyText('secret') }), expected: invalidKeyCodes },
    { name: 'a revoked key', send: by({ 'x-api-key': revokedKey.text }), expected: invalidKeyCodes },
    {
      name: 'an expired key',
      send: by(await createKey({ expiresAt: new Date(Date.now() - 1000).toISOString() })),
      expected: invalidKeyCodes,
    },
    {
      name: 'a rotated key',
      send: by({ 'x-api-key': oldKey.text }),
      expected: expectForScopes(grantedScopes),
    },
    {
      name: 'the key that took its place',
      send: by({ authorization: `Bearer ${rotatedKey.text}` }),
      expected: expectForScopes(grantedScopes),
    },
    ...(await Promise.all(
      grantedScopes.flatMap((scope) => [
        createKey({ scopes: [scope] }).then((headers) => ({
          name: `a key with ${scope} alone`,
          send: by(headers),
          expected: expectForScopes([scope]),
        })),
        createKey({ scopes: listScopesWithout(scope) }).then((headers) => ({
          name: `a key without ${scope}`,
          send: by(headers),
          expected: expectForScopes(listScopesWithout(scope)),
        })),
      ]),
    )),
    {
      name: 'a key of a page',
      send: by({ ...publicKey, origin: page }),
      expected: expectForScopes(['CONVERT_READ', 'CONVERT_WRITE'], true),
    },
    { name: 'a key of another page', send: by(publicKey), expected: () => ['INSUFFICIENT_PERMISSIONS'] },
    {
      name: 'a token',
      send: by({ authorization: `Bearer ${token}` }),
      expected: expectForScopes(['CONVERT_READ']),
    },
    { name: 'a wrong token', send: by({ authorization: `Bearer ${token}x` }), expected: invalidKeyCodes },
    {
      name: 'a person',
      send: async (method, path, body) => {
        const reply = await person.send(method, path, body)
        return { ...reply, text: JSON.stringify(reply.json ?? '') }
      },
      expected: expectForAllScopes,
    },
    {
      name: 'an administrator',
      send: by({ 'x-api-key': await newAdminKey(services) }),
      expected: expectForScopes([...grantedScopes, 'ACCOUNT_MANAGE', 'ADMIN']),
    },
  ]
}

/** Rate limits are tested elsewhere. */
function createUnlimitedPlans(): Plans {
  const { plans } = app.services
  // Every plan keeps its name but has the limits of the self-hosted plan.
  return Object.fromEntries(Object.keys(plans).map((id) => [id, plans['self-hosted']])) as unknown as Plans
}

async function createResources(key: string): Promise<Record<string, string>> {
  const headers = { 'x-api-key': key }
  const createResource = async (path: string, body: unknown) => {
    const reply = await app.send('POST', path, { headers, body })
    assert.ok(reply.status < 300, `${path}: ${reply.text}`)
    return reply.json.data
  }
  const tasks = {
    in: { operation: 'import/raw', file: secretMarker, filename: `${secretMarker}.md` },
    pdf: { operation: 'convert', input: 'in', output_format: 'pdf' },
    out: { operation: 'export/url', input: 'pdf' },
  }
  const file = { filename: `${secretMarker}.png`, size: 7 }
  const webhook = { url: `https://93.184.215.14/${secretMarker}`, events: ['*'] }
  return {
    jobId: (await createResource('/v1/jobs', { tasks, tag: secretMarker })).jobId,
    uploadId: (await createResource('/v1/uploads/presign', { ...file, contentType: 'image/png' })).uploadId,
    webhookId: (await createResource('/v1/webhooks', webhook)).id,
    workflowId: (await createResource('/v1/workflows', { name: secretMarker, cron: '0 3 * * *', tasks })).id,
    keyId: (await createResource('/v1/api-keys', { name: secretMarker })).id,
    clientId: (await createResource('/v1/oauth/clients', { name: secretMarker })).clientId,
    formatId: 'png',
  }
}

/** Fills the parameters of a path with the ids of another owner's resources, or with unknown ids if there are none. */
const getPath = ({ path }: AnyContract) =>
  path.replace(/:(\w+)/g, (_, name: string) => foreignIds[name] ?? `no-${name}`)

for (const contract of api) {
  test(`${contract.method} ${contract.path} responds to every kind of client as documented`, async () => {
    // Open endpoints don't authenticate.
    const testedSenders = isOpenAccess(contract.access) ? senders.slice(0, 5) : senders
    for (const { name, send, expected } of testedSenders) {
      const label = `${operationId(contract)} from ${name}`
      const reply = await send(contract.method, getPath(contract), contract.body && {})
      const code = reply.json?.error?.code
      const expectedReply = isOpenAccess(contract.access) ? 'let in' : expected(contract.access)
      if (expectedReply === 'let in') {
        assert.ok(!refusalCodes.includes(code) || hasAllScopes(reply), `${label}: ${reply.text}`)
        assert.notEqual(reply.status, 500, `${label}: ${reply.text}`)
      } else assert.ok(expectedReply.includes(code), `${label}: ${reply.status} ${reply.text.slice(0, 300)}`)
      // Administrators may see the audit trail of keys.
      const canSeeMarker = expectedReply === 'let in' && contract.path === '/v1/admin/audit'
      assert.ok(
        canSeeMarker || !reply.text.includes(secretMarker),
        `${label} shows another owner's data: ${reply.text}`,
      )
    }
  })
}

test('requests of all clients leave the job, webhook, workflow, API key and OAuth client of another owner in place', async () => {
  const { services } = app
  assert.equal((await services.jobs.store.getJob(foreignIds['jobId'] ?? ''))?.status, 'queued')
  for (const [kind, name] of [
    ['WEBHOOK', 'webhookId'],
    ['WORKFLOW', 'workflowId'],
    ['KEY', 'keyId'],
    ['OAUTH', 'clientId'],
  ] as const)
    assert.ok(await services.table.get(getOwnedKey(kind, foreignIds[name] ?? '')), name)
})

/**
 * Whether the client had all scopes for the request: it failed for a reason other than missing scopes or a rate limit.
 */
const hasAllScopes = ({ json }: SeenReply) =>
  json.error.details?.required === undefined && json.error.code !== 'RATE_LIMITED'
