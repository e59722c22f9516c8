import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { SMTPServer } from 'smtp-server'
import { createTotp } from '../access/totp.ts'
import { after, before } from '../hooks.ts'
import { openOpenIdProvider } from '../support/openid-provider.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openSite, type Site } from './browser.ts'

/** Sign-up and sign-in in a real browser, with emails via SMTP and an OpenID provider. About 20 s. */

const emails: string[] = []
const password = 'correct horse battery'
let mail: SMTPServer
let provider: Awaited<ReturnType<typeof openOpenIdProvider>>
let site: Site

before(async () => {
  mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        emails.push(decodeQuotedPrintable(Buffer.concat(chunks).toString()))
        callback()
      })
    },
  })
  const port = await new Promise<number>((resolve) => {
    const server = mail.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
  provider = await openOpenIdProvider()
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

/** Links in quoted-printable text only need soft line breaks and equal signs decoded. */
const decodeQuotedPrintable = (email: string) => email.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')

const waitForLink = async (word: string, to = ada.email): Promise<string> => {
  const findLinks = () =>
    emails
      .filter((email) => email.includes(to))
      .flatMap((email) => email.match(/http\S+/g) ?? [])
      .find((link) => link.includes(word))
  await waitUntil(() => findLinks() !== undefined, 'an email arrives')
  return findLinks() ?? ''
}

interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: replies of many endpoints
  readonly json: any
}

async function openVisitor() {
  const context = await site.browser.newContext()
  const page: Page = await context.newPage()
  await page.goto(site.url)
  const request = (method: string, path: string, json?: unknown): Promise<Reply> =>
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
    ask: request,
    auth: (path: string, json?: unknown) => request('POST', `/v1/auth/${path}`, json ?? {}),
  }
}

const ada = { name: 'Ada', email: 'ada@example.com', password }

test('a visitor signs up by email, keeps earlier jobs and signs in with two factors', async () => {
  const here = await openVisitor()
  const tasks = {
    text: { operation: 'import/raw', filename: 'a.txt', file: 'hello' },
    csv: { operation: 'archive', input: 'text', output_format: 'zip' },
    out: { operation: 'export/url', input: 'csv' },
  }
  const createdReply = await here.ask('POST', '/v1/jobs', { tasks })
  assert.equal(createdReply.json.data.status, 'completed')
  assert.equal((await here.auth('sign-up/email', ada)).json.token, null)
  assert.equal((await here.auth('sign-in/email', ada)).json.code, 'EMAIL_NOT_VERIFIED')
  await here.page.goto(await waitForLink('verify-email'))
  assert.equal(here.page.url(), `${site.url}/`)
  assert.equal((await here.ask('GET', '/v1/account')).json.data.email, ada.email)
  const [job] = (await here.ask('GET', '/v1/jobs')).json.data.jobs
  assert.equal(job.jobId, createdReply.json.data.jobId)
  assert.equal((await fetch(job.result.downloadUrl)).status, 200, 'the link alone is sufficient')
  assert.equal((await fetch(`${site.url}/v1/download/${job.jobId}`)).status, 404)

  const { totpURI, backupCodes } = (await here.auth('two-factor/enable', { password })).json
  assert.equal((await here.auth('two-factor/verify-totp', { code: createTotp(totpURI) })).status, 200)
  const otherVisitor = await openVisitor()
  assert.equal((await otherVisitor.auth('sign-in/email', ada)).json.twoFactorRedirect, true)
  assert.equal((await otherVisitor.ask('GET', '/v1/account')).status, 401)
  // The code of the next 30-second step, because each code works only once.
  const nextCode = createTotp(totpURI, Date.now() + 30_000)
  assert.equal((await otherVisitor.auth('two-factor/verify-totp', { code: nextCode })).status, 200)
  assert.equal((await otherVisitor.ask('GET', '/v1/account')).status, 200)
  assert.equal((await here.auth('revoke-other-sessions')).status, 200)
  assert.equal((await otherVisitor.ask('GET', '/v1/account')).status, 401)

  await otherVisitor.auth('request-password-reset', { email: ada.email, redirectTo: '/?reset' })
  await otherVisitor.page.goto(await waitForLink('reset-password'))
  const token = new URL(otherVisitor.page.url()).searchParams.get('token')
  const newPassword = 'another good password'
  assert.equal((await otherVisitor.auth('reset-password', { newPassword, token })).status, 200)
  assert.equal((await here.ask('GET', '/v1/account')).status, 401, 'every session ends')
  await otherVisitor.auth('sign-in/email', { ...ada, password: newPassword })
  assert.equal(
    (await otherVisitor.auth('two-factor/verify-backup-code', { code: backupCodes[0] })).status,
    200,
  )
  assert.equal((await otherVisitor.ask('GET', '/v1/account')).status, 200)
})

test('a visitor signs in with an OpenID provider, gets an HttpOnly SameSite=Lax session cookie and signs out', async () => {
  const here = await openVisitor()
  const { url } = (await here.auth('sign-in/social', { provider: 'work', callbackURL: '/' })).json
  await here.page.goto(url)
  assert.equal(here.page.url(), `${site.url}/`)
  assert.equal((await here.ask('GET', '/v1/account')).json.data.email, 'sol@example.com')
  const [cookie] = (await here.context.cookies()).filter(({ name }) => name === 'session')
  assert.partialDeepStrictEqual(cookie, { httpOnly: true, sameSite: 'Lax', path: '/' })
  assert.equal((await here.auth('sign-out')).status, 200)
  assert.equal((await here.ask('GET', '/v1/account')).status, 401)
})

test('a user deletes the account on the page', async () => {
  const here = await openVisitor()
  const eve = { name: 'Eve', email: 'eve@example.com', password }
  await here.auth('sign-up/email', eve)
  await here.page.goto(await waitForLink('verify-email', eve.email))
  await here.page.goto(`${site.url}/account`)
  await here.page.getByText('Delete account').last().click()
  const form = here.page.locator('form', { hasText: 'Delete permanently' })
  await form.getByLabel('Password').fill('not the password')
  await form.getByRole('button').click()
  await here.page.getByText('Wrong password.').waitFor()
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button').click()
  await here.page.getByRole('heading', { name: 'Sign in' }).first().waitFor()
  assert.equal((await here.auth('sign-in/email', eve)).status, 401)
})
