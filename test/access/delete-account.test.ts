import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createAuthApi } from '../../functions/auth.ts'
import { scheduleDeletion } from '../../lib/access/delete-account.ts'
import { createWakeHandlers } from '../../lib/services/wakeups.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { changeAccount } from '../support/account.ts'
import { openBrowser } from './test-browser.ts'

let app: EmbeddedApp
let account: ReturnType<typeof createAuthApi>
before(async () => {
  app = await openApp()
  const password = {
    hash: async (text: string) => `hash of ${text}`,
    verify: async (given: { hash: string; password: string }) => given.hash === `hash of ${given.password}`,
  }
  account = createAuthApi(app.services, { constantTimeMs: 0, password })
})
after(() => app.close())

const password = 'correct horse battery'
const tasks = {
  text: { operation: 'import/raw', filename: 'a.txt', file: 'words' },
  pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}
const hook = { url: 'https://1.1.1.1/hook', events: ['*'] }
const workflow = { name: 'each day', cron: '0 6 * * *', tasks: { ...tasks } }

async function createAccount(
  email: string,
  prepare: (here: ReturnType<typeof openBrowser>) => Promise<unknown> = async () => {},
) {
  const here = openBrowser(app, account)
  await prepare(here)
  const { id } = (await here.send('POST', '/v1/auth/sign-up/email', { name: 'Ann', email, password })).json
    .user
  return { ...here, id: String(id), close: (body: object) => here.send('POST', '/v1/auth/delete-user', body) }
}

const wake = (id: string) => {
  const { CLOSE = assert.fail() } = createWakeHandlers(app.services)
  return CLOSE(id, new Date())
}

/** Returns the partition keys of the records that contain the account id. */
async function listRecords(id: string): Promise<string[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'mutabor' }))
  return Items.filter((item) => JSON.stringify(item).includes(id)).map(({ pk }) => String(pk))
}
const getPrefix = (pk: string) => pk.slice(0, pk.indexOf('#'))

describe('account deletion', () => {
  test('deleting an account revokes its access and deletes its data, except audit entries, usage and key hashes', async () => {
    // For a day after the sign-up, the account also adopts resources that the visitor created before.
    const here = await createAccount('leaver@example.com', (visitor) =>
      visitor.send('POST', '/v1/jobs', { tasks }),
    )
    const { jobId } = (await here.send('POST', '/v1/jobs', { tasks })).json.data
    assert.equal((await here.send('POST', '/v1/webhooks', hook)).status, 201)
    assert.equal((await here.send('GET', '/v1/webhooks/secret')).status, 200)
    assert.equal((await here.send('POST', '/v1/workflows', workflow)).status, 201)
    const input = { name: 'laptop', scopes: ['CONVERT_READ'] }
    const createdKey = await here.send('POST', '/v1/api-keys', input)
    assert.equal(createdKey.status, 201)
    await here.send('POST', '/v1/auth/two-factor/enable', { password })

    assert.equal((await here.close({ password: 'not the password' })).json.code, 'INVALID_PASSWORD')
    assert.equal((await here.send('GET', '/v1/account')).status, 200)
    assert.equal((await here.close({ password })).status, 200)
    const signInReply = await openBrowser(app, account).send('POST', '/v1/auth/sign-in/email', {
      email: 'leaver@example.com',
      password,
    })
    assert.equal(signInReply.status, 401)
    assert.equal((await here.send('GET', '/v1/account')).status, 401)

    await wake(here.id)
    assert.equal(await app.services.jobs.store.getJob(jobId), undefined)
    const headers = { 'x-api-key': String(createdKey.json.data.key) }
    assert.equal((await app.send('GET', '/v1/jobs', { headers })).status, 401)
    // Audit entries, usage and revoked keys stay for their retention period.
    const remainingPrefixes = (await listRecords(here.id)).map(getPrefix)
    assert.deepEqual(
      remainingPrefixes.filter((kind) => !['AUDIT', 'USAGE', 'KEYHASH'].includes(kind)),
      [],
    )
    await wake(here.id)
  })

  test('the email address of a deleted account can be used again', async () => {
    const here = await createAccount('again@example.com')
    await here.close({ password })
    const nextAccount = await createAccount('again@example.com')
    assert.notEqual(nextAccount.id, here.id)
  })

  test('a scheduled account deletion is discarded if the account still exists, and the account keeps its jobs', async () => {
    const here = await createAccount('stayer@example.com')
    const { jobId } = (await here.send('POST', '/v1/jobs', { tasks })).json.data
    await scheduleDeletion(here.id, app.services)
    await wake(here.id)
    assert.equal((await here.send('GET', `/v1/jobs/${jobId}`)).status, 200)
    assert.ok(!(await listRecords(here.id)).some((pk) => getPrefix(pk) === 'CLOSE'))
  })

  test('an administrator account cannot be deleted', async () => {
    const here = await createAccount('boss@example.com')
    await changeAccount(app.services, here.id, { role: 'ADMIN' })
    const refusedReply = await here.close({ password })
    assert.deepEqual([refusedReply.status, refusedReply.json.code], [403, 'ADMINISTRATOR'])
    assert.equal((await here.send('GET', '/v1/account')).status, 200)
  })
})
