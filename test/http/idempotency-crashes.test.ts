import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createConversion } from '../../functions/routes/create-conversion.ts'
import { routes } from '../../functions/routes/index.ts'
import { createAnonymousPrincipal, signOwnerToken } from '../../lib/access/anonymous.ts'
import type { Item } from '../../lib/aws/table.ts'
import type { AnyContract, HttpEvent } from '../../lib/http/contract.ts'
import { Idempotency, type IdempotentAttempt, type KeyedRequest } from '../../lib/http/idempotency.ts'
import { IdempotencyStore } from '../../lib/http/idempotency-store.ts'
import { newId } from '../../lib/ids.ts'
import type { Jobs } from '../../lib/jobs/jobs.ts'
import { after, before } from '../hooks.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type EmbeddedApp, openApp, type RequestOptions } from './embedded-app.ts'
import { assertCode, assertReplay, createForm, listReservations } from './support/idempotent-requests.ts'

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

const expireLeases = () =>
  changeReservations(({ leaseUntil }) => (leaseUntil === undefined ? { seen: true } : { leaseUntil: 1 }))

/** Returns routes in which the process of this endpoint dies after it has run `handle`. */
const createDyingContracts = (contract: AnyContract, handle: AnyContract['handle']): AnyContract[] => [
  {
    ...contract,
    handle: async (request, services) => {
      await handle(request, services)
      return new Promise(() => {})
    },
  },
]

test('after an internal error, repeating an idempotent request continues with the existing job', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const failingApp = app.with({ jobs: failAfterStoring(app.services.jobs) })
  assertCode(await convert({ headers, key }, failingApp), 500, 'INTERNAL_ERROR')
  const [jobId] = await listJobs(headers)
  const otherRequest = { headers, key, body: createForm({ targetFormat: 'html' }, '# Hello') }
  assertCode(await convert(otherRequest), 422, 'IDEMPOTENCY_KEY_REUSED')
  const repeatedReply = await convert({ headers, key })
  assert.equal(repeatedReply.status, 202, repeatedReply.text)
  assert.equal(repeatedReply.json.jobId, jobId)
  assert.deepEqual(await listJobs(headers), [jobId])
  const job = await app.services.jobs.store.getState(repeatedReply.json.jobId)
  const file = job?.fixed.find(({ name }) => name === 'import-file')?.files?.[0]
  assert.ok(file && (await app.services.files.head(file.key)), 'the file of the job is kept')
})

function failAfterStoring(jobs: Jobs): Jobs {
  const failingJobs: Jobs = Object.create(jobs)
  failingJobs.create = async (...args) => {
    await jobs.store.create(...args)
    throw new Error('the bus does not answer')
  }
  return failingJobs
}

test('repeating an idempotent request finds the job if the process died after creating it', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const dyingContracts = createDyingContracts(createConversion, createConversion.handle)
  void convert({ headers, key }, app, dyingContracts)
  await waitUntil(async () => (await listJobs(headers)).length > 0, 'the job is there')
  assertCode(await convert({ headers, key }), 409, 'IDEMPOTENCY_IN_PROGRESS')
  await expireLeases()
  const laterReply = await convert({ headers, key })
  assert.equal(laterReply.status, 202, laterReply.text)
  assert.deepEqual(await listJobs(headers), [laterReply.json.jobId])
  assert.equal((await convert({ headers, key })).text, laterReply.text)
})

test('repeating an idempotent request creates the job if the process died before creating it', async () => {
  const headers = await newIdentity()
  const key = newKey()
  const startedRun = Promise.withResolvers<string>()
  const dyingContracts = createDyingContracts(
    createConversion,
    (request) => startedRun.resolve(request.newJobId()) as never,
  )
  void convert({ headers, key }, app, dyingContracts)
  const jobId = await startedRun.promise
  await expireLeases()
  const bothReplies = await Promise.all([convert({ headers, key }), convert({ headers, key })])
  assert.ok(bothReplies.some(({ status }) => status === 202))
  assert.deepEqual(await listJobs(headers), [jobId])
})

test('an upload claimed by a process that died belongs to the job of the repeated request', async () => {
  const headers = await newIdentity()
  const announcedFile = { filename: 'a.md', contentType: 'text/markdown', size: 7 }
  const { json } = await app.send('POST', '/v1/uploads/presign', { headers, body: announcedFile })
  const { uploadId, url, headers: exactHeaders } = json.data
  const put = await fetch(url, { method: 'PUT', headers: exactHeaders, body: '# Hello' })
  assert.equal(put.status, 200, await put.text())
  const sentRequest = { headers, key: newKey(), body: { uploadId, targetFormat: 'pdf' } }
  void convert(sentRequest, app, createDyingContracts(createConversion, createConversion.handle))
  await waitUntil(async () => (await listJobs(headers)).length > 0, 'the job is there')
  await expireLeases()
  const laterReply = await convert(sentRequest)
  assert.equal(laterReply.status, 202, laterReply.text)
  assert.deepEqual(await listJobs(headers), [laterReply.json.jobId])
})

function createKeyedRequest(): KeyedRequest {
  const http = { method: 'POST', sourceIp: '192.0.2.1' }
  // Only the fields that are read.
  const event = { rawPath: '/v1/convert', headers: {}, requestContext: { http } } as unknown as HttpEvent
  return { key: newKey(), event, body: { value: {}, files: [] } }
}

const createContext = () => ({
  principal: createAnonymousPrincipal(
    {
      headers: { 'x-owner-token': signOwnerToken('anon_1', app.services.keys.owner) },
      method: 'POST',
      sourceIp: '',
    },
    app.services,
  ),
  log: app.services.log,
})

test('a long request renews its lease on the idempotency key', async () => {
  const idempotency = new Idempotency(app.services, 10)
  const keyedRequest = createKeyedRequest()
  const context = createContext()
  const startedRun = Promise.withResolvers<void>()
  const pendingReply = Promise.withResolvers<{ statusCode: number }>()
  const firstRun = idempotency.runOnce(keyedRequest, context, () => {
    startedRun.resolve()
    return pendingReply.promise
  })
  await startedRun.promise
  await expireLeases()
  const isRenewed = ({ leaseUntil }: Item) => Number(leaseUntil) > Date.now()
  await waitUntil(async () => (await listReservations()).some(isRenewed), 'it says that it is at work')
  const secondRun = idempotency.runOnce(keyedRequest, context, () => assert.fail('it ran twice'))
  await assert.rejects(secondRun, { code: 'IDEMPOTENCY_IN_PROGRESS' })
  pendingReply.resolve({ statusCode: 201 })
  assert.equal((await firstRun).statusCode, 201)
})

test('an idempotent request whose lease was taken over does not store its reply', async () => {
  const store = new IdempotencyStore(app.services.table)
  const recordKey = { pk: `IDEM#${newKey()}`, sk: 'IDEM' }
  const { reservation: firstReservation } = await store.claim(recordKey, 'same')
  await store.release(recordKey, firstReservation)
  const { reservation: secondReservation, isRetry } = await store.claim(recordKey, 'same')
  assert.ok(isRetry && secondReservation.jobId === firstReservation.jobId)
  await store.deleteReservation(recordKey, firstReservation).catch(() => undefined)
  await store.saveReply(recordKey, firstReservation, { status: 400, headers: {}, body: new Uint8Array(1) })
  await assert.rejects(store.claim(recordKey, 'same'), { code: 'IDEMPOTENCY_IN_PROGRESS' })
  await store.deleteReservation(recordKey, secondReservation)
  assert.ok(!(await store.claim(recordKey, 'another')).isRetry)
})

test('if a reply is too large to store, repeating the idempotent request runs its handler again with the same job id', async () => {
  const idempotency = new Idempotency(app.services)
  const keyedRequest = createKeyedRequest()
  const attempts: IdempotentAttempt[] = []
  const run = async (attempt: IdempotentAttempt) => {
    attempts.push(attempt)
    return { statusCode: 202, body: randomBytes(400_000).toString('base64') }
  }
  await idempotency.runOnce(keyedRequest, createContext(), run)
  await idempotency.runOnce(keyedRequest, createContext(), run)
  const [firstAttempt, secondAttempt] = attempts
  assert.deepEqual(secondAttempt, { jobId: firstAttempt?.jobId, isRetry: true })
})

test('an anonymous client that repeats an idempotent request from the same IP address keeps its identity', async () => {
  const key = newKey()
  const firstReply = await convert({ key })
  const repeatedReply = await convert({ key })
  assertReplay(repeatedReply, firstReply)
  assert.equal(repeatedReply.headers['x-owner-token'], firstReply.headers['x-owner-token'])
  assert.deepEqual(repeatedReply.cookies, firstReply.cookies)
  const ownerHeaders = { 'x-owner-token': firstReply.headers['x-owner-token'] ?? '' }
  assertReplay(await convert({ key, headers: ownerHeaders }), firstReply)
  const otherAddressReply = await convert({ key, address: '192.0.2.2' })
  assert.equal(otherAddressReply.status, 202)
  assert.notEqual(otherAddressReply.json.jobId, firstReply.json.jobId)
  assert.notEqual(otherAddressReply.headers['x-owner-token'], firstReply.headers['x-owner-token'])
  assert.deepEqual(await listJobs(ownerHeaders), [firstReply.json.jobId])
})

test('a different request with the same idempotency key does not receive the identity of the first client', async () => {
  const key = newKey()
  const firstReply = await convert({ key })
  const otherReply = await convert({ key, body: createForm({ targetFormat: 'html' }, '# Hello') })
  assertCode(otherReply, 422, 'IDEMPOTENCY_KEY_REUSED')
  assert.notEqual(otherReply.headers['x-owner-token'], firstReply.headers['x-owner-token'])
})
