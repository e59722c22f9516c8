import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { verify } from '@octokit/webhooks-methods'
import type { SQSRecord } from 'aws-lambda'
import { createFunction } from '../../functions/deliver.ts'
import { handler as dispatchHandler } from '../../functions/dispatch.ts'
import { TtlCache } from '../../lib/async/ttl-cache.ts'
import { createClientConfig } from '../../lib/aws/client-config.ts'
import { processEnvironment } from '../../lib/config.ts'
import { newId } from '../../lib/ids.ts'
import { createCreationEvents } from '../../lib/jobs/events.ts'
import { EventFeeds, readWatchAndCounts } from '../../lib/live/event-feed.ts'
import { loadSubscribers } from '../../lib/live/subscribers.ts'
import { subscriberCacheMs } from '../../lib/model/subscriber-cache.ts'
import type { SubscriberLookup } from '../../lib/model/subscribers.ts'
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
  newClient,
  queue,
  receiver,
} from './support/webhook-service.ts'

test('a test event is sent to a disabled webhook too, and the reply contains the outcome of the delivery', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/test', { format: 'chat-blocks', enabled: false })
  const testReply = send('POST', `/v1/webhooks/${id}/test`, { event: 'job.failed' })
  while (queue.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await deliverAll()
  const { status, data } = await testReply
  assert.deepEqual([status, data.status, data.responseStatus], [200, 'succeeded', 204])
  const [sentRequest] = receiver.at('/test')
  assert.equal(sentRequest?.json.blocks[0].text.text, 'Job failed')
  assert.equal((await getOnlyDelivery(send, id)).id, data.deliveryId)
  const [of, unknown] = [`/v1/webhooks/${id}/deliveries`, newId('whd')]
  assert.deepEqual((await send('GET', `${of}/${unknown}`)).error.details, {
    webhookId: id,
    deliveryId: unknown,
  })
})

test('webhook deliveries are paginated, newest first', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/pages')
  const events: string[] = []
  for (let count = 0; count < 3; count++) {
    advanceClock(1)
    events.unshift((await createEvent(send)).id)
  }
  await deliverAll()
  const path = `/v1/webhooks/${id}/deliveries`
  const firstPage = (await send('GET', path, undefined, { limit: '2' })).data
  const secondPage = (await send('GET', path, undefined, { limit: '2', before: firstPage.next })).data
  assert.deepEqual(
    [...firstPage.deliveries, ...secondPage.deliveries].map(({ eventId }: { eventId: string }) => eventId),
    events,
  )
  assert.equal(secondPage.next, null)
  assert.equal((await send('GET', `${path}/whd_00000000000000000000000000`)).status, 404)
})

/** Dispatches the events that are published when a job is created. */
async function publishJobCreated(jobId: string): Promise<void> {
  const state = await app.services.jobs.store.getState(jobId)
  assert.ok(state)
  for (const event of createCreationEvents(state)) await dispatch(event)
}

test('the webhookUrl of a job receives the events of the job, signed with the default secret of its owner', async () => {
  const send = newClient()
  const tasks = {
    text: { operation: 'import/raw', filename: 'a.txt', file: 'text' },
    pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
    out: { operation: 'export/url', input: 'pdf' },
  }
  const refusal = await send('POST', '/v1/jobs', { tasks, webhookUrl: 'http://192.168.0.1/' })
  assert.deepEqual([refusal.error.code, refusal.error.details.field], ['URL_NOT_ALLOWED', 'webhookUrl'])
  const { data } = await send('POST', '/v1/jobs', { tasks, webhookUrl: receiver.url('/own') })
  await publishJobCreated(data.jobId)
  await dispatch(buildEvent(send, newId('job'), 1, 'job.created'))
  await deliverAll()
  const [uploadRequest, sentRequest, ...otherRequests] = receiver.at('/own')
  assert.deepEqual(
    [uploadRequest?.json.file.jobId, sentRequest?.json.job.id, otherRequests.map(({ json }) => json.event)],
    [data.jobId, data.jobId, ['job.queued']],
  )
  const { secret } = (await send('GET', '/v1/webhooks/secret')).data
  const signature = String(sentRequest?.headers['x-webhook-signature'])
  assert.equal(await verify(secret, String(sentRequest?.body), signature), true)
  const id = data.jobId.replace('job_', 'whk_')
  assert.equal((await send('GET', `/v1/webhooks/${id}`)).data.jobId, data.jobId)
  const { deliveries } = (await send('GET', `/v1/webhooks/${id}/deliveries`)).data
  assert.deepEqual(
    deliveries.map(({ status }: { status: string }) => status),
    ['succeeded', 'succeeded', 'succeeded'],
  )
  assert.deepEqual((await send('GET', '/v1/webhooks')).data.webhooks, [])
  assert.equal((await send('DELETE', `/v1/webhooks/${id}`)).status, 404)

  const form = new FormData()
  form.set('file', new Blob(['# Hello']), 'page.md')
  form.set('targetFormat', 'pdf')
  form.set('webhookUrl', receiver.url('/form'))
  const createdJob = await send('POST', '/v1/convert', form)
  assert.deepEqual(createdJob.data.warnings, [])
  const nightlyWorkflow = { name: 'nightly', cron: '0 3 * * *', tasks, webhookUrl: receiver.url('/nightly') }
  const workflow = (await send('POST', '/v1/workflows', nightlyWorkflow)).data
  assert.equal(workflow.webhookUrl, receiver.url('/nightly'))
  const run = (await send('POST', `/v1/workflows/${workflow.id}/run`)).data
  await publishJobCreated(createdJob.data.jobId)
  await publishJobCreated(run.jobId)
  await deliverAll()
  const eventNamesAt = (path: string) => receiver.at(path).map(({ json }) => json.event)
  assert.deepEqual(eventNamesAt('/form'), ['file.uploaded', 'job.created', 'job.queued'])
  assert.deepEqual(eventNamesAt('/nightly').slice(0, 2), ['file.uploaded', 'job.created'])
})

/** Creates the record of a queue message as SQS passes it to Lambda. */
const createRecord = (body: string): SQSRecord => ({
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
  const ownVariables = {
    QUEUE_URL_PREFIX,
    SERVICE_SECRET,
    OUTGOING_ALLOW: allowedNetworks.join(),
    LOG_LEVEL: 'silent',
  }
  Object.assign(processEnvironment, ownVariables)
  const send = newClient()
  const { id } = await createWebhook(send, '/functions', { events: ['job.completed'] })
  const event = buildEvent(send, newId('job'), 4)
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
  const wrongRecord = createRecord('{"webhookId":7}')
  const { batchItemFailures } = await createFunction().handler(
    { Records: [createRecord(Messages[0]?.Body ?? ''), wrongRecord] },
    { getRemainingTimeInMillis: () => 120_000 },
  )
  assert.deepEqual(batchItemFailures, [{ itemIdentifier: wrongRecord.messageId }])
  assert.equal(receiver.at('/functions')[0]?.json.id, event.id)
  assert.equal((await getOnlyDelivery(send, id)).status, 'succeeded')
})

test('the default webhook secret is created once per owner and can be rotated', async () => {
  const send = newClient()
  assert.equal((await send('GET', '/v1/webhooks/secret')).error.code, 'AUTHENTICATION_REQUIRED')
  await createWebhook(send, '/')
  const firstSecret = (await send('GET', '/v1/webhooks/secret')).data
  assert.deepEqual((await send('GET', '/v1/webhooks/secret')).data, firstSecret)
  const secondSecret = (await send('POST', '/v1/webhooks/secret/rotate', {})).data
  assert.notEqual(secondSecret.secret, firstSecret.secret)
  assert.equal((await send('GET', '/v1/webhooks/secret')).data.secret, secondSecret.secret)
})

test('loadSubscribers lists webhooks only while the owner has one, and sockets once the event feed is watched', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/received')
  const { table } = app.services
  const listSubscriberKinds = async (owner = send.id()) =>
    (await loadSubscribers(table, owner))('job.created')
  assert.deepEqual(await listSubscriberKinds(), ['webhooks'])
  const { until } = await new EventFeeds(table).watch(send.id())
  assert.ok(until > Date.now())
  assert.deepEqual(await listSubscriberKinds(), ['webhooks', 'sockets'])
  const isWatchedAt = async (now: number) => (await readWatchAndCounts(table, send.id(), now)).isWatched
  assert.deepEqual([await isWatchedAt(until - 1), await isWatchedAt(until)], [true, false])
  await send('DELETE', `/v1/webhooks/${id}`)
  assert.deepEqual(await listSubscriberKinds(), ['sockets'])
  assert.deepEqual(await listSubscriberKinds(newId('anon')), [])
})

test('loadSubscribers finds a webhook for job.created if it selects job.started, but not if it selects job.failed', async () => {
  const send = newClient()
  await createWebhook(send, '/ends', { events: ['job.failed'] })
  const foundSubscribers = await loadSubscribers(app.services.table, send.id())
  assert.deepEqual([foundSubscribers('job.created'), foundSubscribers('job.failed')], [[], ['webhooks']])
  await createWebhook(send, '/order', { events: ['job.started'] })
  const inOrder = await loadSubscribers(app.services.table, send.id())
  assert.deepEqual([inOrder('job.created'), inOrder('file.uploaded')], [['webhooks'], ['webhooks']])
})

test('creating the first subscriber waits until no process uses the old list of subscribers', async () => {
  const send = newClient()
  const { id } = await createWebhook(send, '/before')
  await send('DELETE', `/v1/webhooks/${id}`)
  const subscriberCache = new TtlCache<SubscriberLookup>(subscriberCacheMs)
  const listSubscriberKinds = async (owner = send.id()) =>
    (await subscriberCache.get(owner, () => loadSubscribers(app.services.table, owner)))('job.created')
  assert.deepEqual(await listSubscriberKinds(), [])
  await createWebhook(send, '/again')
  assert.deepEqual(await listSubscriberKinds(), ['webhooks'])
  const feeds = new EventFeeds(app.services.table)
  for (const concurrentStarts of [1, 2]) {
    const owner = newId('anon')
    assert.deepEqual(await listSubscriberKinds(owner), [])
    await Promise.race(Array.from({ length: concurrentStarts }, () => feeds.watch(owner)))
    assert.deepEqual(await listSubscriberKinds(owner), ['sockets'], `first of ${concurrentStarts}`)
  }
})
