import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { events } from '../../events/index.ts'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import { errorCodes } from '../../lib/error-catalog.ts'
import { newId } from '../../lib/ids.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { tasks } from './support/account-replies.ts'

let app: EmbeddedApp

before(async () => {
  app = await openApp()
})

after(() => app.close())

const announcedFile = { filename: 'a.png', contentType: 'image/png', size: 1 }

describe('replies to anonymous clients', () => {
  test('an anonymous client gets an owner token and a WebSocket ticket that is valid for a minute', async () => {
    const { status, json, headers } = await app.send('POST', '/v1/ws/tickets')
    assert.equal(status, 201)
    assert.match(json.data.ticket, /^wst_[\w-]{32}$/)
    assert.ok(Math.abs(Date.parse(json.data.expiresAt) - Date.now() - 60_000) < 10_000)
    assert.match(headers['x-owner-token'] ?? '', /^anon_/)
  })

  test('a client without an owner token can neither read nor rotate the webhook secret', async () => {
    for (const [method, path] of [
      ['GET', '/v1/webhooks/secret'],
      ['POST', '/v1/webhooks/secret/rotate'],
    ] as const) {
      const { status, json } = await app.send(method, path, method === 'POST' ? { body: {} } : {})
      assert.deepEqual([status, json.error.code], [401, 'AUTHENTICATION_REQUIRED'], path)
    }
  })

  test('a webhook created with a job can be read by its owner, but not changed, deleted or given a new secret', async () => {
    const headers = { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
    const webhookUrl = 'https://1.1.1.1/hook?token=secret'
    const body = { tasks, webhookUrl }
    const { jobId } = (await app.send('POST', '/v1/jobs', { headers, body })).json.data
    const path = `/v1/webhooks/${jobId.replace('job_', 'whk_')}`
    const { status: webhookStatus, json: webhook } = await app.send('GET', path, { headers })
    assert.deepEqual([webhookStatus, webhook.data.url], [200, webhookUrl])
    for (const [method, below, sentBody] of [
      ['PATCH', '', { enabled: false }],
      ['DELETE', '', undefined],
      ['POST', '/rotate-secret', {}],
    ] as const) {
      const { status, json } = await app.send(method, path + below, { headers, body: sentBody })
      assert.deepEqual([status, json.error.code], [404, 'WEBHOOK_NOT_FOUND'], method)
    }
    assert.equal((await app.send('GET', path)).status, 404, 'other clients cannot see it')
  })

  test('the status of an upload from a URL follows its import job', async () => {
    const body = { url: 'https://1.1.1.1/a.png', filename: 'folder/a.png', maxSize: 7 }
    const { status, json, headers } = await app.send('POST', '/v1/import/url', { body })
    assert.equal(status, 202, JSON.stringify(json))
    const { uploadId, jobId, ...rest } = json.data
    assert.deepEqual(rest, { status: 'pending', filename: 'a.png' })
    assert.deepEqual([headers['location'], headers['retry-after']], [`/v1/uploads/${uploadId}`, '2'])
    const ownHeaders = { 'x-owner-token': headers['x-owner-token'] ?? '' }
    const getStatus = async () =>
      (await app.send('GET', `/v1/uploads/${uploadId}`, { headers: ownHeaders })).json.data
    const { expiresAt, ...pending } = await getStatus()
    assert.deepEqual(pending, {
      uploadId,
      status: 'pending',
      filename: 'a.png',
      size: null,
      mimeType: 'application/octet-stream',
      format: null,
      sha256: null,
      importJobId: jobId,
      error: null,
      jobId: null,
    })
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 7_200_000) < 60_000)
    const job = await app.services.jobs.store.getState(jobId)
    assert.equal(job?.tasks.length, 1)
    await app.services.jobs.cancel(jobId, 'user')
    assert.equal((await getStatus()).status, 'failed')
    const unnamedReply = await app.send('POST', '/v1/import/url', { body: { url: 'https://1.1.1.1/a.png' } })
    assert.equal(unnamedReply.json.data.filename, null)
  })

  test('the status of an upload shows the declared values, and other clients get 404', async () => {
    const { json, headers } = await app.send('POST', '/v1/uploads/presign', { body: announcedFile })
    const ownHeaders = { 'x-owner-token': headers['x-owner-token'] ?? '' }
    const path = `/v1/uploads/${json.data.uploadId}`
    const upload = (await app.send('GET', path, { headers: ownHeaders })).json.data
    assert.partialDeepStrictEqual(upload, {
      status: 'pending',
      filename: 'a.png',
      size: 1,
      mimeType: 'image/png',
      importJobId: null,
      error: null,
    })
    assert.equal((await app.send('GET', path)).status, 404)
  })
})

describe('documentation pages for errors and events', () => {
  test('GET /errors lists every error code, and GET /errors/JOB-NOT-FOUND documents JOB_NOT_FOUND', async () => {
    const allErrorsReply = await app.send('GET', '/errors')
    assert.equal(allErrorsReply.headers['content-type'], 'text/html; charset=utf-8')
    assert.match(
      allErrorsReply.headers['content-security-policy'] ?? '',
      /^default-src 'none'.*style-src 'self' 'sha256-/,
    )
    for (const code of errorCodes) assert.ok(allErrorsReply.text.includes(`<code>${code}</code>`), code)
    const [, icon = ''] = /<link rel="icon" href="([^"]+)"/.exec(allErrorsReply.text) ?? []
    assert.equal((await app.send('GET', icon)).status, 200, 'browsers request no other icon')
    const { text } = await app.send('GET', '/errors/JOB-NOT-FOUND')
    assert.match(text, /<title>Job not found<\/title>.*<code>JOB_NOT_FOUND<\/code>, HTTP status 404/)
    const unknownErrorReply = await app.send('GET', '/errors/nothing')
    assert.deepEqual([unknownErrorReply.status, unknownErrorReply.json.error.code], [404, 'NOT_FOUND'])
  })

  test('GET /docs/events lists every event, and its example of job.completed is valid JSON', async () => {
    const { text, headers } = await app.send('GET', '/docs/events')
    assert.equal(headers['cache-control'], 'public, max-age=300')
    for (const name of Object.keys(events))
      assert.ok(text.includes(`<h3 id="${name}"><code>${name}</code>`), name)
    assert.match(text, /<dt><code>X-Webhook-Signature<\/code><\/dt><dd><code>sha256=<\/code> and/)
    const [, example = ''] = /id="job\.completed".*?<pre>(.*?)<\/pre>/s.exec(text) ?? []
    const parsedExample = JSON.parse(example.replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
    assert.equal(parsedExample.event, 'job.completed')
    assert.ok(!text.includes('`'), 'Markdown code spans are rendered')
  })
})
