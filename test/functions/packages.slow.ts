// Runs every function that is deployed as a zip from its package, with the quotas of a new AWS account.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { zipFunctionNames } from '../../lib/deployment/zip-functions.ts'
import { region } from '../embedded-aws/lambda-runtime.ts'
import { after, before } from '../hooks.ts'
import { canMount } from '../packages/lambda-sandbox.ts'
import { Client, startPackagedService } from '../packages/packaged-service.ts'
import type { TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

let packagedService: Awaited<ReturnType<typeof startPackagedService>>
let service: TestService
let receiver: Awaited<ReturnType<typeof openReceiver>>

before(async () => {
  receiver = await openReceiver()
  packagedService = await startPackagedService()
  service = packagedService.service
})
after(async () => {
  receiver?.close()
  await service?.stop()
})

test('this machine can isolate packaged functions from the checkout', (t) => {
  if (!canMount)
    t.skip('it gives no mounts: functions have a folder of their own, and could see the checkout')
})

const png = new Uint8Array(readFileSync(new URL('../fixtures/alpha.png', import.meta.url)))
const image = { filename: 'alpha.png', contentType: 'image/png', size: png.length }
const downloadBytes = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer())

test('the packaged functions convert an uploaded PNG to WebP', async () => {
  const client = new Client(service)
  const { uploadId, url, headers } = await client.presign(image)
  assert.equal((await fetch(url, { method: 'PUT', headers: { ...headers }, body: png })).status, 200)
  const job = await client.accepted(await client.post('/v1/convert', { uploadId, targetFormat: 'webp' }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const download = await client.fetch(`/v1/download/${job.jobId}`)
  assert.equal(download.status, 302)
  const resultBytes = await downloadBytes(download.headers.get('location') ?? '')
  assert.equal(Buffer.from(resultBytes.subarray(8, 12)).toString(), 'WEBP')
})

test('the packaged functions accept a file in the request, a later upload and an export to S3', async () => {
  const client = new Client(service)
  const bytes = new TextEncoder().encode('# A heading')
  const sentReply = await client.convert({ name: 'a.md', bytes }, { targetFormat: 'html' })
  assert.equal((await client.accepted(sentReply)).status, 'completed')
  const tasks = {
    sent: { operation: 'import/upload' },
    made: { operation: 'convert', input: 'sent', output_format: 'jpg' },
    out: {
      operation: 'export/s3',
      input: 'made',
      bucket: 'mutabor',
      key_prefix: 'exported/',
      region,
      endpoint: packagedService.servers['AWS_ENDPOINT_URL_S3'],
      access_key_id: packagedService.credentials.accessKeyId,
      secret_access_key: packagedService.credentials.secretAccessKey,
    },
  }
  const reply = (await (await client.post('/v1/jobs', { tasks })).json()) as {
    data: { jobId: string; tasks: { sent: { result: { put: { url: string; headers: object } } } } }
  }
  const { url, headers } = reply.data.tasks.sent.result.put
  assert.equal((await fetch(url, { method: 'PUT', headers: { ...headers }, body: png })).status, 200)
  const job = await client.finishedJob(reply.data.jobId)
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
})

test('the event stream of a job from the packaged functions starts with a snapshot event', async () => {
  const client = new Client(service)
  const bytes = new TextEncoder().encode('# A heading')
  const { jobId } = await client.accepted(
    await client.convert({ name: 'a.md', bytes }, { targetFormat: 'html' }),
  )
  const stream = await client.fetch(`/v1/jobs/${jobId}/events`)
  assert.equal(stream.status, 200)
  assert.match(await stream.text(), /^retry: \d+\n\nevent: snapshot\n/)
})

test('the packaged API refuses an encrypted PDF with PDF_ENCRYPTED', async () => {
  const client = new Client(service)
  const bytes = new Uint8Array(readFileSync(new URL('../fixtures/needs-password.pdf', import.meta.url)))
  const refusedReply = await client.convert({ name: 'locked.pdf', bytes }, { targetFormat: 'txt' })
  assert.equal(refusedReply.status, 422)
  assert.equal(((await refusedReply.json()) as { error: { code: string } }).error.code, 'PDF_ENCRYPTED')
})

test('the packaged functions run a workflow and deliver its events to a webhook and a WebSocket', async () => {
  const client = new Client(service)
  const webhookReply = await client.post('/v1/webhooks', {
    url: receiver.url('/hook'),
    events: ['job.completed'],
  })
  assert.equal(webhookReply.status, 201, await webhookReply.clone().text())
  const { data: ticket } = (await (await client.post('/v1/ws/tickets', {})).json()) as {
    data: { ticket: string }
  }
  const frames: string[] = []
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws/user/jobs?ticket=${ticket.ticket}`)
  socket.on('message', (frame) => frames.push(String(frame)))
  await waitUntil(() => frames.length > 0, 'the socket is greeted', 60)
  socket.send(JSON.stringify({ type: 'subscribe', jobs: '*' }))
  const tasks = {
    text: { operation: 'import/raw', filename: 'a.md', file: '# A' },
    page: { operation: 'convert', input: 'text', output_format: 'html' },
    out: { operation: 'export/url', input: 'page' },
  }
  const createdReply = await client.post('/v1/workflows', {
    name: 'often',
    cron: '0 * * * *',
    timezone: 'UTC',
    tasks,
  })
  assert.equal(createdReply.status, 201, await createdReply.clone().text())
  const { data: workflow } = (await createdReply.json()) as { data: { id: string } }
  assert.equal((await client.post(`/v1/workflows/${workflow.id}/run`, {})).status, 202)
  await waitUntil(() => receiver.at('/hook').length > 0, 'the webhook is called', 60)
  await waitUntil(
    () => frames.some((frame) => frame.includes('job.completed')),
    'the socket receives the event',
    60,
  )
  socket.close()
})

test('the packaged API replies to requests for pages, formats, accounts and unconfigured features', async () => {
  const client = new Client(service)
  const fetchStatus = async (path: string) => (await client.fetch(path)).status
  await waitUntil(async () => (await fetchStatus('/health')) === 200, 'the service is healthy', 60)
  assert.deepEqual(
    await Promise.all(
      ['/', '/v1/formats/png', '/v1/openapi.json', '/v1/account', '/v1/admin/slo'].map(fetchStatus),
    ),
    [200, 200, 200, 401, 401],
  )
  // A request that must not be repeated is not retried when the service is busy.
  const drive = new Request(`${service.url}/v1/cloud/dropbox/auth`)
  assert.equal((await fetch(drive)).status, 503)
  assert.ok((await fetchStatus('/v2/jobs')) < 500)
  const origin = { origin: service.url }
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const signUpReply = await client.post('/v1/auth/sign-up/email', person, origin)
  assert.equal(signUpReply.status, 200, await signUpReply.text())
})

test('every packaged function ran without denied permissions or failures', async () => {
  const listStartedFunctions = () =>
    new Set(
      packagedService.readLogLines().flatMap(({ msg, queue }) => (msg === 'worker started' ? [queue] : [])),
    )
  const queuesByFunction: Readonly<Record<string, string>> = { prepare: 'ready', deliver: 'delivery' }
  const listIdleFunctions = () =>
    zipFunctionNames.filter((name) => !listStartedFunctions().has(queuesByFunction[name] ?? name))
  await waitUntil(() => listIdleFunctions().length === 0, `${listIdleFunctions()} have run`, 60)
  assert.deepEqual(packagedService.findFailures(), { failed: [], denied: [] })
})
