import assert from 'node:assert/strict'
import type { Server } from 'node:net'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { verify } from '@octokit/webhooks-methods'
import type { SQSRecord } from 'aws-lambda'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import type { BusEvent } from '../../events/index.ts'
import { createFunction } from '../../functions/deliver.ts'
import { handler as dispatchHandler } from '../../functions/dispatch.ts'
import { TtlCache } from '../../lib/async/ttl-cache.ts'
import { createClientConfig } from '../../lib/aws/client-config.ts'
import type { Queues } from '../../lib/aws/queues.ts'
import { processEnvironment } from '../../lib/config.ts'
import { derivedId, newId } from '../../lib/ids.ts'
import { createCreationEvents } from '../../lib/jobs/events.ts'
import { EventFeeds } from '../../lib/live/event-feed.ts'
import { loadSubscribers } from '../../lib/live/subscribers.ts'
import { subscriberCacheMs } from '../../lib/model/subscriber-cache.ts'
import type { SubscriberLookup } from '../../lib/model/subscribers.ts'
import { AddressGuard } from '../../lib/transfer/addresses.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { defined } from '../../lib/validation/defined.ts'
import { Deliverer } from '../../lib/webhooks/deliverer.ts'
import type { DeliveryMessage } from '../../lib/webhooks/delivery.ts'
import { Dispatcher } from '../../lib/webhooks/dispatcher.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { privateAddressForms } from '../transfer/private-forms.ts'
import { openReceiver } from '../webhooks/receiver.ts'

/** Advances the clock and passes on queue messages by hand. */

let app: EmbeddedApp

let receiver: Awaited<ReturnType<typeof openReceiver>>

const allowed = ['127.0.0.0/8']

const outgoing = new GuardedHttp({ allowed })

const closing: Server[] = []

const queue: { message: DeliveryMessage; delayS: number }[] = []

const queues = {
  sendOne: async (_queue: string, message: DeliveryMessage, { delayS = 0 }) =>
    void queue.push({ message, delayS }),
  sendEach: async (_queue: string, messages: readonly { message: DeliveryMessage }[]) =>
    void queue.push(...messages.map(({ message }) => ({ message, delayS: 0 }))),
} as unknown as Queues

before(async () => {
  receiver = await openReceiver()
  const opened = await openApp()
  const config = { ...opened.services.config, OUTGOING_ALLOW: allowed }
  app = opened.with({ config, queues, guardedHttp: () => Promise.resolve(outgoing) })
})

after(async () => {
  for (const server of closing) server.close()
  receiver.close()
  await outgoing.close()
  await app.close()
})

let clock = Date.now()

const now = () => new Date(clock)

const pass = (seconds: number) => {
  clock += seconds * 1000
}

const deliverer = (attemptMs?: number) =>
  new Deliverer(app.services, { now, random: () => 0.5, ...(attemptMs && { attemptTimeoutMs: attemptMs }) })

/** Delivers all messages in the queue; delayed ones are dropped if a later message repeats them. */
async function deliverAll(by = deliverer()): Promise<void> {
  while (queue.length > 0) {
    const { message, delayS } = queue.shift() as (typeof queue)[number] // it is not empty
    if (delayS === 0 || !message.only) await by.deliver(message, () => 900_000)
  }
}

/** A client with a new identity. */
function newClient() {
  const owner = { token: undefined as string | undefined }
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    query?: Readonly<Record<string, string>>,
  ) => {
    const headers = owner.token === undefined ? {} : { 'x-owner-token': owner.token }
    const answer = await app.send(method, path, { body, headers, ...defined({ query }) })
    owner.token = answer.headers['x-owner-token'] ?? owner.token
    return { status: answer.status, data: answer.json?.data, error: answer.json?.error }
  }
  return Object.assign(send, { id: () => owner.token?.split('.')[0] ?? '' })
}

type Send = ReturnType<typeof newClient>

async function createHook(send: Send, path: string, changes: object = {}) {
  const body = { url: receiver.url(path), events: ['*'], ...changes }
  const { status, data, error } = await send('POST', '/v1/webhooks', body)
  assert.equal(status, 201, JSON.stringify(error))
  return data
}

function eventOf(send: Send, stream: string, sequence: number, event = 'job.completed'): BusEvent {
  const timestamp = new Date(clock + sequence).toISOString()
  return {
    event,
    timestamp,
    id: derivedId('evt', new Date(timestamp), newId('evt')),
    sequence,
    apiVersion: 'v1',
    owner: send.id(),
    stream,
    job: { id: stream, status: 'completed', tasks: {}, files: [] },
  } as unknown as BusEvent
}

const dispatch = (event: BusEvent) => new Dispatcher(app.services).dispatch(event, now())

/** A single event of a job. */
async function createEvent(send: Send): Promise<BusEvent> {
  const event = eventOf(send, newId('job'), 1)
  await dispatch(event)
  return event
}

const deliveriesOf = async (send: Send, id: string) =>
  (await send('GET', `/v1/webhooks/${id}/deliveries`)).data.deliveries

async function onlyDelivery(send: Send, id: string) {
  const all = await deliveriesOf(send, id)
  assert.equal(all.length, 1)
  return (await send('GET', `/v1/webhooks/${id}/deliveries/${all[0].id}`)).data
}

test('a webhook can be created, read, changed and deleted, and its secret is shown once', async () => {
  const send = newClient()
  const { id, secret, ...made } = await createHook(send, '/crud', { description: 'ours' })
  assert.match(secret, /^whsec_/)
  assert.partialDeepStrictEqual(made, {
    events: ['*'],
    format: 'json',
    enabled: true,
    failing: false,
    description: 'ours',
  })
  assert.deepEqual((await send('GET', `/v1/webhooks/${id}`)).data, { id, ...made })
  const stored = await app.services.table.get({ pk: `WEBHOOK#${id}`, sk: 'WEBHOOK' })
  assert.ok(!JSON.stringify(stored).includes(secret.slice(6)))
  const second = await createHook(send, '/crud')
  const page = (await send('GET', '/v1/webhooks', undefined, { limit: '1' })).data
  assert.deepEqual([page.webhooks[0].id, page.next], [second.id, second.id])
  const rest = (await send('GET', '/v1/webhooks', undefined, { before: page.next })).data
  assert.deepEqual([rest.webhooks.length, rest.webhooks[0].id, rest.next], [1, id, null])
  const changed = (await send('PATCH', `/v1/webhooks/${id}`, { events: ['job.failed'], enabled: false })).data
  assert.deepEqual([changed.events, changed.enabled, changed.disabledReason], [['job.failed'], false, null])
  assert.equal((await newClient()('GET', `/v1/webhooks/${id}`)).error.code, 'WEBHOOK_NOT_FOUND')
  assert.equal((await send('DELETE', `/v1/webhooks/${id}`)).status, 204)
  assert.equal((await send('GET', `/v1/webhooks/${id}`)).status, 404)
})

test('a webhook is created once per idempotency key, and the stored reply contains no plain secret', async () => {
  const body = { url: receiver.url('/once'), events: ['*'] }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = await app.send('POST', '/v1/webhooks', { body, headers })
  const again = await app.send('POST', '/v1/webhooks', { body, headers })
  assert.deepEqual([again.json, again.headers['idempotent-replayed']], [first.json, 'true'])
  const table = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  const { Items = [] } = await table.send(new ScanCommand({ TableName: 'mutabor' }))
  const kept = Items.filter(({ pk }) => String(pk).startsWith('IDEM#'))
  const replies = kept.flatMap(({ reply }) => (reply?.body ? [Buffer.from(reply.body)] : []))
  assert.equal(replies.length, 1)
  assert.throws(() => gunzipSync(replies[0] ?? ''))
  assert.ok(!replies[0]?.includes(first.json.data.secret.slice(6)))
})

test('invalid webhooks are refused, and the 21st webhook too', async () => {
  const send = newClient()
  const assertError = async (changes: object) =>
    (await send('POST', '/v1/webhooks', { url: receiver.url('/'), events: ['*'], ...changes })).error
  assert.match((await assertError({ events: ['job.done'] })).message, /^events.*job\.completed/)
  assert.match((await assertError({ url: 'ftp://files.example' })).message, /^url: /)
  assert.match((await assertError({ secret: 'whsec_short' })).message, /^secret: .*24 to 64 bytes/)
  // Addresses of this machine are allowed here.
  for (const url of privateAddressForms.filter((form) => !new URL(form).hostname.startsWith('127.'))) {
    const { code, details } = await assertError({ url })
    assert.deepEqual([code, details.field], ['URL_NOT_ALLOWED', 'url'], url)
  }
  for (let count = 0; count < 20; count++) await createHook(send, '/')
  const { code, details } = await assertError({})
  assert.deepEqual([code, details.max], ['INVALID_INPUT', 20])
})

test('both signatures verify the sent bytes before, during and after a rotation', async () => {
  const send = newClient()
  const { id, secret: first } = await createHook(send, '/signed')
  const lastRequest = async () => {
    await createEvent(send)
    await deliverAll()
    const last = receiver.at('/signed').at(-1)
    assert.ok(last)
    return { headers: last.headers as Record<string, string>, body: last.body.toString() }
  }
  const isHex = ({ body, headers }: Awaited<ReturnType<typeof lastRequest>>, secret: string, header = '') =>
    verify(secret, body, headers[`x-webhook-signature${header}`] ?? '')
  const isStandard = ({ body, headers }: Awaited<ReturnType<typeof lastRequest>>, secret: string) => {
    try {
      return Boolean(new StandardWebhook(secret).verify(body, headers))
    } catch {
      return false
    }
  }

  const plain = await lastRequest()
  assert.deepEqual([await isHex(plain, first), isStandard(plain, first)], [true, true])
  assert.equal(plain.headers['x-webhook-signature-old'], undefined)
  assert.match(plain.headers['webhook-id'] ?? '', /^evt_/)

  const { secret: second } = (await send('POST', `/v1/webhooks/${id}/rotate-secret`, { graceHours: 1 })).data
  assert.notEqual(second, first)
  const between = await lastRequest()
  assert.deepEqual([await isHex(between, second), await isHex(between, first, '-old')], [true, true])
  assert.equal(await isHex(between, first), false)
  assert.deepEqual([isStandard(between, first), isStandard(between, second)], [true, true])

  pass(3700)
  const { headers, body } = await lastRequest()
  // The verifier uses the real clock.
  assert.equal(await verify(second, body, headers['x-webhook-signature'] ?? ''), true)
  assert.equal(headers['x-webhook-signature-old'], undefined)
  assert.equal(headers['webhook-signature']?.split(' ').length, 1)
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  assert.equal(
    new StandardWebhook(second).sign(headers['webhook-id'] ?? '', at, body),
    headers['webhook-signature'],
  )
  assert.notEqual(
    new StandardWebhook(first).sign(headers['webhook-id'] ?? '', at, body),
    headers['webhook-signature'],
  )
})

test('an event that is dispatched twice is delivered once', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/twice')
  const event = await createEvent(send)
  await dispatch(event)
  await deliverAll()
  const delivery = await onlyDelivery(send, id)
  assert.deepEqual([delivery.status, delivery.attempt, delivery.eventId], ['succeeded', 1, event.id])
  const [sent, ...more] = receiver.at('/twice')
  assert.equal(more.length, 0)
  const { owner: _, stream: __, ...visible } = event
  assert.deepEqual(sent?.json, visible)
  assert.partialDeepStrictEqual(sent?.headers, {
    'content-type': 'application/json; charset=utf-8',
    'x-webhook-event': 'job.completed',
    'x-webhook-delivery': delivery.id,
    'x-webhook-attempt': '1',
  })
})

test("a webhook receives only its owner's events of the selected types", async () => {
  const [send, other] = [newClient(), newClient()]
  const { id } = await createHook(send, '/chosen', { events: ['job.failed'] })
  await createHook(other, '/others')
  await dispatch(eventOf(send, newId('job'), 1, 'job.completed'))
  await dispatch(eventOf(send, newId('job'), 1, 'job.failed'))
  await deliverAll()
  assert.deepEqual(
    (await deliveriesOf(send, id)).map(({ event }: { event: string }) => event),
    ['job.failed'],
  )
  assert.equal(receiver.at('/others').length, 0)
})

test('a webhook host with IPv4 and IPv6 addresses is called over IPv4, which works everywhere', async () => {
  const both = [
    { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
    { address: '93.184.215.14', family: 4 },
  ] as const
  assert.equal((await new AddressGuard([], async () => both).resolve('example.com')).address, '93.184.215.14')
  assert.equal((await new AddressGuard([], async () => both.slice(0, 1)).resolve('example.com')).family, 6)
})

test('a webhook host that now resolves to a private address is not called', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/private')
  await createEvent(send)
  const closed = new GuardedHttp({})
  const elsewhere = app.with({ guardedHttp: () => Promise.resolve(closed) }).services
  const { message } = queue.shift() as (typeof queue)[number]
  await new Deliverer(elsewhere, { now }).deliver(message, () => 900_000)
  await closed.close()
  assert.match((await onlyDelivery(send, id)).error, /does not have a public IP address/)
  assert.equal(receiver.at('/private').length, 0)
  assert.ok(new AddressGuard(allowed).isAllowed('127.0.0.1'))
  queue.length = 0
})

test('a webhook replay sends missed events, but no progress events', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/replay')
  const since = now().toISOString()
  await createEvent(send)
  await deliverAll()
  await send('PATCH', `/v1/webhooks/${id}`, { enabled: false })
  pass(10)
  const missed = newId('job')
  await dispatch(eventOf(send, missed, 1, 'job.progress'))
  await dispatch(eventOf(send, missed, 2, 'job.failed'))
  assert.equal(queue.length, 0)
  await send('PATCH', `/v1/webhooks/${id}`, { enabled: true })
  const replayed = await send('POST', `/v1/webhooks/${id}/replay`, { since })
  assert.deepEqual([replayed.status, replayed.data], [202, { deliveries: 2, next: null }])
  await deliverAll()
  assert.deepEqual(
    receiver.at('/replay').map(({ json }) => json.event),
    ['job.completed', 'job.completed', 'job.failed'],
  )
  const failures = await send('POST', `/v1/webhooks/${id}/replay`, { since, events: ['job.failed'] })
  assert.equal(failures.data.deliveries, 1)
  await deliverAll()
  assert.equal(receiver.at('/replay').length, 4)
  assert.equal((await deliveriesOf(send, id)).length, 2)
})

test('a test event is sent immediately, and the reply contains its outcome', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/test', { format: 'chat-blocks', enabled: false })
  const answered = send('POST', `/v1/webhooks/${id}/test`, { event: 'job.failed' })
  while (queue.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await deliverAll()
  const { status, data } = await answered
  assert.deepEqual([status, data.status, data.responseStatus], [200, 'succeeded', 204])
  const [sent] = receiver.at('/test')
  assert.equal(sent?.json.blocks[0].text.text, 'Job failed')
  assert.equal((await onlyDelivery(send, id)).id, data.deliveryId)
  const [of, unknown] = [`/v1/webhooks/${id}/deliveries`, newId('whd')]
  assert.deepEqual((await send('GET', `${of}/${unknown}`)).error.details, {
    webhookId: id,
    deliveryId: unknown,
  })
})

test('deliveries are paginated, newest first', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/pages')
  const events: string[] = []
  for (let count = 0; count < 3; count++) {
    pass(1)
    events.unshift((await createEvent(send)).id)
  }
  await deliverAll()
  const path = `/v1/webhooks/${id}/deliveries`
  const first = (await send('GET', path, undefined, { limit: '2' })).data
  const rest = (await send('GET', path, undefined, { limit: '2', before: first.next })).data
  assert.deepEqual(
    [...first.deliveries, ...rest.deliveries].map(({ eventId }: { eventId: string }) => eventId),
    events,
  )
  assert.equal(rest.next, null)
  assert.equal((await send('GET', `${path}/whd_00000000000000000000000000`)).status, 404)
})

/** The event as its creator publishes it. */
async function tellBeginning(jobId: string): Promise<void> {
  const state = await app.services.jobs.store.getState(jobId)
  assert.ok(state)
  for (const event of createCreationEvents(state)) await dispatch(event)
}

test('webhookUrl of a job creates a webhook signed with the default secret of its owner', async () => {
  const send = newClient()
  const tasks = {
    text: { operation: 'import/raw', filename: 'a.txt', file: 'text' },
    pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
    out: { operation: 'export/url', input: 'pdf' },
  }
  const refusal = await send('POST', '/v1/jobs', { tasks, webhookUrl: 'http://192.168.0.1/' })
  assert.deepEqual([refusal.error.code, refusal.error.details.field], ['URL_NOT_ALLOWED', 'webhookUrl'])
  const { data } = await send('POST', '/v1/jobs', { tasks, webhookUrl: receiver.url('/own') })
  await tellBeginning(data.jobId)
  await dispatch(eventOf(send, newId('job'), 1, 'job.created'))
  await deliverAll()
  const [sent, ...others] = receiver.at('/own')
  assert.deepEqual([sent?.json.job.id, others.map(({ json }) => json.event)], [data.jobId, ['job.queued']])
  const { secret } = (await send('GET', '/v1/webhooks/secret')).data
  const signature = String(sent?.headers['x-webhook-signature'])
  assert.equal(await verify(secret, String(sent?.body), signature), true)
  const id = data.jobId.replace('job_', 'whk_')
  assert.equal((await send('GET', `/v1/webhooks/${id}`)).data.jobId, data.jobId)
  const { deliveries } = (await send('GET', `/v1/webhooks/${id}/deliveries`)).data
  assert.deepEqual(
    deliveries.map(({ status }: { status: string }) => status),
    ['succeeded', 'succeeded'],
  )
  assert.deepEqual((await send('GET', '/v1/webhooks')).data.webhooks, [])
  assert.equal((await send('DELETE', `/v1/webhooks/${id}`)).status, 404)

  const form = new FormData()
  form.set('file', new Blob(['# Hello']), 'page.md')
  form.set('targetFormat', 'pdf')
  form.set('webhookUrl', receiver.url('/form'))
  const converted = await send('POST', '/v1/convert', form)
  assert.deepEqual(converted.data.warnings, [])
  const nightly = { name: 'nightly', cron: '0 3 * * *', tasks, webhookUrl: receiver.url('/nightly') }
  const workflow = (await send('POST', '/v1/workflows', nightly)).data
  assert.equal(workflow.webhookUrl, receiver.url('/nightly'))
  const run = (await send('POST', `/v1/workflows/${workflow.id}/run`)).data
  await tellBeginning(converted.data.jobId)
  await tellBeginning(run.jobId)
  await deliverAll()
  const eventsAt = (path: string) => receiver.at(path).map(({ json }) => json.event)
  assert.deepEqual(eventsAt('/form'), ['job.created', 'job.queued'])
  assert.deepEqual(eventsAt('/nightly').at(0), 'job.created')
})

/** The message as SQS passes it to Lambda. */
const record = (body: string): SQSRecord => ({
  messageId: crypto.randomUUID(),
  receiptHandle: 'AQEB…',
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '1767225600000',
    SenderId: 'AROAEXAMPLE',
    ApproximateFirstReceiveTimestamp: '1767225600001',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:mutabor-delivery',
  awsRegion: 'eu-central-1',
})

test('the webhook functions process bus events and queue messages, and report failed messages', async () => {
  const { QUEUE_URL_PREFIX, SERVICE_SECRET } = app.services.config
  const own = { QUEUE_URL_PREFIX, SERVICE_SECRET, OUTGOING_ALLOW: allowed.join(), LOG_LEVEL: 'silent' }
  Object.assign(processEnvironment, own)
  const send = newClient()
  const { id } = await createHook(send, '/functions', { events: ['job.completed'] })
  const event = eventOf(send, newId('job'), 4)
  await dispatchHandler({
    version: '0',
    id: crypto.randomUUID(),
    account: '000000000000',
    region: 'eu-central-1',
    time: event.timestamp,
    source: 'mutabor',
    'detail-type': event.event,
    resources: [],
    detail: event,
  } as Parameters<typeof dispatchHandler>[0])
  const QueueUrl = `${QUEUE_URL_PREFIX}delivery`
  const sqs = new SQSClient({ ...createClientConfig(app.services.config), useQueueUrlAsEndpoint: true })
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['MessageGroupId'] }),
  )
  assert.deepEqual(
    Messages.map(({ Attributes }) => Attributes?.MessageGroupId),
    [id],
  )
  const wrong = record('{"webhookId":7}')
  const { batchItemFailures } = await createFunction().handler(
    { Records: [record(Messages[0]?.Body ?? ''), wrong] },
    { getRemainingTimeInMillis: () => 120_000 },
  )
  assert.deepEqual(batchItemFailures, [{ itemIdentifier: wrong.messageId }])
  assert.equal(receiver.at('/functions')[0]?.json.id, event.id)
  assert.equal((await onlyDelivery(send, id)).status, 'succeeded')
})

test('the default secret is created once per owner and can be rotated', async () => {
  const send = newClient()
  assert.equal((await send('GET', '/v1/webhooks/secret')).error.code, 'AUTHENTICATION_REQUIRED')
  await createHook(send, '/')
  const first = (await send('GET', '/v1/webhooks/secret')).data
  assert.deepEqual((await send('GET', '/v1/webhooks/secret')).data, first)
  const second = (await send('POST', '/v1/webhooks/secret/rotate', {})).data
  assert.notEqual(second.secret, first.secret)
  assert.equal((await send('GET', '/v1/webhooks/secret')).data.secret, second.secret)
})

test('events are only sent to webhooks and sockets that exist', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/received')
  const { table } = app.services
  const listeners = async (owner = send.id()) => (await loadSubscribers(table, owner))('job.created')
  assert.deepEqual(await listeners(), ['webhooks'])
  const { until } = await new EventFeeds(table).watch(send.id())
  assert.ok(until > Date.now())
  assert.deepEqual(await listeners(), ['webhooks', 'sockets'])
  await send('DELETE', `/v1/webhooks/${id}`)
  assert.deepEqual(await listeners(), ['sockets'])
  assert.deepEqual(await listeners(newId('anon')), [])
})

test('a webhook receives only its selected events, or all events if they are sent in sequence', async () => {
  const send = newClient()
  await createHook(send, '/ends', { events: ['job.failed'] })
  const received = await loadSubscribers(app.services.table, send.id())
  assert.deepEqual([received('job.created'), received('job.failed')], [[], ['webhooks']])
  await createHook(send, '/order', { events: ['job.started'] })
  const inOrder = await loadSubscribers(app.services.table, send.id())
  assert.deepEqual([inOrder('job.created'), inOrder('file.uploaded')], [['webhooks'], ['webhooks']])
})

test('creating the first subscriber waits until no process uses the old list', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/before')
  await send('DELETE', `/v1/webhooks/${id}`)
  const memory = new TtlCache<SubscriberLookup>(subscriberCacheMs)
  const listeners = async (owner = send.id()) =>
    (await memory.get(owner, () => loadSubscribers(app.services.table, owner)))('job.created')
  assert.deepEqual(await listeners(), [])
  await createHook(send, '/again')
  assert.deepEqual(await listeners(), ['webhooks'])
  const feeds = new EventFeeds(app.services.table)
  for (const beginners of [1, 2]) {
    const owner = newId('anon')
    assert.deepEqual(await listeners(owner), [])
    await Promise.race(Array.from({ length: beginners }, () => feeds.watch(owner)))
    assert.deepEqual(await listeners(owner), ['sockets'], `first of ${beginners}`)
  }
})
