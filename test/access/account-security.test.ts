import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createAuthApi } from '../../functions/auth.ts'
import type { AuditEntry } from '../../lib/access/audit.ts'
import { getMarkerKey, getRecordKey, models } from '../../lib/access/auth/records.ts'
import { createTableAdapter } from '../../lib/access/auth/table-adapter.ts'
import { type AccountChange, updateAccount } from '../../lib/access/manage-accounts.ts'
import { listSessions } from '../../lib/access/sessions.ts'
import { readAccount } from '../../lib/accounts/accounts.ts'
import type { Services } from '../../lib/services/services.ts'
import { createWakeHandlers, findDueRecords } from '../../lib/services/wakeups.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { changeAccount, newAdminKey } from '../support/account.ts'
import type { Visitor } from './support/accounts.ts'
import { type BrowserReply, createMailbox, openBrowser } from './test-browser.ts'
import { createTotp } from './totp.ts'

/** Replaces scrypt, which is slow on purpose. */
const hashText = (text: string) => createHash('sha256').update(text).digest('hex')

const cheapHashing = {
  constantTimeMs: 0,
  password: {
    hash: async (text: string) => hashText(text),
    verify: async (given: { hash: string; password: string }) => given.hash === hashText(given.password),
  },
}

let app: EmbeddedApp

let account: ReturnType<typeof createAuthApi>

before(async () => {
  app = await openApp()
  account = createAuthApi(app.services, cheapHashing)
})

after(() => app.close())

const password = 'correct horse battery'

const openVisitor = () => openBrowser(app, account)

const signUp = ({ send }: Visitor, email: string, overrides = {}) =>
  send('POST', '/v1/auth/sign-up/email', { name: 'Ann', email, password, ...overrides })

const signIn = ({ send }: Visitor, email: string, given = password) =>
  send('POST', '/v1/auth/sign-in/email', { email, password: given })

describe('ended sessions of accounts', () => {
  const expireSessions = async (id: string, at: Date) => {
    const sessions = await listSessions(id, app.services)
    for (const session of sessions)
      await app.services.table.update(getRecordKey('session', session.id), {
        set: { expiresAt: at.toISOString() },
      })
    return sessions.length
  }

  test('an expired session is refused and is no longer listed among the sessions of its account', async () => {
    const here = openVisitor()
    const { id } = (await signUp(here, 'over@example.com')).json.user
    await signIn(openVisitor(), 'over@example.com')
    assert.equal(await expireSessions(id, new Date(Date.now() + 60_000)), 2)
    const [newest, oldest] = await listSessions(id, app.services)
    assert.ok(newest && oldest && newest.id > oldest.id)
    assert.deepEqual([newest.userId, oldest.ipAddress], [id, here.address])
    assert.equal((await here.send('GET', '/v1/account')).status, 200)
    await expireSessions(id, new Date(Date.now() - 1))
    assert.equal((await here.send('GET', '/v1/account')).status, 401)
    assert.deepEqual(await listSessions(id, app.services), [])
  })

  test('removing the ADMIN role of an account ends its sessions, but changing the plan does not', async () => {
    const here = openVisitor()
    const { id } = (await signUp(here, 'was-boss@example.com')).json.user
    const change = (given: AccountChange) => updateAccount(id, given, { id: 'command' }, app.services)
    const sessions = async () => (await listSessions(id, app.services)).length
    await change({ role: 'ADMIN' })
    await change({ plan: 'pro' })
    assert.equal(await sessions(), 1)
    await change({ role: 'USER' })
    assert.equal(await sessions(), 0)
    await signIn(here, 'was-boss@example.com')
    await change({ plan: 'free', role: 'USER', status: 'active' })
    assert.equal(await sessions(), 1)
    // Simulates a process that suspended the account and died before it ended the sessions.
    await changeAccount(app.services, id, { status: 'suspended' })
    await change({ status: 'suspended' })
    assert.equal(await sessions(), 0)
  })
})

describe('passwords of accounts', () => {
  test('sign-in attempts are limited per IP address and per account', async () => {
    await signUp(openVisitor(), 'guess@example.com')
    const guesser = openVisitor()
    const statuses: number[] = []
    // Three attempts are allowed per window; seven attempts span at most two windows.
    for (let at = 0; at < 7; at++)
      statuses.push((await signIn(guesser, 'guess@example.com', 'wrong password')).status)
    assert.ok(statuses.includes(429), statuses.join())
    assert.ok(statuses.slice(0, 2).every((status) => status === 401))
    const replies: BrowserReply[] = []
    for (let at = 0; at < 20; at++)
      replies.push(await signIn(openVisitor(), 'guess@example.com', 'wrong password'))
    const lastReply = replies.at(-1)
    assert.equal(lastReply?.status, 429)
    assert.ok(Number(lastReply?.headers['retry-after']) > 0)
    assert.equal(
      (await signIn(openVisitor(), 'Guess@Example.com')).status,
      429,
      'the right password is refused too, for a while',
    )
  })

  test('the token in a password reset email works once, and using it ends the sessions of the account', async () => {
    const box = createMailbox()
    const apiWithMail = createAuthApi(app.services, { ...cheapHashing, mailer: box })
    const here = openBrowser(app, apiWithMail)
    assert.equal(
      (await signUp(here, 'forgot@example.com')).json.token,
      null,
      'the email address has to be confirmed',
    )
    assert.equal((await signIn(here, 'forgot@example.com')).status, 403)
    const findLinkInEmail = (at: number) => new URL(/http\S+/.exec(box.emails.at(at)?.text ?? '')?.[0] ?? '')
    const verify = findLinkInEmail(0)
    const confirmReply = await here.send('GET', verify.pathname, undefined, {
      query: Object.fromEntries(verify.searchParams),
    })
    assert.equal(confirmReply.status, 302)
    assert.ok(here.jar.has('session'), 'the confirmation signs in')

    const sameBrowser = openBrowser(app, apiWithMail)
    assert.equal(
      (await signUp(sameBrowser, 'forgot@example.com')).status,
      200,
      'the reply does not reveal that the account exists',
    )
    assert.equal(box.emails.at(-1)?.subject, 'You already have an account')

    const resetRequest = { email: 'forgot@example.com', redirectTo: '/reset' }
    await openBrowser(app, apiWithMail).send('POST', '/v1/auth/request-password-reset', resetRequest)
    const foreignRedirect = { ...resetRequest, redirectTo: 'https://evil.example/' }
    const foreignRedirectReply = await openBrowser(app, apiWithMail).send(
      'POST',
      '/v1/auth/request-password-reset',
      foreignRedirect,
    )
    assert.equal(foreignRedirectReply.status, 403)
    const token = findLinkInEmail(-1).pathname.split('/').at(-1)
    const resetBody = { newPassword: 'another good password', token }
    const resetReplies = await Promise.all(
      [0, 1, 2].map(() => openBrowser(app, apiWithMail).send('POST', '/v1/auth/reset-password', resetBody)),
    )
    assert.deepEqual(resetReplies.map(({ status }) => status).sort(), [200, 400, 400])
    assert.equal((await here.send('GET', '/v1/jobs')).status, 401)
    assert.equal((await signIn(here, 'forgot@example.com', resetBody.newPassword)).status, 200)
  })
})

describe('two-factor authentication', () => {
  test('sign-in with two-factor authentication requires a second factor, and a recovery code works only once', async () => {
    const here = openVisitor()
    await signUp(here, 'totp@example.com')
    const { totpURI, backupCodes } = (await here.send('POST', '/v1/auth/two-factor/enable', { password }))
      .json
    const enableReply = await here.send('POST', '/v1/auth/two-factor/verify-totp', {
      code: createTotp(totpURI),
    })
    assert.equal(enableReply.status, 200)

    const nextVisitor = openVisitor()
    const half = await signIn(nextVisitor, 'totp@example.com')
    assert.deepEqual(half.json, { twoFactorRedirect: true, twoFactorMethods: ['totp'] })
    assert.equal((await nextVisitor.send('GET', '/v1/auth/get-session')).json, null)
    assert.equal(
      (await nextVisitor.send('GET', '/v1/account')).status,
      401,
      'a sign-in without the second factor gives no access',
    )
    const wrongReply = await nextVisitor.send('POST', '/v1/auth/two-factor/verify-totp', { code: '000000' })
    assert.equal(wrongReply.status, 401)
    const [code] = backupCodes
    const backupReply = await nextVisitor.send('POST', '/v1/auth/two-factor/verify-backup-code', { code })
    assert.equal(backupReply.status, 200)
    const visitorAgain = openVisitor()
    await signIn(visitorAgain, 'totp@example.com')
    const reusedCodeReply = await visitorAgain.send('POST', '/v1/auth/two-factor/verify-backup-code', {
      code,
    })
    assert.equal(reusedCodeReply.status, 401)
  })
})

describe('the better-auth table adapter', () => {
  test('only one of several concurrent requests can consume a one-time verification record', async () => {
    const adapter = createTableAdapter({ ...app.services, models })({})
    const expiresAt = new Date(Date.now() + 60_000)
    const { id } = await adapter.create({
      model: 'verification',
      data: { identifier: 'once', value: 'v', expiresAt, createdAt: expiresAt, updatedAt: expiresAt },
    })
    const whereIdentifier = [{ field: 'identifier', value: 'once' }]
    const consumedRecords = await Promise.all(
      Array.from({ length: 8 }, () => adapter.consumeOne({ model: 'verification', where: whereIdentifier })),
    )
    assert.deepEqual(
      consumedRecords.filter(Boolean).map((record) => (record as { id: string }).id),
      [id],
    )
  })

  test('extending a session also extends the time to live of the record that maps its token to the session', async () => {
    const adapter = createTableAdapter({ ...app.services, models })({})
    const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000)
    const token = 'token of a session that lasts'
    await adapter.create({
      model: 'session',
      data: {
        token,
        userId: 'acc_1',
        expiresAt: daysFromNow(1),
        createdAt: daysFromNow(0),
        updatedAt: daysFromNow(0),
      },
    })
    const whereToken = [{ field: 'token', value: token }]
    await adapter.update({ model: 'session', where: whereToken, update: { expiresAt: daysFromNow(30) } })
    const tokenMarker = await app.services.table.get(
      getMarkerKey('session', 'token', token, { ...app.services, models }),
    )
    assert.ok(Number(tokenMarker?.['ttl']) * 1000 > daysFromNow(29).getTime())
  })

  test('the DynamoDB table contains no passwords, tokens or other secrets of better-auth in plain text', async () => {
    const here = openVisitor()
    const { json } = await signUp(here, 'secrets@example.com')
    const { totpURI, backupCodes } = (await here.send('POST', '/v1/auth/two-factor/enable', { password }))
      .json
    const secret = new URL(totpURI).searchParams.get('secret') ?? ''
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
    const { Items } = await client.send(new ScanCommand({ TableName: 'mutabor' }))
    const tableJson = JSON.stringify(Items)
    for (const secretText of [json.token, password, secret, ...backupCodes])
      assert.ok(!tableJson.includes(secretText), secretText)
    assert.ok(tableJson.includes(json.user.id))
    assert.equal((await readAccount(app.services, json.user.id))?.email, 'secrets@example.com')
  })
})

describe('the account administration API', () => {
  test('an administrator can find accounts, change plans, end sessions and suspend accounts, and these changes are audited', async () => {
    const here = openVisitor()
    const { id } = (await signUp(here, 'managed@example.com')).json.user
    const headers = { 'x-api-key': await newAdminKey(app.services) }
    const ask = async (method: string, path: string, body?: unknown) => {
      const { status, json } = await app.send(method, `/v1/admin/${path}`, { headers, body })
      return { status, data: json?.data, error: json?.error }
    }
    const foundAccounts = await app.send('GET', '/v1/admin/users', {
      headers,
      query: { q: 'MANAGED@', limit: '1' },
    })
    assert.deepEqual(
      foundAccounts.json.data.users.map((user: { id: string }) => user.id),
      [id],
    )
    assert.equal((await ask('PATCH', `users/${id}`, { plan: 'pro' })).data.plan, 'pro')
    assert.equal((await here.send('GET', '/v1/account')).json.data.plan, 'pro')
    const { sessions } = (await ask('GET', `users/${id}/sessions`)).data
    assert.equal(sessions.length, 1)
    assert.equal((await ask('DELETE', `sessions/${sessions[0].id}`)).status, 204)
    assert.equal((await ask('DELETE', `sessions/${sessions[0].id}`)).status, 404)
    assert.equal((await here.send('GET', '/v1/account')).status, 401)
    await signIn(here, 'managed@example.com')
    assert.equal((await ask('PATCH', `users/${id}`, { status: 'suspended' })).data.status, 'suspended')
    assert.equal((await ask('GET', `users/${id}/sessions`)).data.sessions.length, 0)
    const { entries } = (await ask('GET', 'audit')).data
    assert.deepEqual(
      entries.slice(0, 3).map(({ action, before: was, after: is }: AuditEntry) => [action, was, is]),
      [
        ['user.status', 'active', 'suspended'],
        ['session.end', sessions[0].id, null],
        ['user.plan', 'self-hosted', 'pro'],
      ],
    )
    const wrongPlanReply = await ask('PATCH', `users/${id}`, { plan: 'gold' })
    assert.match(wrongPlanReply.error.message, /anonymous.*free.*starter.*pro.*business/)
    for (const [query, message] of [
      [{ role: 'ROOT' }, /^role: expected USER or ADMIN, got "ROOT"/],
      [{ status: 'gone' }, /^status: expected active or suspended, got "gone"/],
    ] as const) {
      const { error } = await ask('PATCH', `users/${id}`, query)
      assert.deepEqual([error.code, message.test(error.message)], ['INVALID_INPUT', true], error.message)
    }
    for (const path of ['users', 'audit']) {
      const { json } = await app.send('GET', `/v1/admin/${path}`, { headers, query: { cursor: 'x' } })
      assert.match(json.error.message, /^cursor: expected a `nextCursor` or `prevCursor` of this list/, path)
    }
    const webhooksReply = await openVisitor().send('GET', '/v1/webhooks', undefined, {
      query: { before: 'x' },
    })
    assert.match(
      webhooksReply.json.error.message,
      /^before: expected the id of the last webhook of the previous page/,
    )
    assert.equal((await ask('GET', 'users/acc_none')).status, 404)
  })

  test('plan changes made with the admin command publish their subscription events later, and only once', async () => {
    const { id } = (await signUp(openVisitor(), 'notified@example.com')).json.user
    await updateAccount(id, { plan: 'pro' }, { id: 'command' }, app.services)
    await updateAccount(id, { plan: 'business' }, { id: 'command' }, app.services)
    const dueRecords = await findDueRecords(new Date(), 1000, app.services.table)
    assert.ok(dueRecords.some((dueRecord) => dueRecord.kind === 'PLAN' && dueRecord.id === id))
    const publishedEvents: { event: string; id: string }[] = []
    const bus = { publish: async (events: typeof publishedEvents) => void publishedEvents.push(...events) }
    const { PLAN: wake = assert.fail() } = createWakeHandlers({ ...app.services, bus } as unknown as Services)
    await wake(id, new Date())
    await wake(id, new Date())
    assert.deepEqual(
      publishedEvents.map(({ event }) => event),
      ['subscription.created', 'subscription.updated'],
    )
    assert.equal(await updateAccount('acc_none', { plan: 'pro' }, { id: 'command' }, app.services), undefined)
  })

  test('GET /v1/admin/users requires the ADMIN role, and administrators cannot remove their own role', async () => {
    const here = openVisitor()
    const { id } = (await signUp(here, 'boss@example.com')).json.user
    assert.equal((await here.send('GET', '/v1/admin/users')).status, 403)
    assert.equal((await openVisitor().send('GET', '/v1/admin/users')).status, 401)
    await changeAccount(app.services, id, { role: 'ADMIN' })
    assert.equal((await here.send('GET', '/v1/admin/users')).status, 200)
    assert.equal((await here.send('PATCH', `/v1/admin/users/${id}`, { role: 'USER' })).status, 409)
  })

  test('the lists of accounts and of audit entries are paginated', async () => {
    const headers = { 'x-api-key': await newAdminKey(app.services) }
    for (const [path, name] of [
      ['users', 'users'],
      ['audit', 'entries'],
    ] as const) {
      const ids: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query: Record<string, string> = { limit: '2', ...(cursor && { cursor }) }
        const { data } = (await app.send('GET', `/v1/admin/${path}`, { headers, query })).json
        ids.push(...data[name].map(({ id }: { id: string }) => id))
        cursor = data.next
      }
      assert.ok(ids.length > 2)
      assert.deepEqual(ids, [...new Set(ids)].sort().reverse())
    }
  })
})
