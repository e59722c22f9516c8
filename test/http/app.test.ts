import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import { presignUpload } from '../../functions/routes/presign-upload.ts'
import { readConfig } from '../../lib/config.ts'
import { AppError } from '../../lib/errors.ts'
import { createApp } from '../../lib/http/app.ts'
import { contract, type HttpEvent } from '../../lib/http/contract.ts'
import { createOpenApiDocument } from '../../lib/http/openapi/openapi.ts'
import { openAccess, writeAccess } from '../../lib/model/principal.ts'
import { createServices } from '../../lib/services/create-services.ts'
import { defined } from '../../lib/validation/defined.ts'
import { OpenApiChecker } from '../support/openapi-checker.ts'

const longText = contract({
  method: 'POST',
  path: '/texts',
  access: openAccess,
  tag: 'Test',
  summary: 'Counts characters.',
  body: { accepts: ['json'], schema: z.strictObject({ text: z.string() }) },
  reply: { status: 200, schema: z.object({ count: z.int() }) },
  handle: ({ body }) => ({ data: { count: body.text.length } }),
})

async function* streamSlowly(text: string, ms: number) {
  yield Buffer.from(text.slice(0, 5))
  await wait(ms)
  yield Buffer.from(text.slice(5))
}

/** A request event with only the fields that the app reads here. */
const createRequest = (path: string, body: string) =>
  ({
    rawPath: path,
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body,
  }) as unknown as HttpEvent // only the fields that the API reads

test('while the service is low on disk space, POST /v1/uploads/presign gets a 503 with Retry-After', async () => {
  const config = readConfig({
    SERVICE_SECRET: 'a secret that only this test knows',
    LOG_LEVEL: 'silent',
    MIN_FREE_DISK_GB: '100000',
  })
  const app = createApp([presignUpload], createServices(config))
  const event = createRequest('/v1/uploads/presign', '{"filename":"a.png","size":7}')
  const reply = await app(event, {} as Parameters<typeof app>[1])
  assert.deepEqual([reply.statusCode, reply.headers?.['retry-after']], [503, '60'])
  assert.equal(JSON.parse(reply.body ?? '').error.code, 'INSUFFICIENT_DISK_SPACE')
  assert.equal(reply.cookies, undefined)
})

test('a request handler can tell whether its reply can be streamed', async () => {
  const echoContract = contract({
    method: 'POST',
    path: '/echo',
    access: openAccess,
    tag: 'Test',
    summary: 'Says how it is asked.',
    body: { accepts: ['json'], schema: z.strictObject({}) },
    reply: { status: 200, schema: z.object({ streamed: z.boolean() }) },
    handle: ({ canStream }) => ({ data: { streamed: canStream } }),
  })
  const config = readConfig({ SERVICE_SECRET: 'a secret that only this test knows', LOG_LEVEL: 'silent' })
  const app = createApp([echoContract], createServices(config))
  for (const canStream of [true, false, undefined]) {
    const event = { ...createRequest('/echo', '{}'), ...defined({ canStream }) }
    const reply = await app(event, {} as Parameters<typeof app>[1])
    assert.deepEqual(JSON.parse(reply.body ?? '').data, { streamed: canStream === true })
  }
})

test('a request with an invalid API key gets WWW-Authenticate: Bearer error="invalid_token"', async () => {
  const config = readConfig({ SERVICE_SECRET: 'a secret that only this test knows', LOG_LEVEL: 'silent' })
  const app = createApp([presignUpload], createServices(config))
  const event = createRequest('/v1/uploads/presign', '{"filename":"a.png","size":7}')
  const eventWithKey = { ...event, headers: { ...event.headers, 'x-api-key': 'x' } }
  // RFC 6750, 3.1.
  const refusedKeyReply = await app(eventWithKey, {} as Parameters<typeof app>[1])
  assert.equal(refusedKeyReply.statusCode, 401)
  assert.equal(refusedKeyReply.headers?.['www-authenticate'], 'Bearer error="invalid_token"')
})

test('the test client rejects a reply that does not match the OpenAPI document', () => {
  const checker = new OpenApiChecker(createOpenApiDocument([longText], { version: '1', url: '/' }))
  const meta = { requestId: 'req_1', timestamp: '2026-01-31T12:00:00.000Z' }
  const seen =
    (status: number, body: unknown, path = '/texts', headers: Record<string, string> = {}) =>
    () =>
      checker.check({
        method: 'POST',
        path,
        status,
        contentType: 'application/json',
        headers: new Headers(headers),
        text: JSON.stringify(body),
      })
  const goodBody = { success: true, data: { count: 1 }, meta }
  assert.doesNotThrow(seen(200, goodBody))
  assert.throws(seen(200, { ...goodBody, more: 1 }), /additional properties/)
  assert.throws(seen(200, { ...goodBody, data: { count: '1' } }), /must be integer/)
  assert.throws(seen(200, { ...goodBody, meta: { ...meta, timestamp: 'now' } }), /date-time/)
  assert.throws(seen(201, goodBody), /answers 201, which the OpenAPI document does not name/)
  assert.throws(seen(404, { message: 'Not Found' }, '/nothing'), /must have required property/)
  assert.doesNotThrow(seen(200, goodBody, '/texts', { 'X-Request-Id': 'req_1', 'Content-Length': '9' }))
  assert.throws(seen(200, goodBody, '/texts', { 'x-secret': '1' }), /not in the OpenAPI document/)
  const busyBody = { success: false, error: { code: 'SERVICE_UNAVAILABLE', message: 'Not now.' }, meta }
  assert.doesNotThrow(seen(503, busyBody, '/texts', { 'retry-after': '5' }))
  assert.throws(seen(503, busyBody), /without the header retry-after/)
  const error = { success: false, error: { code: 'NOT_FOUND', message: 'Nothing is here.' }, meta }
  assert.doesNotThrow(seen(404, error, '/nothing'))
})

test('an upload that takes longer than the function timeout still receives a normal reply', async () => {
  const config = readConfig({ SERVICE_SECRET: 'a secret that only this test knows', LOG_LEVEL: 'silent' })
  const app = createApp([longText], createServices(config))
  const event = {
    rawPath: '/texts',
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    bodyStream: Readable.from(streamSlowly('{"text":"mutabor"}', 150)),
  } as unknown as HttpEvent // only the fields that the API reads
  const context = { getRemainingTimeInMillis: () => 50 } as Parameters<typeof app>[1]
  const reply = await app(event, context)
  assert.equal(reply.statusCode, 200, reply.body)
  assert.equal(JSON.parse(reply.body ?? '').data.count, 'mutabor'.length)
})

const quietEnv = { SERVICE_SECRET: 'a secret that only this test knows', LOG_LEVEL: 'silent' }

/** An endpoint that creates something, one that only reads, and one that fails. */
const [make, tell, fail] = (['POST', 'GET', 'DELETE'] as const).map((method) =>
  contract({
    method,
    path: '/things',
    access: writeAccess,
    tag: 'Test',
    summary: 'Things',
    ...(method === 'POST' && { idempotent: true }),
    reply: { status: 200, schema: z.object({ id: z.string() }), ...(method === 'GET' && { etag: true }) },
    handle: ({ requestId }) => {
      if (method === 'DELETE') throw new Error('/srv/secret broke')
      return { data: { id: method === 'GET' ? 'same' : requestId } }
    },
  }),
)

function createAnsweringApp(env: Record<string, string> = {}) {
  const app = createApp(
    [make, tell, fail].flatMap((error) => error ?? []),
    createServices(readConfig({ ...quietEnv, ...env })),
  )
  return (method: string, headers: Record<string, string> = {}, rawPath = '/things') =>
    app(
      { rawPath, headers, requestContext: { http: { method } } } as unknown as HttpEvent,
      { getRemainingTimeInMillis: () => 30_000 } as Parameters<typeof app>[1],
    )
}

test('a client without an identity receives one when it creates a resource, but not when it only reads', async () => {
  const ask = createAnsweringApp()
  const createdReply = await ask('POST')
  const token = String(createdReply.headers?.['x-owner-token'])
  assert.match(token, /^anon_\w+\.[\w-]{43}$/)
  // The handler sees the same request id as the client.
  assert.equal(JSON.parse(createdReply.body ?? '').data.id, createdReply.headers?.['x-request-id'])
  assert.deepEqual(createdReply.cookies, [
    `mutabor_owner=${token}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`,
  ])
  for (const answer of [
    await ask('GET'),
    await ask('POST', { 'x-owner-token': token }),
    await ask('DELETE'),
  ]) {
    assert.equal(answer.headers?.['x-owner-token'], undefined)
    assert.equal(answer.cookies, undefined)
  }
  const secureReply = await createAnsweringApp({ PUBLIC_URL: 'https://a.test' })('POST')
  assert.match(String(secureReply.cookies), /; Secure$/)
})

test('replies, including errors, contain the X-Request-Id of the request if it is valid', async () => {
  const ask = createAnsweringApp()
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { headers } = await ask(method, { 'x-request-id': 'mine:1.a-b' })
    assert.equal(headers?.['x-request-id'], 'mine:1.a-b', method)
    assert.equal(headers?.['access-control-allow-origin'], '*')
    assert.equal(headers?.['x-content-type-options'], 'nosniff')
    assert.match(String(headers?.['x-api-version']), /^\d/)
  }
  for (const odd of ['a b', 'a'.repeat(129), ''])
    assert.match(String((await ask('GET', { 'x-request-id': odd })).headers?.['x-request-id']), /^req_/)
  assert.equal(
    (await ask('GET', { 'x-request-id': 'a'.repeat(128) })).headers?.['x-request-id']?.toString().length,
    128,
  )
})

test('an error is returned in the requested format, and an internal error without details', async () => {
  const ask = createAnsweringApp({ PUBLIC_URL: 'https://a.test' })
  const bugReply = await ask('DELETE')
  assert.deepEqual([bugReply.statusCode, bugReply.headers?.['cache-control']], [500, 'no-store'])
  assert.equal(bugReply.headers?.['content-type'], 'application/json; charset=utf-8')
  const { success, error, meta } = JSON.parse(bugReply.body ?? '')
  assert.deepEqual(
    [success, error.code, meta.requestId],
    [false, 'INTERNAL_ERROR', bugReply.headers?.['x-request-id']],
  )
  assert.doesNotMatch(bugReply.body ?? '', /secret/)
  assert.deepEqual(Object.keys(bugReply.headers ?? {}).sort(), [
    ...['access-control-allow-origin', 'access-control-expose-headers', 'cache-control', 'content-type'],
    ...['x-api-version', 'x-content-type-options', 'x-request-id'],
  ])
  const wrongReply = await ask('PUT', { accept: 'text/html, application/problem+json' })
  assert.deepEqual(
    [wrongReply.statusCode, wrongReply.headers?.['allow']],
    [405, 'POST, GET, DELETE, HEAD, OPTIONS'],
  )
  assert.equal(wrongReply.headers?.['content-type'], 'application/problem+json')
  const problem = JSON.parse(wrongReply.body ?? '')
  assert.deepEqual([problem.type, problem.instance], ['https://a.test/errors/method-not-allowed', '/things'])
})

test('an ENOSPC error is reported as INSUFFICIENT_DISK_SPACE, but an AppError caused by one stays unchanged', async () => {
  const diskFullError = Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC' })
  const answer = async (thrownError: Error) => {
    const breakingContract = contract({
      method: 'GET',
      path: '/things',
      access: openAccess,
      tag: 'Test',
      summary: 'Things',
      reply: { status: 200, schema: z.object({}) },
      handle: () => {
        throw thrownError
      },
    })
    const app = createApp([breakingContract], createServices(readConfig(quietEnv)))
    const event = { rawPath: '/things', headers: {}, requestContext: { http: { method: 'GET' } } }
    const { statusCode, body } = await app(
      event as unknown as HttpEvent, // only the fields that the API reads
      { getRemainingTimeInMillis: () => 30_000 } as Parameters<typeof app>[1],
    )
    return [statusCode, JSON.parse(body ?? '').error.code]
  }
  assert.deepEqual(await answer(diskFullError), [503, 'INSUFFICIENT_DISK_SPACE'])
  const conflictError = new AppError('CONFLICT', 'It is over.', {}, { cause: diskFullError })
  assert.deepEqual(await answer(conflictError), [409, 'CONFLICT'])
})

test('HEAD returns the status, the ETag and the Content-Length of GET, but no body', async () => {
  const ask = createAnsweringApp()
  const [get, head] = [await ask('GET'), await ask('HEAD')]
  assert.equal(head.body, undefined)
  assert.deepEqual([head.statusCode, head.headers?.['etag']], [get.statusCode, get.headers?.['etag']])
  assert.equal(head.headers?.['content-length'], String(Buffer.byteLength(get.body ?? '')))
  assert.equal((await ask('HEAD', { 'if-none-match': String(get.headers?.['etag']) })).statusCode, 304)
})

test('HEAD returns the Content-Length and Content-Encoding of GET, even if the reply to GET is compressed', async () => {
  const contractWithLongReply = contract({
    method: 'GET',
    path: '/things',
    access: writeAccess,
    tag: 'Test',
    summary: 'Things',
    reply: { status: 200, schema: z.object({ text: z.string() }), etag: true },
    handle: () => ({ data: { text: 'x'.repeat(100_000) } }),
  })
  const app = createApp([contractWithLongReply], createServices(readConfig(quietEnv)))
  const ask = (method: string) =>
    app(
      {
        rawPath: '/things',
        headers: { 'accept-encoding': 'gzip', 'x-request-id': 'one' },
        requestContext: { http: { method } },
      } as unknown as HttpEvent, // only the fields that the API reads
      { getRemainingTimeInMillis: () => 30_000 } as Parameters<typeof app>[1],
    )
  const [get, head] = [await ask('GET'), await ask('HEAD')]
  const { 'content-length': length, ...others } = head.headers ?? {}
  assert.deepEqual(others, get.headers)
  assert.deepEqual([others['content-encoding'], others['vary']], ['gzip', 'accept-encoding'])
  // The timestamp in the reply differs, and with it the compressed size by a few bytes.
  assert.ok(Math.abs(Number(length) - Buffer.from(get.body ?? '', 'base64').length) < 20)
  assert.equal(head.body, undefined)
})

test('a CORS preflight request returns the allowed methods and headers', async () => {
  const ask = createAnsweringApp()
  const { statusCode, headers } = await ask('OPTIONS', { 'access-control-request-headers': 'x-owner-token' })
  assert.equal(statusCode, 204)
  assert.equal(headers?.['access-control-allow-methods'], 'POST, GET, DELETE, HEAD, OPTIONS')
  assert.deepEqual(
    [headers?.['allow'], headers?.['access-control-max-age']],
    ['POST, GET, DELETE, HEAD, OPTIONS', '3600'],
  )
  assert.equal(headers?.['access-control-allow-headers'], 'x-owner-token')
  assert.equal((await ask('OPTIONS')).headers?.['access-control-allow-headers'], '*')
  assert.equal((await ask('OPTIONS', {}, '/nothing')).statusCode, 404)
})
