import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { totpOf } from '../access/totp.ts'
import { after, before } from '../hooks.ts'
import { until } from '../wait-until.ts'
import { openSite, type Site } from './browser.ts'

/** Signing up and in by a real browser, with letters by SMTP and an OpenID provider. About twenty seconds. */

const letters: string[] = []
const password = 'correct horse battery'
let mail: SMTPServer
let provider: Awaited<ReturnType<typeof openProvider>>
let site: Site

before(async () => {
  mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        letters.push(plain(Buffer.concat(pieces).toString()))
        done()
      })
    },
  })
  const port = await new Promise<number>((resolve) => {
    const server = mail.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
  provider = await openProvider()
  const { issuer } = provider
  site = await openSite({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    OPENID_PROVIDERS: JSON.stringify([
      { id: 'work', name: 'Work', issuer, clientId: 'mutabor', clientSecret: 'known to both' },
    ]),
  })
})
after(async () => {
  await site.close()
  provider.close()
  await new Promise<void>((resolve) => mail.close(resolve))
})

/** Quoted-printable, of which a link has soft breaks and equal signs. */
const plain = (letter: string) => letter.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')

const linkIn = async (word: string, to = ada.email): Promise<string> => {
  const found = () =>
    letters
      .filter((letter) => letter.includes(to))
      .flatMap((letter) => letter.match(/http\S+/g) ?? [])
      .find((link) => link.includes(word))
  await until(() => found() !== undefined, 'a letter comes')
  return found() ?? ''
}

interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever is answered
  readonly json: any
}

async function visitor() {
  const context = await site.browser.newContext()
  const page: Page = await context.newPage()
  await page.goto(site.url)
  const ask = (method: string, path: string, json?: unknown): Promise<Reply> =>
    page.evaluate(
      async ([verb, where, body]) => {
        const headers = { 'content-type': 'application/json', prefer: 'wait=25' }
        const response = await fetch(where, { method: verb, ...(body !== null && { headers, body }) })
        const text = await response.text()
        return {
          status: response.status,
          json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
        }
      },
      [method, path, json === undefined ? null : JSON.stringify(json)] as const,
    )
  return {
    page,
    context,
    ask,
    auth: (path: string, json?: unknown) => ask('POST', `/v1/auth/${path}`, json ?? {}),
  }
}

const ada = { name: 'Ada', email: 'ada@example.com', password }

test('a person signs up with a letter, has the jobs from before, and is asked for a second factor', async () => {
  const here = await visitor()
  const tasks = {
    text: { operation: 'import/raw', filename: 'a.txt', file: 'hello' },
    csv: { operation: 'archive', input: 'text', output_format: 'zip' },
    out: { operation: 'export/url', input: 'csv' },
  }
  const made = await here.ask('POST', '/v1/jobs', { tasks })
  assert.equal(made.json.data.status, 'completed')
  assert.equal((await here.auth('sign-up/email', ada)).json.token, null)
  assert.equal((await here.auth('sign-in/email', ada)).json.code, 'EMAIL_NOT_VERIFIED')
  await here.page.goto(await linkIn('verify-email'))
  assert.equal(here.page.url(), `${site.url}/`)
  assert.equal((await here.ask('GET', '/v1/account')).json.data.email, ada.email)
  const [job] = (await here.ask('GET', '/v1/jobs')).json.data.jobs
  assert.equal(job.jobId, made.json.data.jobId)
  assert.equal((await fetch(job.result.downloadUrl)).status, 200, 'by the link alone')
  assert.equal((await fetch(`${site.url}/v1/download/${job.jobId}`)).status, 404)

  const { totpURI, backupCodes } = (await here.auth('two-factor/enable', { password })).json
  assert.equal((await here.auth('two-factor/verify-totp', { code: totpOf(totpURI) })).status, 200)
  const elsewhere = await visitor()
  assert.equal((await elsewhere.auth('sign-in/email', ada)).json.twoFactorRedirect, true)
  assert.equal((await elsewhere.ask('GET', '/v1/account')).status, 401)
  assert.equal((await elsewhere.auth('two-factor/verify-totp', { code: totpOf(totpURI) })).status, 200)
  assert.equal((await elsewhere.ask('GET', '/v1/account')).status, 200)
  assert.equal((await here.auth('revoke-other-sessions')).status, 200)
  assert.equal((await elsewhere.ask('GET', '/v1/account')).status, 401)

  await elsewhere.auth('request-password-reset', { email: ada.email, redirectTo: '/?reset' })
  await elsewhere.page.goto(await linkIn('reset-password'))
  const token = new URL(elsewhere.page.url()).searchParams.get('token')
  const newPassword = 'another good password'
  assert.equal((await elsewhere.auth('reset-password', { newPassword, token })).status, 200)
  assert.equal((await here.ask('GET', '/v1/account')).status, 401, 'every session ends')
  await elsewhere.auth('sign-in/email', { ...ada, password: newPassword })
  assert.equal((await elsewhere.auth('two-factor/verify-backup-code', { code: backupCodes[0] })).status, 200)
  assert.equal((await elsewhere.ask('GET', '/v1/account')).status, 200)
})

test('a person signs in by a provider, and the session is that of this page alone', async () => {
  const here = await visitor()
  const { url } = (await here.auth('sign-in/social', { provider: 'work', callbackURL: '/' })).json
  await here.page.goto(url)
  assert.equal(here.page.url(), `${site.url}/`)
  assert.equal((await here.ask('GET', '/v1/account')).json.data.email, 'sol@example.com')
  const [cookie] = (await here.context.cookies()).filter(({ name }) => name === 'session')
  assert.partialDeepStrictEqual(cookie, { httpOnly: true, sameSite: 'Lax', path: '/' })
  assert.equal((await here.auth('sign-out')).status, 200)
  assert.equal((await here.ask('GET', '/v1/account')).status, 401)
})

test('a person closes the account on the page', async () => {
  const here = await visitor()
  const eve = { name: 'Eve', email: 'eve@example.com', password }
  await here.auth('sign-up/email', eve)
  await here.page.goto(await linkIn('verify-email', eve.email))
  await here.page.goto(`${site.url}/account`)
  await here.page.getByText('Close the account').last().click()
  const form = here.page.locator('form', { hasText: 'Close it for good' })
  await form.getByLabel('Password').fill('not the password')
  await form.getByRole('button').click()
  await here.page.getByText('This is not your password.').waitFor()
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button').click()
  await here.page.getByRole('heading', { name: 'Sign in' }).first().waitFor()
  assert.equal((await here.auth('sign-in/email', eve)).status, 401)
})

/** An OpenID provider that signs everybody in as the same person. */
async function openProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const nonces = new Map<string, string | null>()
  let issuer = ''
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer)
    const answer = (body: object) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (pathname === '/jwks') return answer({ keys: [jwk] })
    if (pathname === '/authorize') {
      assert.equal(searchParams.get('code_challenge_method'), 'S256')
      const code = String(nonces.size)
      nonces.set(code, searchParams.get('nonce'))
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', searchParams.get('state') ?? '')
      return response.writeHead(302, { location: back.href }).end()
    }
    if (pathname === '/token') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      const nonce = nonces.get(form.get('code') ?? '')
      const claims = { email: 'sol@example.com', email_verified: true, name: 'Sol', ...(nonce && { nonce }) }
      const idToken = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuer(issuer)
        .setAudience('mutabor')
        .setSubject('person-1')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
      return answer({ access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token: idToken })
    }
    answer({
      ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, id_token_signing_alg_values_supported: ['RS256'] },
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { issuer, close: () => server.close() }
}
