import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { readConfig } from '../../lib/config.ts'
import { createServices } from '../../lib/create-services.ts'
import { createApp } from '../../lib/http/app.ts'
import { contract, type HttpEvent } from '../../lib/http/contract.ts'

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
