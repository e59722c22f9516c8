// Secrets that clients send are never stored in plain text, even if the client misspells the field name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getJobKey } from '../../lib/jobs/keys.ts'
import { getWebhookKey } from '../../lib/webhooks/webhook.ts'
import { getWorkflowKey } from '../../lib/workflows/workflow.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { scanTable } from '../http/support/idempotent-requests.ts'
import { newAccount, newKey } from '../support/account.ts'

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const secret = 'marmalade'
const url = `https://someone:${secret}@example.com/hooks/1?token=${secret}`
const tasks = {
  text: { operation: 'import/raw', filename: 'a.md', file: '# Hello' },
  pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
  locked: { operation: 'encrypt-pdf', input: 'pdf', options: { password: secret, userPasswrd: secret } },
  out: { operation: 'export/url', input: 'locked' },
}
const dailyWorkflow = { name: 'daily', cron: '0 3 * * *', tasks, webhookUrl: url }

interface RequestParts {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
}

async function newClient() {
  const owner = await newAccount(app.services)
  const keys = {
    all: await newKey(app.services, owner),
    read: await newKey(app.services, owner, { scopes: ['CONVERT_READ'] }),
  }
  let count = 0
  return async ({ method = 'POST', path, body }: RequestParts, by: keyof typeof keys = 'all') => {
    count += 1
    const headers = { 'x-api-key': keys[by], 'idempotency-key': `${owner}-${count}` }
    const { status, json } = await app.send(method, path, { headers, body })
    assert.ok(status < 300, JSON.stringify(json))
    return json.data
  }
}

test('secrets in webhook URLs and task options are not stored in plain text, even if the option is misspelled', async () => {
  const send = await newClient()
  const webhook = await send({ path: '/v1/webhooks', body: { url, events: ['*'] } })
  await send({ method: 'PATCH', path: `/v1/webhooks/${webhook.id}`, body: { url: `${url}&more` } })
  const workflow = await send({ path: '/v1/workflows', body: dailyWorkflow })
  await send({ method: 'PATCH', path: `/v1/workflows/${workflow.id}`, body: { tasks, webhookUrl: url } })
  await send({ path: `/v1/workflows/${workflow.id}/run` })
  const job = await send({ path: '/v1/jobs', body: { tasks, webhookUrl: url } })
  const field = { ...tasks.locked, options: undefined, password: secret, userPasswrd: secret }
  await send({
    path: '/v1/jobs',
    body: { tasks: { ...tasks, text: { operation: 'import/upload' }, locked: field } },
  })
  const options = { quality: 80, userPasswrd: secret }
  const form = new FormData()
  form.set('targetFormat', 'html')
  form.set('options', JSON.stringify(options))
  form.set('userPasswrd2', secret)
  form.set('file', new Blob(['# Hello']), 'a.md')
  await send({ path: '/v1/convert', body: form })
  const items = await scanTable()
  const foundItems = items.filter((item) => JSON.stringify(item, replaceSetsAndBytes).includes(secret))
  assert.deepEqual(
    foundItems.map(({ pk, sk }) => [pk, sk]),
    [],
  )
  for (const { pk } of [getWebhookKey(webhook.id), getWorkflowKey(workflow.id), getJobKey(job.jobId)])
    assert.ok(
      items.some((item) => item['pk'] === pk),
      `${pk} was looked at`,
    )
})

/** Converts sets and bytes to JSON. */
const replaceSetsAndBytes = (_: string, value: unknown) =>
  value instanceof Set
    ? [...value]
    : value instanceof Uint8Array
      ? Buffer.from(value).toString('latin1')
      : value

test('an API key with write access reads the full webhook URL of a workflow, and a read-only key reads it without secrets', async () => {
  const send = await newClient()
  const webhook = await send({ path: '/v1/webhooks', body: { url, events: ['*'] } })
  const shownWebhook = await send({ method: 'GET', path: `/v1/webhooks/${webhook.id}` })
  assert.deepEqual([webhook.url, shownWebhook.url], [url, url])
  const { id } = await send({ path: '/v1/workflows', body: dailyWorkflow })
  const get = { method: 'GET', path: `/v1/workflows/${id}` }
  assert.equal((await send(get)).webhookUrl, url)
  assert.equal((await send(get, 'read')).webhookUrl, 'https://example.com/hooks/1')
  const list = await send({ method: 'GET', path: '/v1/workflows' }, 'read')
  assert.equal(list.workflows[0].webhookUrl, 'https://example.com/hooks/1')
})

test('a client cannot pass off its own value as a value that the service encrypted', async () => {
  const owner = await newAccount(app.services)
  const headers = { 'x-api-key': await newKey(app.services, owner) }
  const sealed = { sealed: 'x' }
  const forgedTasks = { ...tasks, locked: { ...tasks.locked, options: { password: sealed } } }
  for (const body of [
    { ...dailyWorkflow, tasks: forgedTasks },
    { ...dailyWorkflow, tasks: { ...tasks, text: { ...tasks.text, file: sealed } } },
    { ...dailyWorkflow, tasks: { ...tasks, text: { ...tasks.text, options: sealed } } },
    { ...dailyWorkflow, tasks: { ...tasks, pdf: { ...tasks.pdf, options: sealed } } },
    { ...dailyWorkflow, tasks: { ...tasks, pdf: sealed } },
  ]) {
    const { status, json } = await app.send('POST', '/v1/workflows', { headers, body })
    assert.ok(status === 400 || status === 201, JSON.stringify(json))
  }
  const importTask = { operation: 'import/url', url: 'https://example.com/a.md', headers: sealed }
  const { json } = await app.send('POST', '/v1/jobs', {
    headers,
    body: { tasks: { ...tasks, text: importTask } },
  })
  const state = await app.services.jobs.store.getState(json.data.jobId)
  const spec = state?.tasks.find(({ name }) => name === 'text')?.spec ?? {}
  assert.deepEqual(app.services.vault.unsealAll(spec, json.data.jobId)['headers'], sealed)
})

test('webhook URLs that an earlier version stored unencrypted still work', async () => {
  const send = await newClient()
  const webhook = await send({ path: '/v1/webhooks', body: { url: 'https://example.com/', events: ['*'] } })
  const workflow = await send({ path: '/v1/workflows', body: dailyWorkflow })
  await app.services.table.update(getWebhookKey(webhook.id), { set: { url } })
  await app.services.table.update(getWorkflowKey(workflow.id), { set: { webhookUrl: url } })
  assert.equal((await send({ method: 'GET', path: `/v1/webhooks/${webhook.id}` })).url, url)
  assert.equal((await send({ method: 'GET', path: `/v1/workflows/${workflow.id}` })).webhookUrl, url)
  const renameRequest = { method: 'PATCH', path: `/v1/workflows/${workflow.id}`, body: { name: 'nightly' } }
  assert.equal((await send(renameRequest)).webhookUrl, url)
})

test('a task that waits for its upload stores the name of a misspelled option but not its value', async () => {
  const send = await newClient()
  const upload = { ...tasks, text: { operation: 'import/upload' } }
  const { jobId } = await send({ path: '/v1/jobs', body: { tasks: upload } })
  const state = await app.services.jobs.store.getState(jobId)
  const lockedTask = state?.tasks.find(({ name }) => name === 'locked')
  const { options } = (lockedTask?.spec ?? {}) as { options?: Record<string, unknown> }
  assert.equal(options?.['userPasswrd'], null)
})
