import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { createAuthApi } from '../../functions/auth.ts'
import { resumeMove } from '../../lib/access/adopt-anonymous.ts'
import { findAccountByEmail, readAccount } from '../../lib/accounts/accounts.ts'
import { Live } from '../../lib/live/live.ts'
import { emailTemplates } from '../../lib/mail/emails.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { changeAccount } from '../support/account.ts'
import type { Visitor } from './support/accounts.ts'
import { openBrowser } from './test-browser.ts'

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

/** Tasks of the jobs that visitors create. */
const tasks = {
  text: { operation: 'import/raw', filename: 'a.txt', file: 'words' },
  pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}

describe('accounts and their jobs', () => {
  test('concurrent sign-ups with one email address create one account', async () => {
    const signUpReplies = await Promise.all(
      ['race@example.com', 'RACE@example.com', 'Race@Example.com'].map((email) =>
        signUp(openVisitor(), email),
      ),
    )
    assert.deepEqual(signUpReplies.map(({ status }) => status).sort(), [200, 422, 422])
    const createdUser = signUpReplies.find(({ status }) => status === 200)?.json.user
    const foundAccount = await findAccountByEmail(app.services, 'RACE@example.com')
    assert.partialDeepStrictEqual(foundAccount, {
      id: createdUser.id,
      email: 'race@example.com',
      plan: 'self-hosted',
      role: 'USER',
      status: 'active',
    })
  })

  test('while sign-up is closed, sign-ups are refused, but existing accounts can sign in', async () => {
    const services = { ...app.services, config: { ...app.services.config, SIGN_UP: 'closed' as const } }
    const here = openBrowser(app, createAuthApi(services, cheapHashing))
    const refusedSignUp = await signUp(here, 'closed@example.com')
    assert.deepEqual([refusedSignUp.status, refusedSignUp.json.code], [403, 'SIGN_UP_CLOSED'])
    assert.equal((await here.send('GET', '/v1/auth/options')).json.signUp, 'closed')
    await signUp(openVisitor(), 'member@example.com')
    assert.equal((await signIn(here, 'member@example.com')).status, 200)
  })

  test('users cannot set their own role or plan when they sign up or update their profile', async () => {
    const expectedFields = { role: 'ADMIN', plan: 'business', status: 'active', emailVerified: true }
    const here = openVisitor()
    const { id } = (await signUp(here, 'grab@example.com', expectedFields)).json.user
    await here.send('POST', '/v1/auth/update-user', { name: 'Bob', ...expectedFields })
    assert.partialDeepStrictEqual(await readAccount(app.services, id), {
      role: 'USER',
      plan: 'self-hosted',
      emailVerified: false,
    })
  })

  test('a session authenticates API requests until it is revoked', async () => {
    const here = openVisitor()
    const { json } = await signUp(here, 'session@example.com')
    const job = (await here.send('POST', '/v1/jobs', { tasks })).json.data
    assert.equal((await app.services.jobs.store.getJob(job.jobId))?.owner, json.user.id)

    const otherVisitor = openVisitor()
    await signIn(otherVisitor, 'session@example.com')
    assert.equal((await otherVisitor.send('GET', '/v1/jobs')).json.data.jobs.length, 1)
    const list = (await here.send('GET', '/v1/auth/list-sessions')).json
    assert.equal(list.length, 2)
    const otherSession = list.find(
      ({ ipAddress }: { ipAddress: string }) => ipAddress === otherVisitor.address,
    )
    assert.equal(
      (await here.send('POST', '/v1/auth/revoke-session', { token: otherSession.token })).status,
      200,
    )
    const refusedReply = await otherVisitor.send('GET', '/v1/jobs')
    assert.deepEqual([refusedReply.status, refusedReply.json.error.code], [401, 'AUTHENTICATION_REQUIRED'])
    assert.equal(otherVisitor.jar.has('session'), false, 'the next request is anonymous')
    assert.equal((await otherVisitor.send('GET', '/v1/jobs')).status, 200)
    assert.equal((await here.send('POST', '/v1/auth/sign-out', {})).status, 200)
    assert.equal(here.jar.has('session'), false)
  })

  test('a suspended account loses its sessions and cannot sign in', async () => {
    const here = openVisitor()
    const { json } = await signUp(here, 'suspended@example.com')
    await changeAccount(app.services, json.user.id, { status: 'suspended' })
    assert.equal((await here.send('GET', '/v1/jobs')).status, 401)
    assert.equal((await signIn(openVisitor(), 'suspended@example.com')).status, 403)
  })

  test('anonymous visitors and other accounts cannot access the jobs of an account, except through a signed URL', async () => {
    const here = openVisitor()
    await signUp(here, 'private@example.com')
    const { jobId } = (await here.send('POST', '/v1/jobs', { tasks })).json.data
    const otherAccount = openVisitor()
    await signUp(otherAccount, 'stranger@example.com')
    for (const stranger of [openVisitor(), otherAccount]) {
      for (const [method, path] of [
        ['GET', `/v1/jobs/${jobId}`],
        ['GET', `/v1/status/${jobId}`],
        ['GET', `/v1/download/${jobId}`],
        ['GET', `/v1/jobs/${jobId}/events`],
        ['POST', `/v1/jobs/${jobId}/cancel`],
        ['POST', `/v1/jobs/${jobId}/retry`],
        ['DELETE', `/v1/jobs/${jobId}`],
      ] as const) {
        const { status, json } = await stranger.send(method, path)
        assert.deepEqual([path, status, json.error.code], [path, 404, 'JOB_NOT_FOUND'])
      }
    }
    assert.equal((await here.send('GET', `/v1/status/${jobId}`)).status, 200)
    const url = new URL(app.services.resultLink({ id: jobId }))
    const confirmReply = await openVisitor().send('GET', url.pathname, undefined, {
      query: Object.fromEntries(url.searchParams),
    })
    assert.equal(confirmReply.json.error.code, 'CONFLICT', 'access is allowed, but there is no result yet')
  })

  test('a new account takes over the jobs, uploads and webhooks created anonymously in the same browser', async () => {
    const here = openVisitor()
    const { jobId } = (await here.send('POST', '/v1/jobs', { tasks, tag: 'mine' })).json.data
    const createdJobId = (await here.send('POST', '/v1/jobs', { tasks })).json.data.jobId
    await here.send('POST', `/v1/jobs/${createdJobId}/cancel`)
    const hook = { url: 'https://1.1.1.1/hook', events: ['*'] }
    const { id: hookId } = (await here.send('POST', '/v1/webhooks', hook)).json.data
    const secret = (await here.send('GET', '/v1/webhooks/secret')).json.data.secret
    const ownerBefore = (await app.services.jobs.store.getJob(jobId))?.owner ?? ''
    const declaredFile = { filename: 'a.png', contentType: 'image/png', size: 1 }
    const { uploadId } = (await here.send('POST', '/v1/uploads/presign', declaredFile)).json.data
    const uploadFields = { filename: 'b.png', type: 'image/png', size: 1 }
    const multipartUpload = (await here.send('POST', '/v1/uploads/multipart', uploadFields)).json.data
    const { json } = await signUp(here, 'before@example.com')
    const { id } = json.user
    const listedJobs = (await here.send('GET', '/v1/jobs')).json.data.jobs
    assert.deepEqual(
      new Set(listedJobs.map((job: { jobId: string }) => job.jobId)),
      new Set([jobId, createdJobId]),
    )
    const taggedJobs = (await here.send('GET', '/v1/jobs', undefined, { query: { tag: 'mine' } })).json.data
      .jobs
    assert.equal(taggedJobs.length, 1)
    assert.deepEqual(
      (await here.send('GET', '/v1/webhooks')).json.data.webhooks.map(
        (webhook: { id: string }) => webhook.id,
      ),
      [hookId],
    )
    assert.equal((await here.send('GET', '/v1/webhooks/secret')).json.data.secret, secret)
    assert.equal((await openVisitor().send('GET', `/v1/status/${jobId}`)).status, 404)
    for (const upload of [uploadId, multipartUpload.uploadId]) {
      assert.equal((await here.send('GET', `/v1/uploads/${upload}`)).status, 200)
      assert.equal((await openVisitor().send('GET', `/v1/uploads/${upload}`)).status, 404)
    }

    // A worker that read the job before the move still writes the end of the job with the old owner.
    await app.services.jobs.store.changeJob(jobId, {
      set: { status: 'completed', listKey: `${ownerBefore}#completed` },
    })
    await resumeMove(id, new Date(), app.services)
    const completedJobs = (await here.send('GET', '/v1/jobs', undefined, { query: { status: 'completed' } }))
      .json.data
    assert.deepEqual(
      completedJobs.jobs.map((job: { jobId: string }) => job.jobId),
      [jobId],
    )
  })
})

describe('WebSockets of jobs', () => {
  test('the WebSocket of a job opens with the session cookie of its owner, but not without a cookie or with a forged one', async () => {
    const here = openVisitor()
    await signUp(here, 'socket@example.com')
    const { jobId } = (await here.send('POST', '/v1/jobs', { tasks })).json.data
    const live = new Live(app.services)
    const connect = (cookie?: string) =>
      live.connect(`c-${cookie?.length}`, {
        headers: { ...(cookie && { cookie }) },
        query: { jobId },
        sourceIp: '192.0.2.1',
      })
    await assert.rejects(connect(), { code: 'JOB_NOT_FOUND' })
    await assert.rejects(connect('session=forged.x'), { code: 'JOB_NOT_FOUND' })
    await connect(`session=${here.jar.get('session')}`)
  })
})

describe('emails to account owners', () => {
  test('a confirmation email omits a user name that contains a host name or a line break, or that is very long', () => {
    assert.match(emailTemplates.confirmAddress("Ann O'Neil-Ünal", 'u').text, /^Hello Ann O'Neil-Ünal,\n/)
    for (const name of ['visit evil.example now', 'https://evil.example', 'a\nb', 'x'.repeat(100)])
      assert.match(emailTemplates.confirmAddress(name, 'u').text, /^Hello,\n/)
  })
})

describe('session cookies', () => {
  test('a page of another origin cannot use a session cookie', async () => {
    const here = openVisitor()
    await signUp(here, 'csrf@example.com')
    const headers = { origin: 'https://evil.example' }
    const refusedReply = await here.send('POST', '/v1/jobs', { tasks }, { headers })
    assert.deepEqual([refusedReply.status, refusedReply.json.error.code], [403, 'INSUFFICIENT_PERMISSIONS'])
    for (const path of ['sign-out', 'update-user', 'sign-in/email'])
      assert.equal((await here.send('POST', `/v1/auth/${path}`, {}, { headers })).status, 403)
  })

  test('a session token without a signature, or signed with another key, is rejected', async () => {
    const here = openVisitor()
    const { json } = await signUp(here, 'forged@example.com')
    const { token } = json
    const sign = (secret: string) => createHmac('sha256', secret).update(token).digest('base64')
    for (const value of [token, `${token}.`, `${token}.${sign('another secret')}`, '%E0%A4%A', '.x']) {
      const forger = openVisitor()
      forger.jar.set('session', encodeURIComponent(value).replaceAll('%25', '%'))
      assert.equal((await forger.send('GET', '/v1/jobs')).status, 401)
    }
  })
})
