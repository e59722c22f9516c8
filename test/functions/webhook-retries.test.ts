import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { accountKey } from '../../lib/accounts/accounts.ts'
import type { Queues } from '../../lib/aws/queues.ts'
import { derivedId, newId } from '../../lib/ids.ts'
import type { Email } from '../../lib/mail/emails.ts'
import { createWakeHandlers } from '../../lib/services/wakeups.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { defined } from '../../lib/validation/defined.ts'
import { Deliverer } from '../../lib/webhooks/deliverer.ts'
import { DeliveryStore } from '../../lib/webhooks/deliveries.ts'
import type { DeliveryMessage } from '../../lib/webhooks/delivery.ts'
import { Dispatcher } from '../../lib/webhooks/dispatcher.ts'
import { ReceiverConcurrency } from '../../lib/webhooks/receiver-concurrency.ts'
import { retryDelaysS } from '../../lib/webhooks/schedule.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { openReceiver, respondWith } from '../webhooks/receiver.ts'

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

/** A server that handles every request with `respond`. */
async function raw(answer: (socket: import('node:net').Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  closing.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

test('a failed delivery shows the failure and is retried on schedule', async () => {
  receiver.setHandler('/500', respondWith(500, {}, 'no\u0000 use'))
  receiver.setHandler('/429', respondWith(429, { 'retry-after': '120' }))
  receiver.setHandler('/302', respondWith(302, { location: receiver.url('/elsewhere') }))
  receiver.setHandler('/10mb', respondWith(500, {}, 'x'.repeat(10 * 1024 * 1024)))
  receiver.setHandler('/hangs', () => {})
  const cases: [name: string, url: string, status: number | null, error: RegExp, nextS: number][] = [
    ['500', receiver.url('/500'), 500, /^The receiver responded with status 500\.$/, 5],
    ['429', receiver.url('/429'), 429, /^The receiver responded with status 429\.$/, 120],
    ['redirect', receiver.url('/302'), 302, /redirects are not followed/, 5],
    ['10 MB', receiver.url('/10mb'), 500, /500/, 5],
    ['time-out', receiver.url('/hangs'), null, /did not respond within 1 s/, 5],
    ['reset', await raw((socket) => socket.resetAndDestroy()), null, /closed the connection/, 5],
    ['garbage', await raw((socket) => socket.end('what?\r\n\r\n')), null, /not valid HTTP/, 5],
    ['closed', 'http://127.0.0.1:9/', null, /refused the connection/, 5],
  ]
  for (const [name, url, status, error, nextS] of cases) {
    const send = newClient()
    const { id } = await createHook(send, '/', { url })
    await createEvent(send)
    await deliverAll(deliverer(1000))
    const delivery = await onlyDelivery(send, id)
    assert.deepEqual([delivery.status, delivery.responseStatus], ['pending', status], name)
    assert.match(delivery.error, error, name)
    assert.equal(Date.parse(delivery.nextAttemptAt) - clock, nextS * 1000, name)
    assert.equal(delivery.attempts.length, 1)
    assert.ok((delivery.responseBody ?? '').length <= 1024, name)
    if (name === '500') assert.equal(delivery.responseBody, 'no\ufffd use')
    assert.equal((await send('GET', `/v1/webhooks/${id}`)).data.failing, true)
  }
  assert.equal(receiver.at('/elsewhere').length, 0)
})

/** Due records of this webhook. */
const sweep = (webhookId: string, stream: string) =>
  createWakeHandlers(app.services)['LANE']?.(`${webhookId}#${stream}`, now())

test('ten delivery attempts are made, delayed by the queue up to 15 min and by the table beyond', async () => {
  const send = newClient()
  receiver.setHandler('/ten', respondWith(503))
  const { id } = await createHook(send, '/ten')
  const { stream } = await createEvent(send)
  const started = clock
  await deliverAll()
  for (let made = 1; made < 10; made++) {
    const { nextAttemptAt } = await onlyDelivery(send, id)
    const dueInS = (Date.parse(nextAttemptAt) - clock) / 1000
    assert.equal(dueInS, retryDelaysS[made])
    pass(dueInS + 60)
    await sweep(id, stream)
    assert.equal(queue.length, 1, `attempt ${made + 1}`)
    const { message } = queue[0] as (typeof queue)[number]
    await deliverAll()
    // A duplicate message, as both the queue and the table may send one.
    await deliverer().deliver(message, () => 900_000)
  }
  assert.equal(receiver.at('/ten').length, 10)
  const delivery = await onlyDelivery(send, id)
  assert.deepEqual([delivery.status, delivery.attempt, delivery.nextAttemptAt], ['failed', 10, null])
  assert.deepEqual(
    receiver.at('/ten').map(({ headers }) => headers['x-webhook-attempt']),
    ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  )
  assert.equal(new Set(receiver.at('/ten').map(({ body }) => body.toString())).size, 1)
  assert.ok((clock - started) / 3_600_000 > 75)
  assert.equal(
    (await app.services.table.partition(`LANE#${id}#${stream}`, 'DELIVERY#'))[0]?.['wakeAt'],
    undefined,
  )

  receiver.setHandler('/ten', respondWith(204))
  const again = await send('POST', `/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`)
  assert.deepEqual([again.status, again.data.status], [202, 'pending'])
  await deliverAll()
  const repeated = await onlyDelivery(send, id)
  assert.deepEqual([repeated.status, repeated.attempt, repeated.attempts.length], ['succeeded', 11, 11])
  assert.equal((await send('GET', `/v1/webhooks/${id}`)).data.failing, false)
})

test('delivery retries within 15 min use the delay of the queue', async () => {
  const send = newClient()
  receiver.setHandler('/soon', respondWith(500))
  await createHook(send, '/soon')
  await createEvent(send)
  const lane = queue.shift()
  assert.ok(lane)
  await deliverer().deliver(lane.message, () => 900_000)
  assert.deepEqual([queue.length, queue[0]?.delayS], [1, 5])
  const due = queue.shift()
  pass(5)
  await deliverer().deliver(due?.message as DeliveryMessage, () => 900_000)
  assert.equal(receiver.at('/soon').length, 2)
  queue.length = 0
})

test('a 410 or five days of failures disable a webhook and drop its pending deliveries', async () => {
  const send = newClient()
  receiver.setHandler('/410', respondWith(410))
  const gone = await createHook(send, '/410')
  await createEvent(send)
  await deliverAll()
  const after410 = (await send('GET', `/v1/webhooks/${gone.id}`)).data
  assert.deepEqual([after410.enabled, after410.disabledReason], [false, 'gone'])
  assert.equal((await onlyDelivery(send, gone.id)).status, 'failed')
  await createEvent(send)
  assert.equal(queue.length, 0, 'no more deliveries are sent')

  receiver.setHandler('/dead', respondWith(500))
  const dead = await createHook(send, '/dead')
  await createEvent(send)
  await deliverAll()
  pass(5 * 86_400)
  await createEvent(send)
  await deliverAll()
  const failing = (await send('GET', `/v1/webhooks/${dead.id}`)).data
  assert.deepEqual([failing.enabled, failing.disabledReason, failing.failing], [false, 'failing', true])
  const on = (await send('PATCH', `/v1/webhooks/${dead.id}`, { enabled: true })).data
  assert.deepEqual([on.enabled, on.disabledReason, on.failing], [true, null, false])
})

test('an account with a confirmed email address receives one email when a webhook is disabled', async () => {
  const to: string[] = []
  const mailer = {
    destination: 'mailbox',
    send: async (email: Email) => void to.push(JSON.stringify(email)),
  } as const
  const by = new Deliverer(app.services, { now, random: () => 0.5, mailer })
  for (const emailVerified of [false, true]) {
    const send = newClient()
    receiver.setHandler('/gone?token=secret', respondWith(410))
    await createHook(send, '/gone?token=secret')
    const person = { email: 'ada@example.com', emailVerified, name: 'Ada', plan: 'free', role: 'USER' }
    const account = { id: send.id(), ...person, status: 'active', createdAt: now().toISOString() }
    await app.services.table.put({ ...accountKey(send.id()), ...account })
    await createEvent(send)
    await createEvent(send)
    const messages = queue.splice(0)
    await Promise.all(messages.map(({ message }) => by.deliver(message, () => 900_000)))
  }
  assert.equal(to.length, 1)
  const [email = ''] = to
  assert.match(email, /"ada@example.com".*Hello Ada.*Your webhook at http:\/\/127\.0\.0\.1:\d+ was disabled/)
  assert.doesNotMatch(email, /secret/)
})

test('the sweep sends a delivery whose queue message was lost', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/lost')
  const { stream } = await createEvent(send)
  queue.length = 0
  await sweep(id, stream)
  assert.equal(queue.length, 0, 'not immediately: its message may still be in the queue')
  pass(61)
  await sweep(id, stream)
  await deliverAll()
  assert.equal((await onlyDelivery(send, id)).status, 'succeeded')
  pass(600)
  await sweep(id, stream)
  assert.equal(queue.length, 0)
})

test('a delivery whose process died is retried when its lease ends', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/died', { events: ['job.completed'] })
  await createEvent(send)
  const { message } = queue.shift() as (typeof queue)[number]
  const { only } = message
  assert.ok(only)
  await new DeliveryStore(app.services.table).claim({ ...message, ...only }, now())
  await deliverer().deliver(message, () => 900_000)
  assert.deepEqual([receiver.at('/died').length, queue.length, queue[0]?.delayS], [0, 1, 10])
  pass(26)
  await deliverer().deliver(queue.shift()?.message as DeliveryMessage, () => 900_000)
  assert.deepEqual([(await onlyDelivery(send, id)).status, queue.length], ['succeeded', 0])
})

test('the events of a job are sent in sequence, and a failed one does not delay later ones', async () => {
  const send = newClient()
  await createHook(send, '/order')
  const job = newId('job')
  let calls = 0
  receiver.setHandler(
    '/order',
    (_request, response) => void response.writeHead(++calls === 2 ? 500 : 204).end(),
  )
  const events = [1, 2, 3, 4, 5].map((sequence) => eventOf(send, job, sequence, 'job.queued'))
  const numbers = () => receiver.at('/order').map(({ json }) => json.sequence)
  await dispatch(events[2] as BusEvent)
  await dispatch(events[1] as BusEvent)
  const [first] = queue.splice(0)
  await deliverer().deliver(first?.message as DeliveryMessage, () => 900_000)
  assert.deepEqual(numbers(), [], 'the first event is missing')
  queue.length = 0
  for (const at of [4, 3, 0]) await dispatch(events[at] as BusEvent)
  // As many concurrent calls as messages.
  await Promise.all(queue.splice(0).map(({ message }) => deliverer().deliver(message, () => 900_000)))
  assert.deepEqual(numbers(), [1, 2, 3, 4, 5])
  queue.length = 0
})

test('waiting for a missing event in the sequence ends after a while', async () => {
  const send = newClient()
  const { id } = await createHook(send, '/gap')
  await dispatch(eventOf(send, newId('job'), 7))
  const { message } = queue.shift() as (typeof queue)[number]
  await deliverer().deliver(message, () => 900_000)
  assert.equal(receiver.at('/gap').length, 0)
  assert.deepEqual([queue.length, queue[0]?.delayS], [1, 1])
  pass(5)
  await deliverAll()
  assert.equal((await onlyDelivery(send, id)).status, 'succeeded')
})

test('progress is sent at most every 5 s, and a failed progress delivery is not retried', async () => {
  const send = newClient()
  receiver.setHandler('/progress', respondWith(500))
  const { id } = await createHook(send, '/progress', { events: ['job.progress'] })
  const job = newId('job')
  for (const sequence of [1, 2]) await dispatch(eventOf(send, job, sequence, 'job.progress'))
  pass(5)
  await dispatch(eventOf(send, job, 3, 'job.progress'))
  await deliverAll()
  assert.deepEqual(
    receiver.at('/progress').map(({ json }) => json.sequence),
    [1, 3],
  )
  const deliveries = await deliveriesOf(send, id)
  assert.ok(deliveries.every(({ status }: { status: string }) => status === 'failed'))
})

test('a slow webhook receiver does not use up the concurrency of others', async () => {
  const send = newClient()
  await createHook(send, '/busy')
  await createEvent(send)
  const receivers = new ReceiverConcurrency({ webhook: 0, host: 0 })
  const { message } = queue.shift() as (typeof queue)[number]
  await new Deliverer(app.services, { now, receiverConcurrency: receivers, random: () => 0 }).deliver(
    message,
    () => 900_000,
  )
  assert.deepEqual(queue, [{ message: { ...message, deferred: 1 }, delayS: 2 }])
  assert.equal(receiver.at('/busy').length, 0)
  await deliverAll()
  assert.equal(receiver.at('/busy').length, 1)
})
