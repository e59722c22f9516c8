import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { routes } from '../../functions/routes/index.ts'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import type { Item } from '../../lib/aws/table.ts'
import { newId } from '../../lib/ids.ts'
import { after, before } from '../hooks.ts'
import { inlineComponents } from '../support/inline-components.ts'
import { type EmbeddedApp, openApp, type RequestOptions } from './embedded-app.ts'
import {
  assertCode,
  assertReplay,
  createForm,
  isReplay,
  listReservations,
  scanTable,
} from './support/idempotent-requests.ts'

let app: EmbeddedApp

before(async () => {
  app = await openApp()
})

after(() => app.close())

let keys = 0

const newKey = () => `key-${++keys}-${crypto.randomUUID()}`

/** Creates an identity for a test and returns the header with its token. */
async function newIdentity(): Promise<Record<string, string>> {
  return { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
}

const imageBytes = readFileSync(new URL('../fixtures/alpha.png', import.meta.url))

function createImageForm(fields: Readonly<Record<string, string>>, ...names: readonly string[]): FormData {
  const data = createForm({ mergeType: 'image', ...fields })
  for (const name of names) data.append('file', new Blob([imageBytes]), name)
  return data
}

const convert = (sentRequest: RequestOptions & { readonly key?: string }, on = app, contracts = routes) => {
  const { key, ...rest } = sentRequest
  const body = sentRequest.body ?? createForm({ targetFormat: 'pdf' }, '# Hello')
  const headers = { ...sentRequest.headers, ...(key && { 'idempotency-key': key }) }
  return on.send('POST', '/v1/convert', { ...rest, body, headers }, contracts)
}

async function listJobs(headers: Record<string, string>): Promise<string[]> {
  const { json } = await app.send('GET', '/v1/jobs', { headers, query: { limit: '100' } })
  return json.data.jobs.map(({ jobId }: { jobId: string }) => jobId)
}

/** Changes all idempotency records, as if time had passed. */
async function changeReservations(change: (item: Item) => Item): Promise<void> {
  for (const item of await listReservations())
    await app.services.table.update({ pk: String(item.pk), sk: String(item.sk) }, { set: change(item) })
}

async function countFiles(): Promise<number> {
  const client = new S3Client({ region: 'eu-central-1', forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'mutabor' }))
  client.destroy()
  return Contents.length
}

test('a repeated request with the same idempotency key returns the same reply and creates one job', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const firstReply = await convert({ headers, key })
  assert.equal(firstReply.status, 202, firstReply.text)
  const files = await countFiles()
  const secondReply = await convert({ headers, key })
  assertReplay(secondReply, firstReply)
  assert.equal(secondReply.headers.location, firstReply.headers.location)
  assert.equal(secondReply.headers['retry-after'], firstReply.headers['retry-after'])
  assert.notEqual(secondReply.headers['x-request-id'], firstReply.headers['x-request-id'])
  assert.deepEqual(await listJobs(headers), [firstReply.json.jobId])
  assert.equal(await countFiles(), files, 'the file of the repetition is deleted')
})

const otherRequests: [caseName: string, sent: RequestOptions][] = [
  ['another field', { body: createForm({ targetFormat: 'html' }, '# Hello') }],
  ['another file', { body: createForm({ targetFormat: 'pdf' }, '# Hallo') }],
  ['one more field', { body: createForm({ targetFormat: 'pdf', tag: 'a' }, '# Hello') }],
  ['another query', { query: { redirect: 'true' } }],
]

for (const [caseName, sent] of otherRequests) {
  test(`a request with ${caseName} is rejected if its idempotency key was already used`, async () => {
    const headers = await newIdentity()
    const key = newKey()
    const firstReply = await convert({ headers, key })
    assertCode(await convert({ ...sent, headers, key }), 422, 'IDEMPOTENCY_KEY_REUSED')
    assertReplay(await convert({ headers, key }), firstReply)
    assert.equal((await listJobs(headers)).length, 1)
  })
}

test('an idempotent request with reordered files counts as a different request, but reordered fields make no difference', async () => {
  const headers = { ...(await newIdentity()), 'idempotency-key': newKey() }
  const merge = (body: FormData) => app.send('POST', '/v1/convert/merge', { headers, body })
  const firstReply = await merge(createImageForm({ layout: 'vertical', tag: 'a' }, 'one.png', 'two.png'))
  assert.equal(firstReply.status, 202, firstReply.text)
  assertReplay(
    await merge(createImageForm({ tag: 'a', layout: 'vertical' }, 'one.png', 'two.png')),
    firstReply,
  )
  const reorderedForm = createImageForm({ layout: 'vertical', tag: 'a' }, 'two.png', 'one.png')
  assertCode(await merge(reorderedForm), 422, 'IDEMPOTENCY_KEY_REUSED')
})

test('an idempotent request with reordered JSON members counts as the same request', async () => {
  const headers = { ...(await newIdentity()), 'idempotency-key': newKey() }
  const givenTask = { operation: 'import/raw', filename: 'a.md', file: '# Hello' }
  const { file, filename, operation } = givenTask
  const pdf = { operation: 'convert', input: 'given', output_format: 'pdf' }
  const exportTask = { operation: 'export/url', input: 'pdf' }
  const post = (body: unknown) => app.send('POST', '/v1/jobs', { headers, body })
  const firstReply = await post({ tasks: { given: givenTask, pdf, out: exportTask }, tag: 'a' })
  assert.equal(firstReply.status, 202, firstReply.text)
  assertReplay(
    await post({ tag: 'a', tasks: { out: exportTask, pdf, given: { file, filename, operation } } }),
    firstReply,
  )
})

test('two concurrent requests with one idempotency key create one job; the other gets the same reply or Retry-After', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const bothReplies = await Promise.all([convert({ headers, key }), convert({ headers, key })])
  const [firstReply, secondReply] = bothReplies.toSorted((a, b) => a.status - b.status)
  assert.equal(firstReply?.status, 202)
  assert.ok(secondReply)
  if (isReplay(secondReply)) assertReplay(secondReply, firstReply)
  else {
    assertCode(secondReply, 409, 'IDEMPOTENCY_IN_PROGRESS')
    assert.match(secondReply.headers['retry-after'] ?? '', /^\d+$/)
  }
  assert.equal((await listJobs(headers)).length, 1)
})

test('a corrected request can reuse the idempotency key of the rejected request', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const wrongReply = await convert({ headers, key, body: createForm({ targetFormat: 'mp3' }, '# Hello') })
  assertCode(wrongReply, 422, 'UNSUPPORTED_CONVERSION')
  const correctedReply = await convert({ headers, key })
  assert.equal(correctedReply.status, 202, correctedReply.text)
  assertReplay(await convert({ headers, key }), correctedReply)
  assert.deepEqual(await listJobs(headers), [correctedReply.json.jobId])
})

test('an anonymous client whose request was rejected can reuse the idempotency key', async () => {
  const key = newKey()
  const wrongReply = await convert({ key, body: createForm({ targetFormat: 'mp3' }, '# Hello') })
  assertCode(wrongReply, 422, 'UNSUPPORTED_CONVERSION')
  assert.equal((await convert({ key })).status, 202)
})

test('an idempotency key belongs to one identity and one endpoint', async () => {
  const key = newKey()
  const [one, otherIdentity] = [await newIdentity(), await newIdentity()]
  const firstReply = await convert({ headers: one, key })
  const secondReply = await convert({ headers: otherIdentity, key })
  assert.equal(secondReply.status, 202, secondReply.text)
  assert.notEqual(secondReply.json.jobId, firstReply.json.jobId)
  const headers = { ...one, 'idempotency-key': key }
  const mergedReply = await app.send('POST', '/v1/convert/merge', {
    headers,
    body: createImageForm({}, 'one.png', 'two.png'),
  })
  assert.equal(mergedReply.status, 202, mergedReply.text)
})

test('an idempotency key is forgotten after 24 hours', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const firstReply = await convert({ headers, key })
  const anonymousReply = await convert({ key })
  const dayAgo = Math.floor(Date.now() / 1000) - 24 * 3600
  await changeReservations(({ ttl }) => ({ ttl: Number(ttl) - 24 * 3600 - 1 }))
  assert.ok(
    (await listReservations()).every(({ ttl }) => Number(ttl) > dayAgo && Number(ttl) < Date.now() / 1000),
  )
  const secondReply = await convert({ headers, key, body: createForm({ targetFormat: 'html' }, '# Hello') })
  assert.equal(secondReply.status, 202, secondReply.text)
  assert.notEqual(secondReply.json.jobId, firstReply.json.jobId)
  const strangerReply = await convert({ key })
  assert.equal(strangerReply.status, 202, strangerReply.text)
  assert.notEqual(strangerReply.headers['x-owner-token'], anonymousReply.headers['x-owner-token'])
})

const pipeline = {
  given: { operation: 'import/raw', filename: 'a.md', file: '# Hello' },
  pdf: { operation: 'convert', input: 'given', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}

const creatingRequests: [path: string, body: () => unknown][] = [
  ['/v1/convert', () => createForm({ targetFormat: 'pdf' }, '# Hello')],
  ['/v1/convert/merge', () => createImageForm({}, 'one.png', 'two.png')],
  ['/v1/convert/batch', () => createForm({ targetFormat: 'pdf' }, '# One', '# Two')],
  ['/v1/jobs', () => ({ tasks: pipeline })],
  ['/v1/ws/tickets', () => undefined],
  ['/v1/uploads/presign', () => ({ filename: 'a.png', contentType: 'image/png', size: 7 })],
]

for (const [path, body] of creatingRequests) {
  test(`POST ${path} creates one resource per idempotency key`, async () => {
    const identity = await newIdentity()
    const headers = { ...identity, 'idempotency-key': newKey() }
    const firstReply = await app.send('POST', path, { headers, body: body() })
    assert.ok([201, 202].includes(firstReply.status), firstReply.text)
    const records = (await scanTable()).length
    assertReplay(await app.send('POST', path, { headers, body: body() }), firstReply)
    assert.equal((await scanTable()).length, records)
  })
}

test('retrying a job creates one new job per idempotency key', async () => {
  const headers = await newIdentity()
  const { json } = await convert({ headers })
  await app.send('POST', `/v1/jobs/${json.jobId}/cancel`, { headers })
  const files = await countFiles()
  const retryRequest = { headers: { ...headers, 'idempotency-key': newKey() } }
  const path = `/v1/jobs/${json.jobId}/retry`
  const firstReply = await app.send('POST', path, retryRequest)
  assert.equal(firstReply.status, 202, firstReply.text)
  assert.equal(firstReply.json.data.retryOf, json.jobId)
  assertReplay(await app.send('POST', path, retryRequest), firstReply)
  assert.equal((await listJobs(headers)).length, 2)
  assert.equal(await countFiles(), files + 1)
})

test('a repeated idempotent request returns the complete reply of the first, even if it has a thousand tasks', async () => {
  const headers = { ...(await newIdentity()), 'idempotency-key': newKey() }
  const names = Array.from({ length: 997 }, (_, at) => `pdf-${at}`)
  const tasks = Object.fromEntries([
    ['given', pipeline.given],
    ...names.map((name) => [name, pipeline.pdf]),
    ['all', { operation: 'archive', input: names }],
    ['out', { operation: 'export/url', input: 'all' }],
  ])
  const firstReply = await app.send('POST', '/v1/jobs', { headers, body: { tasks } })
  assert.equal(firstReply.status, 202, firstReply.text)
  assert.equal(Object.keys(firstReply.json.data.tasks).length, 1000)
  assertReplay(await app.send('POST', '/v1/jobs', { headers, body: { tasks } }), firstReply)
})

const wrongKeys = ['', 'two words', 'a'.repeat(256), 'schlüssel', 'a,\tb', '""']

for (const key of wrongKeys) {
  test(`the idempotency key ${JSON.stringify(key.slice(0, 20))} is rejected, and the error names the header`, async () => {
    const reply = await convert({ headers: { 'idempotency-key': key } })
    assertCode(reply, 400, 'INVALID_INPUT')
    assert.equal(reply.json.error.details.field, 'Idempotency-Key')
  })
}

test('a quoted idempotency key, as in the draft standard, equals an unquoted one', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const firstReply = await convert({ headers, key })
  assertReplay(await convert({ headers, key: `"${key}"` }), firstReply)
})

test('each request without an idempotency key creates a job', async () => {
  const headers = await newIdentity()
  await convert({ headers })
  await convert({ headers })
  assert.equal((await listJobs(headers)).length, 2)
})

test('idempotency records contain neither the key, the IP address nor the fields of the request', async () => {
  const key = newKey()
  const body = createForm({ targetFormat: 'pdf', tag: 'a tag to look for' }, '# Hello')
  await convert({ key, body, address: '198.51.100.7' })
  const text = JSON.stringify(await listReservations())
  for (const secret of [key, '198.51.100.7', 'a tag to look for']) assert.ok(!text.includes(secret), secret)
})

test('the OpenAPI document lists the Idempotency-Key header of each endpoint that supports it', async () => {
  const { json } = await app.send('GET', '/v1/openapi.json')
  const idempotentOperations = Object.entries<
    Record<string, { parameters?: { name: string }[]; responses: object }>
  >(inlineComponents(json).paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      if (!parameters.some(({ name }) => name === 'Idempotency-Key')) return []
      const responsesJson = JSON.stringify(responses)
      assert.ok(
        responsesJson.includes('IDEMPOTENCY_KEY_REUSED') && responsesJson.includes('IDEMPOTENCY_IN_PROGRESS'),
        path,
      )
      return [`${method} ${path}`]
    }),
  )
  assert.deepEqual(idempotentOperations.toSorted(), [
    'post /v1/api-keys',
    'post /v1/api-keys/{keyId}/rotate',
    'post /v1/cloud/{drive}/export',
    'post /v1/cloud/{drive}/import',
    'post /v1/convert',
    'post /v1/convert/batch',
    'post /v1/convert/merge',
    'post /v1/download/zip',
    'post /v1/import/url',
    'post /v1/jobs',
    'post /v1/jobs/{jobId}/retry',
    'post /v1/uploads/multipart',
    'post /v1/uploads/presign',
    'post /v1/webhooks',
    'post /v1/workflows',
    'post /v1/ws/tickets',
  ])
})
