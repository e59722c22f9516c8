import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { createAuthApi } from '../../functions/auth.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import type { Visitor } from './support/accounts.ts'
import { type BrowserReply, openBrowser } from './test-browser.ts'

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

describe('rejected sign-in requests', () => {
  test('a request to an auth endpoint with an invalid field is rejected with an error that names the field', async () => {
    const getErrorMessage = async (path: string, body: unknown) =>
      (await openVisitor().send('POST', `/v1/auth/${path}`, body)).json.message
    assert.equal(await getErrorMessage('sign-in/email', { email: 5 }), 'email: expected a text, got 5.')
    assert.equal(
      await getErrorMessage('sign-up/email', { email: 'x', password, name: 'Ann' }),
      'email: expected an email address such as ann@example.com, got "x".',
    )
    assert.equal(
      await getErrorMessage('change-password', { currentPassword: password }),
      'newPassword: it is missing; expected a text.',
    )
    assert.equal(await getErrorMessage('change-email', []), 'body: expected an object, got a list.')
    assert.match(
      await getErrorMessage('sign-up/email', { email: 'a@example.com', password: 'short', name: 'A' }),
      /at least 10/,
    )
    assert.match(await getErrorMessage('update-user', { name: 'Bob' }), /^You are not signed in/)
  })

  test('error messages of better-auth are complete sentences that say what to do', async () => {
    await signUp(openVisitor(), 'twice@example.com')
    for (const [path, body, expectedMessage] of [
      [
        'sign-in/email',
        { email: 'twice@example.com', password: 'wrong horse battery' },
        /you can reset it by email/,
      ],
      [
        'sign-up/email',
        { email: 'twice@example.com', password, name: 'Ann' },
        /Sign in, or use another email address/,
      ],
      ['sign-in/social', { provider: 'unknown' }, /^provider: not available.* GET \/v1\/auth\/options/],
      ['two-factor/verify-totp', { code: '123456' }, /^Sign in with your password first/],
    ] as const) {
      const { status, json } = await openVisitor().send('POST', `/v1/auth/${path}`, body)
      assert.ok(status >= 400, path)
      assert.match(json.message, expectedMessage)
      assert.match(json.message, /\.$/)
    }
  })

  test('a sign-up whose user name has an unpaired surrogate is rejected with an error that names the field', async () => {
    const body = { name: 'Ann \ud83d', email: 'half@example.com', password }
    const { status, json, headers } = await openVisitor().send('POST', '/v1/auth/sign-up/email', body)
    assert.deepEqual([status, json.code], [400, 'INVALID_INPUT'])
    assert.match(json.message, /^name: expected valid Unicode/)
    assert.match(headers['x-request-id'] ?? '', /^req_/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
  })

  test('empty, invisible, multi-line and overlong names of users, API keys, OAuth clients and workflows are rejected', async () => {
    const here = openVisitor()
    await signUp(here, 'names@example.com')
    const signUpAs = (name: string) => signUp(openVisitor(), 'newcomer@example.com', { name })
    const workflow = { cron: '@daily', tasks: {} }
    const sendNameByEndpoint: Readonly<Record<string, (name: string) => Promise<BrowserReply>>> = {
      signUp: signUpAs,
      change: (name) => here.send('POST', '/v1/auth/update-user', { name }),
      key: (name) => here.send('POST', '/v1/api-keys', { name }),
      client: (name) => here.send('POST', '/v1/oauth/clients', { name }),
      workflow: (name) => here.send('POST', '/v1/workflows', { name, ...workflow }),
    }
    for (const [place, send] of Object.entries(sendNameByEndpoint)) {
      for (const name of [
        '',
        ' \u3000',
        'a\0b',
        'a\u001bb',
        'a\nb',
        'a\u2028b',
        'a\u202eb',
        '\u200b',
        'x'.repeat(10_000),
      ]) {
        const { status, json } = await send(name)
        const { code, message, details } = json.error ?? json
        assert.deepEqual([status, code, details.field], [400, 'INVALID_INPUT', 'name'], `${place} ${name}`)
        assert.match(message, /^name: expected a (text of 1 to \d00 characters|readable name: .*), got "/)
        assert.doesNotMatch(message, /\u202e/)
      }
    }
    const hook = { url: 'https://www.example.com/hook', events: ['*'], description: 'a\0b' }
    const { json } = await here.send('POST', '/v1/webhooks', hook)
    assert.match(json.error.message, /^description: expected a single line of text/)
  })

  test('users can change their names to personal names in Latin, Chinese, Arabic and Hebrew script', async () => {
    const names = ["Ann O'Neil-Ünal", '李小龍', 'مُحَمَّد', 'שרה\u200f', '👩\u200d🚀', ' Ann ']
    const here = openVisitor()
    await signUp(here, 'named@example.com')
    for (const name of names) {
      assert.equal((await here.send('POST', '/v1/auth/update-user', { name })).status, 200, name)
      const { json } = await here.send('GET', '/v1/auth/get-session')
      assert.equal(json.user.name, name.trim())
    }
  })

  test('the error for a sign-in with several invalid fields lists all of them', async () => {
    const { status, json } = await openVisitor().send('POST', '/v1/auth/sign-in/email', { password: 7 })
    assert.deepEqual([status, json.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual(
      json.details.errors.map(({ field }: { field: string }) => field),
      ['email', 'password'],
    )
    assert.doesNotMatch(JSON.stringify(json), /7/)
  })

  test('an unknown endpoint below /v1/auth returns 404', async () => {
    const { status, json } = await openVisitor().send('POST', '/v1/auth/nothing', {})
    assert.equal(status, 404)
    assert.match(json.message, /no endpoint POST \/v1\/auth\/nothing/)
  })

  test('the Content-Security-Policy of the better-auth error page allows no scripts', async () => {
    const { headers } = await openVisitor().send('GET', '/v1/auth/error', undefined, {
      query: { error: 'denied' },
    })
    assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'unsafe-inline'/)
  })
})
