import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { getAccountKey } from '../../lib/accounts/accounts.ts'
import { maxHops } from '../../lib/aws/message-chain.ts'
import type { Email } from '../../lib/mail/emails.ts'
import { Deliverer } from '../../lib/webhooks/deliverer.ts'
import type { DeliveryMessage } from '../../lib/webhooks/delivery.ts'
import type { ReceiverConcurrency } from '../../lib/webhooks/receiver-concurrency.ts'
import { retryDelaysS } from '../../lib/webhooks/schedule.ts'
import { respondWith } from '../webhooks/receiver.ts'
import {
  advanceClock,
  app,
  clock,
  createDeliverer,
  createEvent,
  createWebhook,
  deliverAll,
  getOnlyDelivery,
  newClient,
  now,
  queue,
  receiver,
  serversToClose,
  sweep,
} from './support/webhook-service.ts'

/** Starts a TCP server that passes each connection to `respond` as soon as data arrives, and returns its URL. */
async function startRawServer(respond: (socket: import('node:net').Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => respond(socket))
  })
  serversToClose.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}

test('a failed webhook delivery shows the error, the response status and the time of the next attempt', async () => {
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
    ['reset', await startRawServer((socket) => socket.resetAndDestroy()), null, /closed the connection/, 5],
    ['garbage', await startRawServer((socket) => socket.end('what?\r\n\r\n')), null, /not valid HTTP/, 5],
    ['closed', 'http://127.0.0.1:9/', null, /refused the connection/, 5],
  ]
  for (const [name, url, status, error, nextAttemptInS] of cases) {
    const send = newClient()
    const { id } = await createWebhook(send, '/', { url })
    await createEvent(send)
    await deliverAll(createDeliverer(1000))
    const delivery = await getOnlyDelivery(send, id)
    assert.deepEqual([delivery.status, delivery.responseStatus], ['pending', status], name)
    assert.match(delivery.error, error, name)
    assert.equal(Date.parse(delivery.nextAttemptAt) - clock, nextAttemptInS * 1000, name)
    assert.equal(delivery.attempts.length, 1)
    assert.ok((delivery.responseBody ?? '').length <= 1024, name)
    if (name === '500') assert.equal(delivery.responseBody, 'no\ufffd use')
    assert.equal((await send('GET', `/v1/webhooks/${id}`)).data.failing, true)
  }
  assert.equal(receiver.at('/elsewhere').length, 0)
})

test('a webhook delivery fails after ten attempts, and can then be redelivered on request', async () => {
  const send = newClient()
  receiver.setHandler('/ten', respondWith(503))
  const { id } = await createWebhook(send, '/ten')
  const { stream } = await createEvent(send)
  const startedAtMs = clock
  await deliverAll()
  for (let attemptNumber = 1; attemptNumber < 10; attemptNumber++) {
    const { nextAttemptAt } = await getOnlyDelivery(send, id)
    const dueInS = (Date.parse(nextAttemptAt) - clock) / 1000
    assert.equal(dueInS, retryDelaysS[attemptNumber])
    advanceClock(dueInS + 60)
    await sweep(id, stream)
    assert.equal(queue.length, 1, `attempt ${attemptNumber + 1}`)
    const { message } = queue[0] as (typeof queue)[number]
    await deliverAll()
    // Delivers a duplicate message, because both the queue and the table may send a message.
    await createDeliverer().deliver(message, () => 900_000)
  }
  assert.equal(receiver.at('/ten').length, 10)
  const delivery = await getOnlyDelivery(send, id)
  assert.deepEqual([delivery.status, delivery.attempt, delivery.nextAttemptAt], ['failed', 10, null])
  assert.deepEqual(
    receiver.at('/ten').map(({ headers }) => headers['x-webhook-attempt']),
    ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
  )
  assert.equal(new Set(receiver.at('/ten').map(({ body }) => body.toString())).size, 1)
  assert.ok((clock - startedAtMs) / 3_600_000 > 75)
  assert.equal(
    (await app.services.table.partition(`LANE#${id}#${stream}`, 'DELIVERY#'))[0]?.['wakeAt'],
    undefined,
  )

  receiver.setHandler('/ten', respondWith(204))
  const redeliverReply = await send('POST', `/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver`)
  assert.deepEqual([redeliverReply.status, redeliverReply.data.status], [202, 'pending'])
  await deliverAll()
  const repeatedDelivery = await getOnlyDelivery(send, id)
  assert.deepEqual(
    [repeatedDelivery.status, repeatedDelivery.attempt, repeatedDelivery.attempts.length],
    ['succeeded', 11, 11],
  )
  assert.equal((await send('GET', `/v1/webhooks/${id}`)).data.failing, false)
})

test('the first retry of a webhook delivery is queued with a delay of 5 s', async () => {
  const send = newClient()
  receiver.setHandler('/soon', respondWith(500))
  await createWebhook(send, '/soon')
  await createEvent(send)
  const laneMessage = queue.shift()
  assert.ok(laneMessage)
  await createDeliverer().deliver(laneMessage.message, () => 900_000)
  assert.deepEqual([queue.length, queue[0]?.delayS], [1, 5])
  const dueMessage = queue.shift()
  advanceClock(5)
  await createDeliverer().deliver(dueMessage?.message as DeliveryMessage, () => 900_000)
  assert.equal(receiver.at('/soon').length, 2)
  queue.length = 0
})

test('a webhook is disabled by a reply with status 410 or by five days of failures', async () => {
  const send = newClient()
  receiver.setHandler('/410', respondWith(410))
  const goneWebhook = await createWebhook(send, '/410')
  await createEvent(send)
  await deliverAll()
  const webhookAfter410 = (await send('GET', `/v1/webhooks/${goneWebhook.id}`)).data
  assert.deepEqual([webhookAfter410.enabled, webhookAfter410.disabledReason], [false, 'gone'])
  assert.equal((await getOnlyDelivery(send, goneWebhook.id)).status, 'failed')
  await createEvent(send)
  assert.equal(queue.length, 0, 'no more deliveries are sent')

  receiver.setHandler('/dead', respondWith(500))
  const unreachableWebhook = await createWebhook(send, '/dead')
  await createEvent(send)
  await deliverAll()
  advanceClock(5 * 86_400)
  await createEvent(send)
  await deliverAll()
  const failingWebhook = (await send('GET', `/v1/webhooks/${unreachableWebhook.id}`)).data
  assert.deepEqual(
    [failingWebhook.enabled, failingWebhook.disabledReason, failingWebhook.failing],
    [false, 'failing', true],
  )
  const enabledWebhook = (await send('PATCH', `/v1/webhooks/${unreachableWebhook.id}`, { enabled: true }))
    .data
  assert.deepEqual(
    [enabledWebhook.enabled, enabledWebhook.disabledReason, enabledWebhook.failing],
    [true, null, false],
  )
})

test('an account with a confirmed email address receives one email when a webhook is disabled', async () => {
  const to: string[] = []
  const mailer = {
    destination: 'mailbox',
    send: async (email: Email) => void to.push(JSON.stringify(email)),
  } as const
  const mailingDeliverer = new Deliverer(app.services, { now, random: () => 0.5, mailer })
  for (const emailVerified of [false, true]) {
    const send = newClient()
    receiver.setHandler('/gone?token=secret', respondWith(410))
    await createWebhook(send, '/gone?token=secret')
    const person = { email: 'ada@example.com', emailVerified, name: 'Ada', plan: 'free', role: 'USER' }
    const account = { id: send.id(), ...person, status: 'active', createdAt: now().toISOString() }
    await app.services.table.put({ ...getAccountKey(send.id()), ...account })
    await createEvent(send)
    await createEvent(send)
    const messages = queue.splice(0)
    await Promise.all(messages.map(({ message }) => mailingDeliverer.deliver(message, () => 900_000)))
  }
  assert.equal(to.length, 1)
  const [email = ''] = to
  assert.match(email, /"ada@example.com".*Hello Ada.*Your webhook at http:\/\/127\.0\.0\.1:\d+ was disabled/)
  assert.doesNotMatch(email, /secret/)
})

test('a webhook receiver that is busy for three days still gets its event', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/busy')
  await createEvent(send)
  const startedAtMs = clock
  const receiverConcurrency = { acquire: () => clock - startedAtMs > 3 * 86_400_000, release: () => {} }
  const busyDeliverer = new Deliverer(app.services, {
    now,
    random: () => 0,
    receiverConcurrency: receiverConcurrency as unknown as ReceiverConcurrency, // a stub with only the members that are used
  })
  let hops = 1
  while (queue.length > 0) {
    const { message, delayS } = queue.shift() as (typeof queue)[number] // it is not empty
    advanceClock(delayS)
    hops++
    await busyDeliverer.deliver(message, () => 900_000)
  }
  assert.equal((await getOnlyDelivery(send, id)).status, 'succeeded')
  assert.ok(hops > 5000 && hops < maxHops, `${hops} hops`)
})
