import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { createConversion } from '../../functions/routes/create-conversion.ts'
import { routes } from '../../functions/routes/index.ts'
import { anonymousPrincipal, signOwnerToken } from '../../lib/access/anonymous.ts'
import type { Item } from '../../lib/aws/table.ts'
import type { AnyContract, HttpEvent } from '../../lib/http/contract.ts'
import { Idempotency, type IdempotentAttempt, type KeyedRequest } from '../../lib/http/idempotency.ts'
import { IdempotencyStore } from '../../lib/http/idempotency-store.ts'
import { newId } from '../../lib/ids.ts'
import type { Jobs } from '../../lib/jobs/jobs.ts'
import { after, before } from '../hooks.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type AppReply, type EmbeddedApp, openApp, type RequestOptions } from './embedded-app.ts'

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

function form(fields: Readonly<Record<string, string>>, ...texts: readonly string[]): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  for (const text of texts) data.append('file', new Blob([text]), 'page.md')
  return data
}

const imageBytes = readFileSync(new URL('../fixtures/alpha.png', import.meta.url))

function imageForm(fields: Readonly<Record<string, string>>, ...names: readonly string[]): FormData {
  const data = form({ mergeType: 'image', ...fields })
  for (const name of names) data.append('file', new Blob([imageBytes]), name)
  return data
}

const convert = (sent: RequestOptions & { readonly key?: string }, on = app, contracts = routes) => {
  const { key, ...rest } = sent
  const body = sent.body ?? form({ targetFormat: 'pdf' }, '# Hello')
  const headers = { ...sent.headers, ...(key && { 'idempotency-key': key }) }
  return on.send('POST', '/v1/convert', { ...rest, body, headers }, contracts)
}

async function jobsOf(headers: Record<string, string>): Promise<string[]> {
  const { json } = await app.send('GET', '/v1/jobs', { headers, query: { limit: '100' } })
  return json.data.jobs.map(({ jobId }: { jobId: string }) => jobId)
}

const isReplay = ({ headers }: AppReply) => headers['idempotent-replayed'] === 'true'

function assertReplay(second: AppReply, first: AppReply): void {
  assert.equal(second.status, first.status, second.text)
  assert.equal(second.text, first.text)
  assert.ok(!isReplay(first))
  assert.ok(isReplay(second))
}

function assertCode(answer: AppReply, status: number, code: string): void {
  assert.equal(answer.json.error?.code, code, answer.text)
  assert.equal(answer.status, status)
}

async function scan(): Promise<Item[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  const { Items = [] } = await client.send(new ScanCommand({ TableName: 'mutabor' }))
  client.destroy()
  return Items
}

const reservations = async () => (await scan()).filter(({ pk }) => String(pk).startsWith('IDEM#'))

/** Changes all idempotency records, as if time had passed. */
async function age(change: (item: Item) => Item): Promise<void> {
  for (const item of await reservations())
    await app.services.table.update({ pk: String(item.pk), sk: String(item.sk) }, { set: change(item) })
}
const leasesEnd = () =>
  age(({ leaseUntil }) => (leaseUntil === undefined ? { seen: true } : { leaseUntil: 1 }))

async function countFiles(): Promise<number> {
  const client = new S3Client({ region: 'eu-central-1', forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'mutabor' }))
  client.destroy()
  return Contents.length
}

/** Routes in which the endpoint's process dies after running `handle`. */
const dying = (contract: AnyContract, handle: AnyContract['handle']): AnyContract[] => [
  {
    ...contract,
    handle: async (request, services) => {
      await handle(request, services)
      return new Promise(() => {})
    },
  },
]

test('a repeated request with the same key gets the same reply and creates one job', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const first = await convert({ headers, key })
  assert.equal(first.status, 202, first.text)
  const files = await countFiles()
  const second = await convert({ headers, key })
  assertReplay(second, first)
  assert.equal(second.headers.location, first.headers.location)
  assert.equal(second.headers['retry-after'], first.headers['retry-after'])
  assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id'])
  assert.deepEqual(await jobsOf(headers), [first.json.jobId])
  assert.equal(await countFiles(), files, 'the file of the repetition is deleted')
})

const otherRequests: [what: string, sent: RequestOptions][] = [
  ['another field', { body: form({ targetFormat: 'html' }, '# Hello') }],
  ['another file', { body: form({ targetFormat: 'pdf' }, '# Hallo') }],
  ['one more field', { body: form({ targetFormat: 'pdf', tag: 'a' }, '# Hello') }],
  ['another query', { query: { redirect: 'true' } }],
]
for (const [what, sent] of otherRequests) {
  test(`a request with ${what} with a key that is already used is refused`, async () => {
    const headers = await newIdentity()
    const key = newKey()
    const first = await convert({ headers, key })
    assertCode(await convert({ ...sent, headers, key }), 422, 'IDEMPOTENCY_KEY_REUSED')
    assertReplay(await convert({ headers, key }), first)
    assert.equal((await jobsOf(headers)).length, 1)
  })
}

test('files in another order make a different request, fields in another order do not', async () => {
  const headers = { ...(await newIdentity()), 'idempotency-key': newKey() }
  const merge = (body: FormData) => app.send('POST', '/v1/convert/merge', { headers, body })
  const first = await merge(imageForm({ layout: 'vertical', tag: 'a' }, 'one.png', 'two.png'))
  assert.equal(first.status, 202, first.text)
  assertReplay(await merge(imageForm({ tag: 'a', layout: 'vertical' }, 'one.png', 'two.png')), first)
  const turned = imageForm({ layout: 'vertical', tag: 'a' }, 'two.png', 'one.png')
  assertCode(await merge(turned), 422, 'IDEMPOTENCY_KEY_REUSED')
})

test('JSON members in another order make the same request', async () => {
  const headers = { ...(await newIdentity()), 'idempotency-key': newKey() }
  const given = { operation: 'import/raw', filename: 'a.md', file: '# Hello' }
  const { file, filename, operation } = given
  const pdf = { operation: 'convert', input: 'given', output_format: 'pdf' }
  const out = { operation: 'export/url', input: 'pdf' }
  const post = (body: unknown) => app.send('POST', '/v1/jobs', { headers, body })
  const first = await post({ tasks: { given, pdf, out }, tag: 'a' })
  assert.equal(first.status, 202, first.text)
  assertReplay(await post({ tag: 'a', tasks: { out, pdf, given: { file, filename, operation } } }), first)
})

test('of two concurrent requests with one key, one runs and the other gets Retry-After', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const both = await Promise.all([convert({ headers, key }), convert({ headers, key })])
  const [first, second] = both.toSorted((a, b) => a.status - b.status)
  assert.equal(first?.status, 202)
  assert.ok(second)
  if (isReplay(second)) assertReplay(second, first)
  else {
    assertCode(second, 409, 'IDEMPOTENCY_IN_PROGRESS')
    assert.match(second.headers['retry-after'] ?? '', /^\d+$/)
  }
  assert.equal((await jobsOf(headers)).length, 1)
})

test('a refused request has no effect, and a corrected one may use the same key', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const wrong = await convert({ headers, key, body: form({ targetFormat: 'mp3' }, '# Hello') })
  assertCode(wrong, 422, 'UNSUPPORTED_CONVERSION')
  const corrected = await convert({ headers, key })
  assert.equal(corrected.status, 202, corrected.text)
  assertReplay(await convert({ headers, key }), corrected)
  assert.deepEqual(await jobsOf(headers), [corrected.json.jobId])
})

test('a refused request without an identity may be corrected with the same key', async () => {
  const key = newKey()
  const wrong = await convert({ key, body: form({ targetFormat: 'mp3' }, '# Hello') })
  assertCode(wrong, 422, 'UNSUPPORTED_CONVERSION')
  assert.equal((await convert({ key })).status, 202)
})

test('after an internal error, the repeated request continues with the existing job and its file', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const failing = app.with({ jobs: failingAfterStored(app.services.jobs) })
  assertCode(await convert({ headers, key }, failing), 500, 'INTERNAL_ERROR')
  const [jobId] = await jobsOf(headers)
  const other = { headers, key, body: form({ targetFormat: 'html' }, '# Hello') }
  assertCode(await convert(other), 422, 'IDEMPOTENCY_KEY_REUSED')
  const again = await convert({ headers, key })
  assert.equal(again.status, 202, again.text)
  assert.equal(again.json.jobId, jobId)
  assert.deepEqual(await jobsOf(headers), [jobId])
  const job = await app.services.jobs.store.getState(again.json.jobId)
  const file = job?.fixed.find(({ name }) => name === 'import-file')?.files?.[0]
  assert.ok(file && (await app.services.files.head(file.key)), 'the file of the job is kept')
})

function failingAfterStored(jobs: Jobs): Jobs {
  const failing: Jobs = Object.create(jobs)
  failing.create = async (...parts) => {
    await jobs.store.create(...parts)
    throw new Error('the bus does not answer')
  }
  return failing
}

test('if the process dies after creating the job, the repeated request finds the job', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const dead = dying(createConversion, createConversion.handle)
  void convert({ headers, key }, app, dead)
  await waitUntil(async () => (await jobsOf(headers)).length > 0, 'the job is there')
  assertCode(await convert({ headers, key }), 409, 'IDEMPOTENCY_IN_PROGRESS')
  await leasesEnd()
  const later = await convert({ headers, key })
  assert.equal(later.status, 202, later.text)
  assert.deepEqual(await jobsOf(headers), [later.json.jobId])
  assert.equal((await convert({ headers, key })).text, later.text)
})

test('if the process dies before creating the job, the repeated request creates it', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const started = Promise.withResolvers<string>()
  const dead = dying(createConversion, (request) => started.resolve(request.newJobId()) as never)
  void convert({ headers, key }, app, dead)
  const jobId = await started.promise
  await leasesEnd()
  const both = await Promise.all([convert({ headers, key }), convert({ headers, key })])
  assert.ok(both.some(({ status }) => status === 202))
  assert.deepEqual(await jobsOf(headers), [jobId])
})

test('an upload claimed by a process that died belongs to the job of the repeated request', async () => {
  const headers = await newIdentity()
  const announced = { filename: 'a.md', contentType: 'text/markdown', size: 7 }
  const { json } = await app.send('POST', '/v1/uploads/presign', { headers, body: announced })
  const { uploadId, url, headers: exact } = json.data
  const put = await fetch(url, { method: 'PUT', headers: exact, body: '# Hello' })
  assert.equal(put.status, 200, await put.text())
  const sent = { headers, key: newKey(), body: { uploadId, targetFormat: 'pdf' } }
  void convert(sent, app, dying(createConversion, createConversion.handle))
  await waitUntil(async () => (await jobsOf(headers)).length > 0, 'the job is there')
  await leasesEnd()
  const later = await convert(sent)
  assert.equal(later.status, 202, later.text)
  assert.deepEqual(await jobsOf(headers), [later.json.jobId])
})

function newKeyed(): KeyedRequest {
  const http = { method: 'POST', sourceIp: '192.0.2.1' }
  // Only the fields that are read.
  const event = { rawPath: '/v1/convert', headers: {}, requestContext: { http } } as unknown as HttpEvent
  return { key: newKey(), event, body: { value: {}, files: [] } }
}

const someContext = () => ({
  principal: anonymousPrincipal(
    {
      headers: { 'x-owner-token': signOwnerToken('anon_1', app.services.keys.owner) },
      method: 'POST',
      sourceIp: '',
    },
    app.services,
  ),
  log: app.services.log,
})

test('a long request renews its lease on the key', async () => {
  const idempotency = new Idempotency(app.services, 10)
  const keyed = newKeyed()
  const context = someContext()
  const started = Promise.withResolvers<void>()
  const work = Promise.withResolvers<{ statusCode: number }>()
  const first = idempotency.runOnce(keyed, context, () => {
    started.resolve()
    return work.promise
  })
  await started.promise
  await leasesEnd()
  const isRenewed = ({ leaseUntil }: Item) => Number(leaseUntil) > Date.now()
  await waitUntil(async () => (await reservations()).some(isRenewed), 'it says that it is at work')
  const second = idempotency.runOnce(keyed, context, () => assert.fail('it ran twice'))
  await assert.rejects(second, { code: 'IDEMPOTENCY_IN_PROGRESS' })
  work.resolve({ statusCode: 201 })
  assert.equal((await first).statusCode, 201)
})

test('an attempt whose lease was taken over does not save its reply', async () => {
  const kept = new IdempotencyStore(app.services.table)
  const place = { pk: `IDEM#${newKey()}`, sk: 'IDEM' }
  const { reservation: first } = await kept.claim(place, 'same')
  await kept.release(place, first)
  const { reservation: second, isRetry } = await kept.claim(place, 'same')
  assert.ok(isRetry && second.jobId === first.jobId)
  await kept.forget(place, first).catch(() => undefined)
  await kept.saveReply(place, first, { status: 400, headers: {}, body: new Uint8Array(1) })
  await assert.rejects(kept.claim(place, 'same'), { code: 'IDEMPOTENCY_IN_PROGRESS' })
  await kept.forget(place, second)
  assert.ok(!(await kept.claim(place, 'another')).isRetry)
})

test('a reply too large to store is created again from the same job', async () => {
  const idempotency = new Idempotency(app.services)
  const keyed = newKeyed()
  const attempts: IdempotentAttempt[] = []
  const run = async (attempt: IdempotentAttempt) => {
    attempts.push(attempt)
    return { statusCode: 202, body: randomBytes(400_000).toString('base64') }
  }
  await idempotency.runOnce(keyed, someContext(), run)
  await idempotency.runOnce(keyed, someContext(), run)
  const [first, second] = attempts
  assert.deepEqual(second, { jobId: first?.jobId, isRetry: true })
})

test('without an identity, a repeated request from the same IP address gets the same identity', async () => {
  const key = newKey()
  const first = await convert({ key })
  const again = await convert({ key })
  assertReplay(again, first)
  assert.equal(again.headers['x-owner-token'], first.headers['x-owner-token'])
  assert.deepEqual(again.cookies, first.cookies)
  const known = { 'x-owner-token': first.headers['x-owner-token'] ?? '' }
  assertReplay(await convert({ key, headers: known }), first)
  const elsewhere = await convert({ key, address: '192.0.2.2' })
  assert.equal(elsewhere.status, 202)
  assert.notEqual(elsewhere.json.jobId, first.json.jobId)
  assert.notEqual(elsewhere.headers['x-owner-token'], first.headers['x-owner-token'])
  assert.deepEqual(await jobsOf(known), [first.json.jobId])
})

test('a different request with the same key does not get the identity of the first client', async () => {
  const key = newKey()
  const first = await convert({ key })
  const other = await convert({ key, body: form({ targetFormat: 'html' }, '# Hello') })
  assertCode(other, 422, 'IDEMPOTENCY_KEY_REUSED')
  assert.notEqual(other.headers['x-owner-token'], first.headers['x-owner-token'])
})

test('an idempotency key belongs to one identity and one endpoint', async () => {
  const key = newKey()
  const [one, other] = [await newIdentity(), await newIdentity()]
  const first = await convert({ headers: one, key })
  const second = await convert({ headers: other, key })
  assert.equal(second.status, 202, second.text)
  assert.notEqual(second.json.jobId, first.json.jobId)
  const headers = { ...one, 'idempotency-key': key }
  const merged = await app.send('POST', '/v1/convert/merge', {
    headers,
    body: imageForm({}, 'one.png', 'two.png'),
  })
  assert.equal(merged.status, 202, merged.text)
})

test('an idempotency key is forgotten after 24 hours', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const first = await convert({ headers, key })
  const anonymous = await convert({ key })
  const dayAgo = Math.floor(Date.now() / 1000) - 24 * 3600
  await age(({ ttl }) => ({ ttl: Number(ttl) - 24 * 3600 - 1 }))
  assert.ok(
    (await reservations()).every(({ ttl }) => Number(ttl) > dayAgo && Number(ttl) < Date.now() / 1000),
  )
  const second = await convert({ headers, key, body: form({ targetFormat: 'html' }, '# Hello') })
  assert.equal(second.status, 202, second.text)
  assert.notEqual(second.json.jobId, first.json.jobId)
  const stranger = await convert({ key })
  assert.equal(stranger.status, 202, stranger.text)
  assert.notEqual(stranger.headers['x-owner-token'], anonymous.headers['x-owner-token'])
})

const pipeline = {
  given: { operation: 'import/raw', filename: 'a.md', file: '# Hello' },
  pdf: { operation: 'convert', input: 'given', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}
const creating: [path: string, body: () => unknown][] = [
  ['/v1/convert', () => form({ targetFormat: 'pdf' }, '# Hello')],
  ['/v1/convert/merge', () => imageForm({}, 'one.png', 'two.png')],
  ['/v1/convert/batch', () => form({ targetFormat: 'pdf' }, '# One', '# Two')],
  ['/v1/jobs', () => ({ tasks: pipeline })],
  ['/v1/ws/tickets', () => undefined],
  ['/v1/uploads/presign', () => ({ filename: 'a.png', contentType: 'image/png', size: 7 })],
]
for (const [path, body] of creating) {
  test(`POST ${path} creates one resource per key`, async () => {
    const identity = await newIdentity()
    const headers = { ...identity, 'idempotency-key': newKey() }
    const first = await app.send('POST', path, { headers, body: body() })
    assert.ok([201, 202].includes(first.status), first.text)
    const records = (await scan()).length
    assertReplay(await app.send('POST', path, { headers, body: body() }), first)
    assert.equal((await scan()).length, records)
  })
}

test('a job is retried once per idempotency key', async () => {
  const headers = await newIdentity()
  const { json } = await convert({ headers })
  await app.send('POST', `/v1/jobs/${json.jobId}/cancel`, { headers })
  const files = await countFiles()
  const retry = { headers: { ...headers, 'idempotency-key': newKey() } }
  const path = `/v1/jobs/${json.jobId}/retry`
  const first = await app.send('POST', path, retry)
  assert.equal(first.status, 202, first.text)
  assert.equal(first.json.data.retryOf, json.jobId)
  assertReplay(await app.send('POST', path, retry), first)
  assert.equal((await jobsOf(headers)).length, 2)
  assert.equal(await countFiles(), files + 1)
})

test('a reply with a thousand tasks is stored completely', async () => {
  const headers = { ...(await newIdentity()), 'idempotency-key': newKey() }
  const names = Array.from({ length: 997 }, (_, at) => `pdf-${at}`)
  const tasks = Object.fromEntries([
    ['given', pipeline.given],
    ...names.map((name) => [name, pipeline.pdf]),
    ['all', { operation: 'archive', input: names }],
    ['out', { operation: 'export/url', input: 'all' }],
  ])
  const first = await app.send('POST', '/v1/jobs', { headers, body: { tasks } })
  assert.equal(first.status, 202, first.text)
  assert.equal(Object.keys(first.json.data.tasks).length, 1000)
  assertReplay(await app.send('POST', '/v1/jobs', { headers, body: { tasks } }), first)
})

const wrongKeys = ['', 'two words', 'a'.repeat(256), 'schlüssel', 'a,\tb', '""']
for (const key of wrongKeys) {
  test(`the key ${JSON.stringify(key.slice(0, 20))} is refused with the name of the header`, async () => {
    const answer = await convert({ headers: { 'idempotency-key': key } })
    assertCode(answer, 400, 'INVALID_INPUT')
    assert.equal(answer.json.error.details.field, 'Idempotency-Key')
  })
}

test('a quoted key, as in the draft, is the same as an unquoted one', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const first = await convert({ headers, key })
  assertReplay(await convert({ headers, key: `"${key}"` }), first)
})

test('without a key every request creates a job', async () => {
  const headers = await newIdentity()
  await convert({ headers })
  await convert({ headers })
  assert.equal((await jobsOf(headers)).length, 2)
})

test('idempotency records contain neither the key, the IP address nor the fields', async () => {
  const key = newKey()
  const body = form({ targetFormat: 'pdf', tag: 'a tag to look for' }, '# Hello')
  await convert({ key, body, address: '198.51.100.7' })
  const text = JSON.stringify(await reservations())
  for (const secret of [key, '198.51.100.7', 'a tag to look for']) assert.ok(!text.includes(secret), secret)
})

test('the OpenAPI document lists the Idempotency-Key header of each endpoint that supports it', async () => {
  const { json } = await app.send('GET', '/v1/openapi.json')
  const taking = Object.entries<Record<string, { parameters?: { name: string }[]; responses: object }>>(
    json.paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], responses }]) => {
      if (!parameters.some(({ name }) => name === 'Idempotency-Key')) return []
      const said = JSON.stringify(responses)
      assert.ok(said.includes('IDEMPOTENCY_KEY_REUSED') && said.includes('IDEMPOTENCY_IN_PROGRESS'), path)
      return [`${method} ${path}`]
    }),
  )
  assert.deepEqual(taking.toSorted(), [
    'post /v1/api-keys',
    'post /v1/api-keys/{keyId}/rotate',
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
