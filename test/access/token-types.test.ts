// A token of one kind must not be accepted as another, and a signing key alone must not open an account.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createAuthApi } from '../../functions/auth.ts'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import { authenticate } from '../../lib/access/authenticate.ts'
import { Clients } from '../../lib/access/oauth/clients.ts'
import { AccessTokens } from '../../lib/access/oauth/tokens.ts'
import { getAuthSecret } from '../../lib/access/session-auth.ts'
import { deriveKey } from '../../lib/crypto/sealed.ts'
import { AppError } from '../../lib/errors.ts'
import { createCursorCodec } from '../../lib/http/job-cursors.ts'
import { newId } from '../../lib/ids.ts'
import { signQuery, verifySignature } from '../../lib/links/signed-download.ts'
import { createTicket, redeemTicket } from '../../lib/live/connect-tokens.ts'
import { readClaim, readTokenClaim } from '../../lib/live/handshake.ts'
import type { Credentials } from '../../lib/model/principal.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount, newKey } from '../support/account.ts'
import { openBrowser } from './test-browser.ts'

const password = 'correct horse battery'
/** Replaces scrypt, which is slow on purpose. */
const fastPassword = {
  hash: async (text: string) => text,
  verify: async (given: { hash: string; password: string }) => given.hash === given.password,
}

let app: EmbeddedApp
let account: ReturnType<typeof createAuthApi>
before(async () => {
  app = await openApp()
  account = createAuthApi(app.services, { constantTimeMs: 0, password: fastPassword })
})
after(() => app.close())

/** Returns the owner of a request; undefined if it is refused or gets a new identity. */
async function getOwner(request: Partial<Credentials>): Promise<string | undefined> {
  const credentials = { headers: {}, method: 'GET', sourceIp: '192.0.2.1', ...request }
  try {
    const { ownerId, isNew } = await authenticate(credentials, app.services)
    return isNew ? undefined : ownerId
  } catch (error) {
    assert.ok(error instanceof AppError && error.status === 401, String(error))
    return undefined
  }
}

/**
 * For every place in which a client can send a token: a function that sends the token there and returns the owner as
 * whom the token authenticates the client.
 */
const places = {
  apiKey: (token: string) => getOwner({ headers: { 'x-api-key': token } }),
  bearer: (token: string) => getOwner({ headers: { authorization: `Bearer ${token}` } }),
  ownerHeader: (token: string) => getOwner({ headers: { 'x-owner-token': token } }),
  ownerCookie: (token: string) => getOwner({ cookies: [`mutabor_owner=${token}`] }),
  sessionCookie: (token: string) => getOwner({ cookies: [`session=${token}`] }),
  socketTicket: async (token: string) => (await redeemTicket(app.services.table, token))?.owner,
  socketFrame: async (token: string) => {
    const claim = await readTokenClaim(token, '192.0.2.1', app.services)
    return claim.kind === 'known' ? claim.owner : undefined
  },
  socketHandshake: async (token: string) => {
    const headers = { 'sec-websocket-protocol': `v1.jobs, bearer.${token}`, 'x-owner-token': token }
    const claim = await readClaim({ headers, query: {}, sourceIp: '192.0.2.1' }, app.services)
    return claim.kind === 'known' ? claim.owner : undefined
  },
}
type Place = keyof typeof places
const socketPlaces = ['socketFrame', 'socketHandshake'] as const

/** Creates a token of each kind, with its owner and the places that accept it. */
async function createTokens() {
  const { services } = app
  const owner = await newAccount(services)
  const anonymous = newId('anon')
  const { client } = await new Clients(services.table).create(owner, {
    name: 'A program',
    scopes: ['CONVERT_READ'],
  })
  const here = openBrowser(app, account)
  const email = `${newId('req').toLowerCase()}@example.com`
  const { json } = await here.send('POST', '/v1/auth/sign-up/email', { email, password, name: 'Ada' })
  const codec = createCursorCodec('anything', services.keys.cursor)
  const now = Date.now()
  const signedJob = { jobId: newId('job'), query: {}, expiresAtS: Math.ceil(now / 1000) + 600, at: now }
  return {
    'API key': { token: await newKey(services, owner), owner, at: ['apiKey', 'bearer', ...socketPlaces] },
    'access token': {
      token: await new AccessTokens(services.table).issue(client, ['CONVERT_READ']),
      owner,
      at: ['bearer', ...socketPlaces],
    },
    'owner token': {
      token: signOwnerToken(anonymous, services.keys.owner),
      owner: anonymous,
      at: ['bearer', 'ownerHeader', 'ownerCookie', ...socketPlaces],
    },
    'session cookie': {
      token: here.jar.get('session') ?? '',
      owner: String(json.user.id),
      at: ['sessionCookie'],
    },
    'socket ticket': {
      token: (await createTicket(services.table, { ownerId: owner })).ticket,
      owner,
      at: ['socketTicket'],
    },
    'list cursor': { token: codec.write({ direction: 'next', jobId: newId('job') }), owner, at: [] },
    'download signature': {
      token: new URLSearchParams(signQuery(signedJob, () => services.keys.owner)).get('sig') ?? '',
      owner,
      at: [],
    },
  } satisfies Record<string, { token: string; owner: string; at: readonly Place[] }>
}

test('each kind of token is accepted only where that kind is expected', async () => {
  for (const [kind, { token, owner, at }] of Object.entries(await createTokens())) {
    assert.ok(token.length > 20, kind)
    for (const [name, readOwner] of Object.entries(places)) {
      const isAccepted = (at as readonly string[]).includes(name)
      assert.equal(await readOwner(token), isAccepted ? owner : undefined, `${kind} as ${name}`)
    }
  }
})

test('a token with any character changed, added or removed is rejected', async () => {
  const listAlterations = (token: string) => [
    ...Array.from(token, (character, at) => {
      const otherCharacter = /[A-Ya-y0-8]/.test(character)
        ? String.fromCharCode(character.charCodeAt(0) + 1)
        : 'A'
      return token.slice(0, at) + otherCharacter + token.slice(at + 1)
    }),
    token.slice(0, -1),
    `${token}A`,
    `${token}.`,
    `${token}.A`,
    `${token}=`,
  ]
  for (const [kind, { token, at }] of Object.entries(await createTokens()))
    for (const alteredToken of listAlterations(token))
      for (const location of at as readonly Place[])
        assert.equal(
          await places[location](alteredToken),
          undefined,
          `${kind} as ${location}: ${alteredToken}`,
        )
})

test('an owner token is rejected if it names an account instead of an anonymous owner, even if its signature is valid', async () => {
  const { keys } = app.services
  const owner = await newAccount(app.services)
  for (const id of [owner, `anon_x\n${owner}`, `${owner}.anon_`, ''])
    for (const [name, readOwner] of Object.entries(places))
      assert.equal(await readOwner(signOwnerToken(id, keys.owner)), undefined, `${id} as ${name}`)
})

test('an owner token or session cookie with a signature that was made for another purpose is rejected', async () => {
  const { keys } = app.services
  const anonymous = newId('anon')
  const sign = (key: Buffer | string, text: string, encoding: 'base64' | 'base64url') =>
    createHmac('sha256', key).update(text).digest(encoding)
  for (const [key, text] of [
    [keys.owner, anonymous],
    [keys.owner, `cursor\n${anonymous}`],
    ...[keys.cursor, keys.idempotency, keys.accounts, keys.signedUrls].map(
      (other) => [other, `owner\n${anonymous}`] as const,
    ),
  ] as const)
    assert.equal(await places.ownerHeader(`${anonymous}.${sign(key, text, 'base64url')}`), undefined)
  // Cookies of the second factor have the same signature as sessions.
  for (const value of ['2fa-abcdef', newId('acc'), newId('ses')]) {
    const cookie = encodeURIComponent(`${value}.${sign(getAuthSecret(app.services), value, 'base64')}`)
    assert.equal(await places.sessionCookie(cookie), undefined, value)
  }
})

test('each purpose has its own signing key, and a download signature is invalid for another job, file, expiry or day', () => {
  const days = [20_000, 20_001].map((day) => `download ${day}` as const)
  const purposes = ['owner', 'cursor', 'idempotency', 'accounts', 'signed urls', 'seal', ...days] as const
  const derivedKeys = purposes.map((purpose) => deriveKey('a secret', purpose).toString('hex'))
  assert.equal(new Set(derivedKeys).size, purposes.length)
  const deriveDayKey = (day: number) => deriveKey('a secret', `download ${day}`)
  const [jobId, at] = [newId('job'), Date.now()]
  const query = signQuery(
    { jobId, query: { file: '0' }, expiresAtS: Math.ceil(at / 1000) + 600, at },
    deriveDayKey,
  )
  const parsedQuery = Object.fromEntries(new URLSearchParams(query))
  verifySignature(jobId, parsedQuery, deriveDayKey)
  for (const [id, changedQuery] of [
    [newId('job'), {}],
    [jobId, { file: '1' }],
    [jobId, { max: '5' }],
    [jobId, { exp: String(Number(parsedQuery['exp']) + 1) }],
    [jobId, { kid: String(Number(parsedQuery['kid']) - 1) }],
    [jobId, { sig: `${parsedQuery['sig']}A` }],
    [jobId, { sig: '' }],
  ] as const)
    assert.throws(() => verifySignature(id, { ...parsedQuery, ...changedQuery }, deriveDayKey), {
      code: 'INVALID_SIGNATURE',
    })
})
