import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { presignUpload } from '../../functions/routes/presign-upload.ts'
import { readConfig } from '../../lib/config.ts'
import { createServices } from '../../lib/create-services.ts'
import { createApp } from '../../lib/http/app.ts'
import { contract, type HttpEvent } from '../../lib/http/contract.ts'
import { openApiDocument } from '../../lib/http/openapi.ts'
import { Described } from '../described.ts'

const letters = contract({
  method: 'POST',
  path: '/letters',
  tag: 'Test',
  summary: 'Counts letters.',
  body: { accepts: ['json'], schema: z.strictObject({ text: z.string() }) },
  reply: { status: 200, schema: z.object({ count: z.int() }) },
  handle: ({ body }) => ({ data: { count: body.text.length } }),
})

async function* slowly(text: string, ms: number) {
  yield Buffer.from(text.slice(0, 5))
  await wait(ms)
  yield Buffer.from(text.slice(5))
}

/** Only what an answer needs of the requests here. */
const asked = (path: string, body: string) =>
  ({
    rawPath: path,
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body,
  }) as unknown as HttpEvent // as much of an event as the API looks at

test('a service that is short of space says when to ask again', async () => {
  const config = readConfig({
    SERVICE_SECRET: 'a secret that only this test knows',
    LOG_LEVEL: 'silent',
    MIN_FREE_DISK_GB: '100000',
  })
  const app = createApp([presignUpload], createServices(config))
  const event = asked('/v1/uploads/presign', '{"filename":"a.png","size":7}')
  const answer = await app(event, {} as Parameters<typeof app>[1])
  assert.deepEqual([answer.statusCode, answer.headers?.['retry-after']], [503, '60'])
  assert.equal(JSON.parse(answer.body ?? '').error.code, 'INSUFFICIENT_DISK_SPACE')
  assert.equal(answer.cookies, undefined)
})

test('a reply that differs from the OpenAPI document fails the test that sees it', () => {
  const described = new Described(openApiDocument([letters], { version: '1', url: '/' }))
  const meta = { requestId: 'req_1', timestamp: '2026-01-31T12:00:00.000Z' }
  const seen =
    (status: number, body: unknown, path = '/letters') =>
    () =>
      described.check({
        method: 'POST',
        path,
        status,
        contentType: 'application/json',
        text: JSON.stringify(body),
      })
  const good = { success: true, data: { count: 1 }, meta }
  assert.doesNotThrow(seen(200, good))
  assert.throws(seen(200, { ...good, more: 1 }), /additional properties/)
  assert.throws(seen(200, { ...good, data: { count: '1' } }), /must be integer/)
  assert.throws(seen(200, { ...good, meta: { ...meta, timestamp: 'now' } }), /date-time/)
  assert.throws(seen(201, good), /answers 201, which the OpenAPI document does not name/)
  assert.throws(seen(404, { message: 'Not Found' }, '/nothing'), /must have required property/)
  const error = { success: false, error: { code: 'NOT_FOUND', message: 'Nothing is here.' }, meta }
  assert.doesNotThrow(seen(404, error, '/nothing'))
})

test('an upload that takes longer than the time of a function is answered as any other', async () => {
  const config = readConfig({ SERVICE_SECRET: 'a secret that only this test knows', LOG_LEVEL: 'silent' })
  const app = createApp([letters], createServices(config))
  const event = {
    rawPath: '/letters',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    bodyStream: Readable.from(slowly('{"text":"mutabor"}', 150)),
  } as unknown as HttpEvent // as much of an event as the API looks at
  const context = { getRemainingTimeInMillis: () => 50 } as Parameters<typeof app>[1]
  const answer = await app(event, context)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(JSON.parse(answer.body ?? '').data.count, 'mutabor'.length)
})
