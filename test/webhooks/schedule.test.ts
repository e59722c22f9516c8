import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createChatBlocks, createChatEmbed } from '../../lib/webhooks/chat.ts'
import { createPayload, maxPayloadBytes } from '../../lib/webhooks/payload.ts'
import { ReceiverConcurrency } from '../../lib/webhooks/receiver-concurrency.ts'
import { getDisableReason, getNextDelayS, retryDelaysS } from '../../lib/webhooks/schedule.ts'
import { isWebhookSecret } from '../../lib/webhooks/signatures.ts'

const now = new Date('2026-03-01T12:00:00Z')
const failure = { responseStatus: 500, durationMs: 10 }

test('ten webhook attempts are spread over 75 to 76 hours', () => {
  const delaysS = retryDelaysS.map((_, attempts) => getNextDelayS(attempts, failure, now, 0.5))
  assert.deepEqual(delaysS, [...retryDelaysS])
  assert.equal(getNextDelayS(10, failure, now, 0.5), undefined)
  const hours = retryDelaysS.reduce<number>((sum, delayS) => sum + delayS, 0) / 3600
  assert.ok(hours > 75 && hours < 76, `${hours} h`)
})

test('delays between webhook attempts vary randomly by ten percent', () => {
  assert.equal(getNextDelayS(2, failure, now, 0), 270)
  assert.equal(getNextDelayS(2, failure, now, 1), 330)
})

test('Retry-After, in seconds or as a date, can lengthen a retry delay up to a limit', () => {
  const getDelayWithRetryAfter = (retryAfter: string) =>
    getNextDelayS(1, { ...failure, retryAfter }, now, 0.5)
  assert.equal(getDelayWithRetryAfter('120'), 120)
  assert.equal(getDelayWithRetryAfter('1'), 5)
  assert.equal(getDelayWithRetryAfter('Sun, 01 Mar 2026 12:10:00 GMT'), 600)
  assert.equal(getDelayWithRetryAfter('Sun, 01 Mar 2026 11:00:00 GMT'), 5)
  assert.equal(getDelayWithRetryAfter('999999999'), 86_400)
  assert.equal(getDelayWithRetryAfter('soon'), 5)
})

test('status 410 disables a webhook immediately, and other failures disable it only after five days', () => {
  assert.equal(getDisableReason({}, { ...failure, responseStatus: 410 }, now), 'gone')
  assert.equal(getDisableReason({}, failure, now), undefined)
  assert.equal(getDisableReason({ failingSince: '2026-02-24T12:00:01Z' }, failure, now), undefined)
  assert.equal(getDisableReason({ failingSince: '2026-02-24T12:00:00Z' }, failure, now), 'failing')
})

const createEventWithTasks = (count: number) => ({
  event: 'job.completed',
  timestamp: now.toISOString(),
  job: {
    id: 'job_1',
    status: 'completed',
    tasks: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `task-${at}`,
        { operation: 'convert', status: 'completed', more: 'x'.repeat(60) },
      ]),
    ),
    files: [{ filename: 'a.pdf', url: '/v1/download/job_1' }],
    warnings: [],
  },
})
const toJson = (event: object) => {
  const { body } = createPayload(JSON.stringify(event), 'json', {
    baseUrl: 'https://files.example',
    resultLink: ({ id, endedAt }) => `https://files.example/v1/download/${id}?ended=${endedAt}`,
  })
  assert.ok(body.length <= maxPayloadBytes, `${body.length} bytes`)
  return JSON.parse(body.toString())
}

test('links in a webhook event point to the service', () => {
  assert.equal(
    toJson(createEventWithTasks(1)).job.files[0].url,
    'https://files.example/v1/download/job_1?ended=2026-03-01T12:00:00.000Z',
  )
})

test('a webhook event with many tasks contains only their states, and with very many tasks only a link', () => {
  const states = toJson(createEventWithTasks(900)).job
  assert.deepEqual(states.tasks['task-899'], { status: 'completed' })
  assert.deepEqual([states.shortened, states.files.length], [true, 1])
  const bare = toJson(createEventWithTasks(5000)).job
  assert.deepEqual([bare.tasks, bare.links], [{}, { job: 'https://files.example/v1/jobs/job_1' }])
})

const failedEvent = {
  event: 'job.failed',
  timestamp: now.toISOString(),
  job: {
    id: 'job_1',
    source: { filename: '<@everyone> *a*.png' },
    target: { format: 'webp' },
    error: { message: 'It is damaged.' },
  },
}

test('a Slack message describes the event, and file names in it are not interpreted as markup', () => {
  const { text, blocks } = createChatBlocks(failedEvent)
  assert.equal(text, 'Job failed: &lt;@everyone&gt; *a*.png')
  assert.deepEqual(blocks[0], { type: 'header', text: { type: 'plain_text', text: 'Job failed' } })
  const { fields = [] } = blocks[1] as { fields?: { type: string; text: string }[] }
  assert.deepEqual(
    fields.map(({ text }) => text),
    ['File: <@everyone> *a*.png', 'To: webp', 'Error: It is damaged.', 'Job: job_1'],
  )
  assert.ok(fields.every(({ type }) => type === 'plain_text'))
  const url = 'https://files.example/v1/download/job_1'
  const completedBlocks = createChatBlocks({
    ...failedEvent,
    event: 'job.completed',
    job: { ...failedEvent.job, files: [{ url }] },
  })
  assert.match(JSON.stringify(completedBlocks), /<https:\/\/files\.example\/v1\/download\/job_1\|Download/)
  // The link of the export delivers all files.
  const tasks = { 'item-001': { status: 'completed' }, export: { result: { url } } }
  const job = { ...failedEvent.job, tasks, files: [{ url: `${url}?file=a` }, { url: `${url}?file=b` }] }
  assert.equal(createChatEmbed({ ...failedEvent, event: 'job.completed', job }).embeds[0]?.url, url)
})

test('a Discord message describes the event and notifies no users', () => {
  const { embeds, allowed_mentions } = createChatEmbed(failedEvent)
  assert.deepEqual(allowed_mentions, { parse: [] })
  assert.partialDeepStrictEqual(embeds[0], { title: 'Job failed', timestamp: now.toISOString() })
  assert.equal(embeds[0]?.fields[0]?.value, String.raw`\<\@everyone\> \*a\*.png`)
})

test('concurrent webhook attempts are limited per webhook and per host', () => {
  const receivers = new ReceiverConcurrency({ webhook: 2, host: 3 })
  const acquire = (webhook: string, host = 'a.example') => receivers.acquire({ webhook, host })
  assert.deepEqual([acquire('slow'), acquire('slow'), acquire('slow')], [true, true, false])
  assert.deepEqual([acquire('other'), acquire('other'), acquire('far', 'b.example')], [true, false, true])
  receivers.release({ webhook: 'slow', host: 'a.example' })
  assert.deepEqual([acquire('slow'), acquire('slow')], [true, false])
})

test('a custom webhook secret must have 24 to 64 bytes', () => {
  const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  assert.deepEqual(
    [23, 24, 32, 64, 65].map((bytes) => isWebhookSecret(secret(bytes))),
    [false, true, true, true, false],
  )
  assert.ok(!isWebhookSecret('whsec_not base64 but long enough to be one'))
})
