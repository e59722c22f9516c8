import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { verify } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { newId } from '../../lib/ids.ts'
import { AddressGuard } from '../../lib/transfer/addresses.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { Deliverer } from '../../lib/webhooks/deliverer.ts'
import { privateAddressForms } from '../transfer/private-forms.ts'
import {
  advanceClock,
  allowedNetworks,
  app,
  buildEvent,
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
} from './support/webhook-service.ts'

test('a webhook can be created, read, changed and deleted, and its secret is shown once', async () => {
  const send = newClient()
  const { id, secret, ...made } = await createWebhook(send, '/crud', { description: 'ours' })
  assert.match(secret, /^whsec_/)
  assert.partialDeepStrictEqual(made, {
    events: ['*'],
    format: 'json',
    enabled: true,
    failing: false,
    description: 'ours',
  })
  assert.deepEqual((await send('GET', `/v1/webhooks/${id}`)).data, { id, ...made })
  const storedItem = await app.services.table.get({ pk: `WEBHOOK#${id}`, sk: 'WEBHOOK' })
  assert.ok(!JSON.stringify(storedItem).includes(secret.slice(6)))
  const secondHook = await createWebhook(send, '/crud')
  const page = (await send('GET', '/v1/webhooks', undefined, { limit: '1' })).data
  assert.deepEqual([page.webhooks[0].id, page.next], [secondHook.id, secondHook.id])
  const secondPage = (await send('GET', '/v1/webhooks', undefined, { before: page.next })).data
  assert.deepEqual([secondPage.webhooks.length, secondPage.webhooks[0].id, secondPage.next], [1, id, null])
  const changedHook = (await send('PATCH', `/v1/webhooks/${id}`, { events: ['job.failed'], enabled: false }))
    .data
  assert.deepEqual(
    [changedHook.events, changedHook.enabled, changedHook.disabledReason],
    [['job.failed'], false, null],
  )
  assert.equal((await newClient()('GET', `/v1/webhooks/${id}`)).error.code, 'WEBHOOK_NOT_FOUND')
  assert.equal((await send('DELETE', `/v1/webhooks/${id}`)).status, 204)
  assert.equal((await send('GET', `/v1/webhooks/${id}`)).status, 404)
})

test('a webhook is created once per idempotency key, and the stored reply contains no plain secret', async () => {
  const body = { url: receiver.url('/once'), events: ['*'] }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const firstReply = await app.send('POST', '/v1/webhooks', { body, headers })
  const repeatedReply = await app.send('POST', '/v1/webhooks', { body, headers })
  assert.deepEqual(
    [repeatedReply.json, repeatedReply.headers['idempotent-replayed']],
    [firstReply.json, 'true'],
  )
  const table = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'eu-central-1' }))
  const { Items = [] } = await table.send(new ScanCommand({ TableName: 'mutabor' }))
  const idempotencyItems = Items.filter(({ pk }) => String(pk).startsWith('IDEM#'))
  const replies = idempotencyItems.flatMap(({ reply }) => (reply?.body ? [Buffer.from(reply.body)] : []))
  assert.equal(replies.length, 1)
  assert.throws(() => gunzipSync(replies[0] ?? ''))
  assert.ok(!replies[0]?.includes(firstReply.json.data.secret.slice(6)))
})

test('invalid webhooks are refused, and so is the 21st webhook of an owner', async () => {
  const send = newClient()
  const assertError = async (changes: object) =>
    (await send('POST', '/v1/webhooks', { url: receiver.url('/'), events: ['*'], ...changes })).error
  assert.match((await assertError({ events: ['job.done'] })).message, /^events.*job\.completed/)
  assert.match((await assertError({ url: 'ftp://files.example' })).message, /^url: /)
  assert.match((await assertError({ secret: 'whsec_short' })).message, /^secret: .*24 to 64 bytes/)
  // Loopback addresses are allowed in this test.
  for (const url of privateAddressForms.filter((form) => !new URL(form).hostname.startsWith('127.'))) {
    const { code, details } = await assertError({ url })
    assert.deepEqual([code, details.field], ['URL_NOT_ALLOWED', 'url'], url)
  }
  for (let count = 0; count < 20; count++) await createWebhook(send, '/')
  const { code, details } = await assertError({})
  assert.deepEqual([code, details.max], ['INVALID_INPUT', 20])
})

test('both signatures of a webhook request are valid before, during and after a rotation of the secret', async () => {
  const send = newClient()
  const { id, secret: firstSecret } = await createWebhook(send, '/signed')
  const getLastRequest = async () => {
    await createEvent(send)
    await deliverAll()
    const previousRequest = receiver.at('/signed').at(-1)
    assert.ok(previousRequest)
    return {
      headers: previousRequest.headers as Record<string, string>,
      body: previousRequest.body.toString(),
    }
  }
  const isHex = (
    { body, headers }: Awaited<ReturnType<typeof getLastRequest>>,
    secret: string,
    header = '',
  ) => verify(secret, body, headers[`x-webhook-signature${header}`] ?? '')
  const hasValidSignature = (
    { body, headers }: Awaited<ReturnType<typeof getLastRequest>>,
    secret: string,
  ) => {
    try {
      return Boolean(new StandardWebhook(secret).verify(body, headers))
    } catch {
      return false
    }
  }

  const plainRequest = await getLastRequest()
  assert.deepEqual(
    [await isHex(plainRequest, firstSecret), hasValidSignature(plainRequest, firstSecret)],
    [true, true],
  )
  assert.equal(plainRequest.headers['x-webhook-signature-old'], undefined)
  assert.match(plainRequest.headers['webhook-id'] ?? '', /^evt_/)

  const { secret: secondSecret } = (await send('POST', `/v1/webhooks/${id}/rotate-secret`, { graceHours: 1 }))
    .data
  assert.notEqual(secondSecret, firstSecret)
  const requestBetween = await getLastRequest()
  assert.deepEqual(
    [await isHex(requestBetween, secondSecret), await isHex(requestBetween, firstSecret, '-old')],
    [true, true],
  )
  assert.equal(await isHex(requestBetween, firstSecret), false)
  assert.deepEqual(
    [hasValidSignature(requestBetween, firstSecret), hasValidSignature(requestBetween, secondSecret)],
    [true, true],
  )

  advanceClock(3700)
  const { headers, body } = await getLastRequest()
  assert.equal(await verify(secondSecret, body, headers['x-webhook-signature'] ?? ''), true)
  assert.equal(headers['x-webhook-signature-old'], undefined)
  assert.equal(headers['webhook-signature']?.split(' ').length, 1)
  // StandardWebhook.verify would compare the timestamp with the real clock, which was not advanced.
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  assert.equal(
    new StandardWebhook(secondSecret).sign(headers['webhook-id'] ?? '', at, body),
    headers['webhook-signature'],
  )
  assert.notEqual(
    new StandardWebhook(firstSecret).sign(headers['webhook-id'] ?? '', at, body),
    headers['webhook-signature'],
  )
})

test('an event that is dispatched twice is delivered once to a webhook', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/twice')
  const event = await createEvent(send)
  await dispatch(event)
  await deliverAll()
  const delivery = await getOnlyDelivery(send, id)
  assert.deepEqual([delivery.status, delivery.attempt, delivery.eventId], ['succeeded', 1, event.id])
  const [sentRequest, ...moreRequests] = receiver.at('/twice')
  assert.equal(moreRequests.length, 0)
  const { owner: _, stream: __, ...visible } = event
  assert.deepEqual(sentRequest?.json, visible)
  assert.partialDeepStrictEqual(sentRequest?.headers, {
    'content-type': 'application/json; charset=utf-8',
    'x-webhook-event': 'job.completed',
    'x-webhook-delivery': delivery.id,
    'x-webhook-attempt': '1',
  })
})

test("a webhook receives only its owner's events of the selected types", async () => {
  const [send, otherClient] = [newClient(), newClient()]
  const { id } = await createWebhook(send, '/chosen', { events: ['job.failed'] })
  await createWebhook(otherClient, '/others')
  await dispatch(buildEvent(send, newId('job'), 1, 'job.completed'))
  await dispatch(buildEvent(send, newId('job'), 1, 'job.failed'))
  await deliverAll()
  assert.deepEqual(
    (await listDeliveries(send, id)).map(({ event }: { event: string }) => event),
    ['job.failed'],
  )
  assert.equal(receiver.at('/others').length, 0)
})

test('AddressGuard resolves a host name with IPv4 and IPv6 addresses to its IPv4 address', async () => {
  const bothHooks = [
    { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
    { address: '93.184.215.14', family: 4 },
  ] as const
  assert.equal(
    (await new AddressGuard([], async () => bothHooks).resolve('example.com')).address,
    '93.184.215.14',
  )
  assert.equal(
    (await new AddressGuard([], async () => bothHooks.slice(0, 1)).resolve('example.com')).family,
    6,
  )
})

test('a webhook URL that leads to a private IP address at the time of delivery is not called', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/private')
  await createEvent(send)
  const httpWithoutPrivateHosts = new GuardedHttp({})
  const servicesWithoutPrivateHosts = app.with({
    guardedHttp: () => Promise.resolve(httpWithoutPrivateHosts),
  }).services
  const { message } = queue.shift() as (typeof queue)[number]
  await new Deliverer(servicesWithoutPrivateHosts, { now }).deliver(message, () => 900_000)
  await httpWithoutPrivateHosts.close()
  assert.match((await getOnlyDelivery(send, id)).error, /does not have a public IP address/)
  assert.equal(receiver.at('/private').length, 0)
  assert.ok(new AddressGuard(allowedNetworks).isAllowed('127.0.0.1'))
  queue.length = 0
})

test('a webhook replay sends all events since a timestamp, including missed ones, but no job.progress events', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/replay')
  const sinceTime = now().toISOString()
  await createEvent(send)
  await deliverAll()
  await send('PATCH', `/v1/webhooks/${id}`, { enabled: false })
  advanceClock(10)
  const missedJobId = newId('job')
  await dispatch(buildEvent(send, missedJobId, 1, 'job.progress'))
  await dispatch(buildEvent(send, missedJobId, 2, 'job.failed'))
  assert.equal(queue.length, 0)
  await send('PATCH', `/v1/webhooks/${id}`, { enabled: true })
  const replayReply = await send('POST', `/v1/webhooks/${id}/replay`, { since: sinceTime })
  assert.deepEqual([replayReply.status, replayReply.data], [202, { deliveries: 2, next: null }])
  await deliverAll()
  assert.deepEqual(
    receiver.at('/replay').map(({ json }) => json.event),
    ['job.completed', 'job.completed', 'job.failed'],
  )
  const failures = await send('POST', `/v1/webhooks/${id}/replay`, {
    since: sinceTime,
    events: ['job.failed'],
  })
  assert.equal(failures.data.deliveries, 1)
  await deliverAll()
  assert.equal(receiver.at('/replay').length, 4)
  assert.equal((await listDeliveries(send, id)).length, 2)
})
