import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { createAuthApi } from '../../functions/auth.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { openBrowser } from './test-browser.ts'
import { createTotp } from './totp.ts'

const password = 'correct horse battery'
const hashText = (text: string) => createHash('sha256').update(text).digest('hex')
/** Replaces scrypt, which is slow on purpose. */
const fastPassword = {
  hash: async (text: string) => hashText(text),
  verify: async (given: { hash: string; password: string }) => given.hash === hashText(given.password),
}

let app: EmbeddedApp
let account: ReturnType<typeof createAuthApi>
before(async () => {
  app = await openApp()
  account = createAuthApi(app.services, { constantTimeMs: 0, password: fastPassword })
})
after(() => app.close())

const browser = () => openBrowser(app, account)

test('a redirect URL that browsers resolve to another host is rejected', async () => {
  for (const target of [
    '/..//evil.example',
    '/.//evil.example',
    '//evil.example',
    '/x/../..//evil.example',
    '/\\evil.example',
    '/%2e%2e//evil.example',
    '/x/%2E./.%2e//evil.example',
    '/..\\\\evil.example',
    '/\t/evil.example',
    ' //evil.example',
    '/./\n/evil.example',
    'http://localhost:8080@evil.example/',
    'http://localhost:8080.evil.example/',
    'https:evil.example',
    'data:text/html,x',
    'https://evil.example/',
    'http://localhost:8080//evil.example',
    'javascript:alert(1)',
  ]) {
    const query = { token: 'x', callbackURL: target }
    const reply = await browser().send('GET', '/v1/auth/verify-email', undefined, { query })
    assert.deepEqual([reply.status, reply.headers['location']], [403, undefined], target)
    assert.equal(reply.json.code, 'INVALID_CALLBACK_URL', target)
    const resetBody = { email: 'a@example.com', redirectTo: target }
    const { status, json } = await browser().send('POST', '/v1/auth/request-password-reset', resetBody)
    assert.deepEqual([status, json.code], [403, 'INVALID_REDIRECT_URL'], target)
  }
})

test('GET /v1/auth/verify-email redirects to the requested page of the service', async () => {
  for (const target of ['/account', '/account?verified=1', 'http://localhost:8080/account']) {
    const query = { token: 'x', callbackURL: target }
    const { status, headers } = await browser().send('GET', '/v1/auth/verify-email', undefined, { query })
    assert.equal(status, 302, target)
    assert.match(headers['location'] ?? '', /^(http:\/\/localhost:8080)?\/account\?/)
  }
})

test('after a TOTP code was used, later sign-ins with that code or the code of the previous time step are refused', async () => {
  const email = 'replay@example.com'
  const here = browser()
  await here.send('POST', '/v1/auth/sign-up/email', { name: 'Ann', email, password })
  const { totpURI } = (await here.send('POST', '/v1/auth/two-factor/enable', { password })).json
  const verify = (visitor: typeof here, code: string) =>
    visitor.send('POST', '/v1/auth/two-factor/verify-totp', { code })
  const signInWith = async (code: string) => {
    const nextBrowser = browser()
    await nextBrowser.send('POST', '/v1/auth/sign-in/email', { email, password })
    return verify(nextBrowser, code)
  }
  const code = createTotp(totpURI)
  assert.equal((await verify(here, code)).status, 200)
  const repeatedSignIn = await signInWith(code)
  assert.deepEqual([repeatedSignIn.status, repeatedSignIn.json.code], [401, 'INVALID_CODE'])
  assert.match(repeatedSignIn.json.message, /used before/)
  assert.equal((await signInWith(createTotp(totpURI, Date.now() - 30_000))).status, 401)
  const nextCode = createTotp(totpURI, Date.now() + 30_000)
  const bothReplies = await Promise.all([signInWith(nextCode), signInWith(nextCode)])
  assert.deepEqual(bothReplies.map(({ status }) => status).sort(), [200, 401])
})
