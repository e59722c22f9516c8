import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { newId } from '../../lib/ids.ts'
import { Deliverer } from '../../lib/webhooks/deliverer.ts'
import { DeliveryStore } from '../../lib/webhooks/deliveries.ts'
import type { DeliveryMessage } from '../../lib/webhooks/delivery.ts'
import { ReceiverConcurrency } from '../../lib/webhooks/receiver-concurrency.ts'
import { respondWith } from '../webhooks/receiver.ts'
import {
  advanceClock,
  app,
  buildEvent,
  createDeliverer,
  createEvent,
  createWebhook,
  deliverAll,
  dispatch,
  getOnlyDelivery,
  listDeliveries,
  newClient,
  now,
  queue,
  receiver,
  sweep,
} from './support/webhook-service.ts'

test('the sweep sends a webhook delivery whose queue message was lost', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/lost')
  const { stream } = await createEvent(send)
  queue.length = 0
  await sweep(id, stream)
  assert.equal(queue.length, 0, 'not immediately: its message may still be in the queue')
  advanceClock(61)
  await sweep(id, stream)
  await deliverAll()
  assert.equal((await getOnlyDelivery(send, id)).status, 'succeeded')
  advanceClock(600)
  await sweep(id, stream)
  assert.equal(queue.length, 0)
})

test('a webhook delivery whose process died is retried when its lease ends', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/died', { events: ['job.completed'] })
  await createEvent(send)
  const { message } = queue.shift() as (typeof queue)[number]
  const { only } = message
  assert.ok(only)
  await new DeliveryStore(app.services.table).claim({ ...message, ...only }, now())
  await createDeliverer().deliver(message, () => 900_000)
  assert.deepEqual([receiver.at('/died').length, queue.length, queue[0]?.delayS], [0, 1, 10])
  advanceClock(26)
  await createDeliverer().deliver(queue.shift()?.message as DeliveryMessage, () => 900_000)
  assert.deepEqual([(await getOnlyDelivery(send, id)).status, queue.length], ['succeeded', 0])
})

test('a webhook receives the events of a job in sequence, and a failed delivery does not delay later events', async () => {
  const send = newClient()
  await createWebhook(send, '/order')
  const job = newId('job')
  let calls = 0
  receiver.setHandler(
    '/order',
    (_request, response) => void response.writeHead(++calls === 2 ? 500 : 204).end(),
  )
  const events = [1, 2, 3, 4, 5].map((sequence) => buildEvent(send, job, sequence, 'job.queued'))
  const listNumbers = () => receiver.at('/order').map(({ json }) => json.sequence)
  await dispatch(events[2] as BusEvent)
  await dispatch(events[1] as BusEvent)
  const [firstMessage] = queue.splice(0)
  await createDeliverer().deliver(firstMessage?.message as DeliveryMessage, () => 900_000)
  assert.deepEqual(listNumbers(), [], 'the first event is missing')
  queue.length = 0
  for (const at of [4, 3, 0]) await dispatch(events[at] as BusEvent)
  // Makes a concurrent call for each message.
  await Promise.all(queue.splice(0).map(({ message }) => createDeliverer().deliver(message, () => 900_000)))
  assert.deepEqual(listNumbers(), [1, 2, 3, 4, 5])
  queue.length = 0
})

test('a webhook delivery waits for a missing earlier event of the job, but only until a timeout', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/gap')
  await dispatch(buildEvent(send, newId('job'), 7))
  const { message } = queue.shift() as (typeof queue)[number]
  await createDeliverer().deliver(message, () => 900_000)
  assert.equal(receiver.at('/gap').length, 0)
  assert.deepEqual([queue.length, queue[0]?.delayS], [1, 1])
  advanceClock(5)
  await deliverAll()
  assert.equal((await getOnlyDelivery(send, id)).status, 'succeeded')
})

test('a webhook receives job.progress events at most every 5 s, and their failed deliveries are not retried', async () => {
  const send = newClient()
  receiver.setHandler('/progress', respondWith(500))
  const { id } = await createWebhook(send, '/progress', { events: ['job.progress'] })
  const job = newId('job')
  for (const sequence of [1, 2]) await dispatch(buildEvent(send, job, sequence, 'job.progress'))
  advanceClock(5)
  await dispatch(buildEvent(send, job, 3, 'job.progress'))
  await deliverAll()
  assert.deepEqual(
    receiver.at('/progress').map(({ json }) => json.sequence),
    [1, 3],
  )
  const deliveries = await listDeliveries(send, id)
  assert.ok(deliveries.every(({ status }: { status: string }) => status === 'failed'))
})

test('a webhook delivery over the concurrency limit of its receiver is deferred for 2 s and sent later', async () => {
  const send = newClient()
  await createWebhook(send, '/busy')
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
