import assert from 'node:assert/strict'
import { createAuthApi } from '../../../functions/auth.ts'
import { authEndpoints } from '../../../lib/access/auth/endpoints/index.ts'
import { getAuthOperationId } from '../../../lib/http/openapi/auth-paths.ts'
import type { RecordedExample } from '../../../lib/http/openapi/recorded-example.ts'
import { openApp } from '../../http/embedded-app.ts'
import { openOpenIdProvider } from '../../support/openid-provider.ts'
import { type BrowserReply, createMailbox, openBrowser } from '../test-browser.ts'
import { createTotp } from '../totp.ts'

/** Calls an endpoint by name, such as `POST /sign-out`. */
type Send = (name: string, body?: object, query?: Readonly<Record<string, string>>) => Promise<BrowserReply>

const mailbox = createMailbox()

/** Calls every endpoint of better-auth successfully. Returns a request and a reply of each, by operation. */
export async function recordAuthEndpoints(): Promise<Readonly<Record<string, RecordedExample>>> {
  const app = await openApp()
  const provider = await openOpenIdProvider()
  const company = {
    id: 'company',
    issuer: provider.issuer,
    clientId: 'mutabor',
    clientSecret: 'known to both',
  }
  const services = { ...app.services, config: { ...app.services.config, OPENID_PROVIDERS: [company] } }
  const account = createAuthApi(services, { mailer: mailbox, password: hashing, constantTimeMs: 0 })
  const recordedExamples: Record<string, RecordedExample> = {}
  const openVisitor = (): Send => {
    const { send } = openBrowser(app, account)
    return async (name, body, query = {}) => {
      const [method = '', path = ''] = name.split(' ')
      const reply = await send(method, `/v1/auth${path}`, body, { query })
      assert.ok(reply.status < 400, `${name}: ${reply.status} ${JSON.stringify(reply.json)}`)
      const { id, params, hasBody } = endpointAt(method, path)
      const { request, responses } = recordedExamples[id] ?? {}
      recordedExamples[id] = {
        parameters: { ...query, ...params },
        request: request ?? (hasBody ? { 'application/json': body } : {}),
        responses: { ...responses, ...(reply.status === 200 && { 200: reply.json ?? '<!DOCTYPE html>' }) },
      }
      return reply
    }
  }
  try {
    await callAll(openVisitor, provider.issuer)
  } finally {
    provider.close()
    await app.close()
  }
  // Replaces the provider's URL, whose port differs in each run.
  return JSON.parse(JSON.stringify(recordedExamples).replaceAll(provider.issuer, 'https://login.example.com'))
}

/** Replaces scrypt, which is slow on purpose. */
const hashing = {
  hash: async (text: string) => `hash of ${text}`,
  verify: async ({ hash, password }: { hash: string; password: string }) => hash === `hash of ${password}`,
}

function endpointAt(method: string, path: string) {
  for (const endpoint of authEndpoints) {
    const pattern = new RegExp(`^${endpoint.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    const match = endpoint.method === method && pattern.exec(path)
    if (match)
      return {
        id: getAuthOperationId(endpoint),
        params: { ...match.groups },
        hasBody: endpoint.body !== undefined,
      }
  }
  throw new Error(`there is no ${method} ${path}`)
}

/** Opens the link in the last email. */
function openLink(send: Send, withoutRedirect = false): Promise<BrowserReply> {
  const [href = ''] = /https?:\S+/.exec(mailbox.emails.at(-1)?.text ?? '') ?? []
  const { pathname, searchParams } = new URL(href)
  if (withoutRedirect) searchParams.delete('callbackURL')
  return send(`GET ${pathname.replace('/v1/auth', '')}`, undefined, Object.fromEntries(searchParams))
}

const email = 'ann@example.com'
const newEmail = 'sol@example.com'
const password = 'correct horse battery'

async function callAll(openVisitor: () => Send, issuer: string): Promise<void> {
  const send = openVisitor()
  await send('GET /ok')
  await send('GET /error', undefined, { error: 'x' })
  await send('GET /options')
  await send('GET /get-session')
  await send('POST /sign-up/email', { name: 'Ann', email, password })
  await send('POST /send-verification-email', { email })
  await openLink(send)
  await send('POST /sign-in/email', { email, password })
  await send('GET /get-session')
  await send('GET /list-sessions')
  await send('GET /list-accounts')
  await send('POST /update-user', { name: 'Ann Lee' })
  await send('POST /verify-password', { password })
  await send('POST /change-email', { newEmail })
  await openLink(send)
  await openLink(send, true)
  await send('POST /link-social', { provider: 'company', callbackURL: '/account' })
  const { json: started } = await send('POST /sign-in/social', {
    provider: 'company',
    callbackURL: '/account',
  })
  const { headers } = await fetch(started.url, { redirect: 'manual' })
  const back = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
  await send('POST /callback/company', back)
  await send('GET /callback/company', undefined, back)
  const { json: accounts } = await send('GET /list-accounts')
  const linkedAccount = accounts.find((account: { providerId: string }) => account.providerId === 'company')
  await send('POST /unlink-account', { accountId: linkedAccount.id })
  const { json: factor } = await send('POST /two-factor/enable', { password })
  await send('POST /two-factor/verify-totp', { code: createTotp(factor.totpURI) })
  await send('POST /two-factor/get-totp-uri', { password })
  const { json: renewed } = await send('POST /two-factor/generate-backup-codes', { password })
  const sendAsOtherVisitor = openVisitor()
  await sendAsOtherVisitor('POST /sign-in/email', { email: newEmail, password })
  await sendAsOtherVisitor('POST /two-factor/verify-backup-code', { code: renewed.backupCodes[0] })
  await send('POST /two-factor/disable', { password })
  const { json: current } = await sendAsOtherVisitor('GET /get-session')
  await send('POST /revoke-session', { token: current.session.token })
  await send('POST /revoke-other-sessions', {})
  await send('POST /change-password', { currentPassword: password, newPassword: `${password} 2` })
  await send('POST /request-password-reset', { email: newEmail, redirectTo: '/account' })
  const { headers: redirect } = await openLink(send)
  const { searchParams } = new URL(String(redirect['location']), issuer)
  await send('POST /reset-password', { token: searchParams.get('token'), newPassword: password })
  await send('POST /sign-in/email', { email: newEmail, password })
  await send('POST /revoke-sessions', {})
  await send('POST /sign-in/email', { email: newEmail, password })
  await send('POST /sign-out', {})
  const sendAsLastVisitor = openVisitor()
  await sendAsLastVisitor('POST /sign-in/email', { email: newEmail, password })
  await sendAsLastVisitor('POST /delete-user', { password })
}
