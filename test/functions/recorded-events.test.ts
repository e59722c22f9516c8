import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Context, SQSEvent } from 'aws-lambda'
import { handler as conversion } from '../../functions/conversion.ts'
import { createFunction as conversions } from '../../functions/convert.ts'
import { handler as api } from '../../functions/core-api.ts'
import { createFunction as deliveries } from '../../functions/deliver.ts'
import { handler as dispatch } from '../../functions/dispatch.ts'
import { handler as receiveUpload } from '../../functions/receive-upload.ts'
import { handler as sweep } from '../../functions/sweep.ts'
import { processEnvironment } from '../../lib/config.ts'
import { environment } from '../../lib/deployment/functions.ts'
import type { ApiHandler } from '../../lib/http/http-function.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'

/** Calls functions as AWS does: with recorded trigger events, and settings only from the environment. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
  const { QUEUE_URL_PREFIX, SERVICE_SECRET, AWS_ENDPOINT_URL_S3 } = app.services.config
  Object.assign(processEnvironment, {
    QUEUE_URL_PREFIX,
    SERVICE_SECRET,
    AWS_ENDPOINT_URL_S3,
    LOG_LEVEL: 'silent',
    MIN_FREE_DISK_GB: environment.MIN_FREE_DISK_GB,
    IMAGE_ID: 'image',
  })
})
after(() => app.close())

const readEvent = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../events/recorded/${name}.json`, import.meta.url), 'utf8'))
const context = { getRemainingTimeInMillis: () => 60_000 } as Context

async function invoke(handler: ApiHandler, name: string) {
  const { statusCode, body = '{}' } = await handler(readEvent(name) as Parameters<ApiHandler>[0], context)
  return { statusCode, json: JSON.parse(body) }
}

test('the API function replies to a recorded API Gateway request', async () => {
  const { statusCode, json } = await invoke(api, 'http-api-get')
  assert.equal(statusCode, 200)
  assert.equal(json.data.id, 'png')
})

test('a base64-encoded form from API Gateway creates a job', async () => {
  const { statusCode, json } = await invoke(conversion, 'http-api-form')
  assert.equal(statusCode, 202)
  const job = await app.services.jobs.store.getJob(json.data.jobId)
  assert.equal(job?.display.source?.filename, 'people.csv')
  assert.equal(job.display.source.size, 36)
})

test('an object in the bucket without an upload record is deleted when its S3 event is received', async () => {
  const event = readEvent('s3-object-created')
  const { key } = event.detail.object
  await app.services.files.putBytes(key, new Uint8Array([1]), 'image/png')
  await receiveUpload(event)
  assert.equal(await app.services.files.head(key), undefined)
})

test('a recorded bus event is dispatched, and a recorded schedule event runs the sweep', async () => {
  assert.equal(await dispatch(readEvent('event-bridge')), undefined)
  const handleSchedule = sweep as (event: unknown) => Promise<{ looked: number }>
  assert.deepEqual(await handleSchedule(readEvent('scheduled')), { looked: 0 })
})

test('queue messages for deleted jobs and webhooks are consumed without an error', async () => {
  for (const [name, create] of Object.entries({ 'sqs-task': conversions, 'sqs-delivery': deliveries })) {
    const event: SQSEvent = readEvent(name)
    assert.deepEqual(await create().handler(event, context), { batchItemFailures: [] }, name)
  }
})
