import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { errorCatalog } from '../../lib/error-catalog.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'

let service: TestService

let client: Client

before(async () => {
  service = await startService()
  client = new Client(service)
})

after(() => service.stop())

interface Refusal {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details: { readonly field: string }
  }
}

/** Creates an upload, as any client may. */
const presign = (headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/uploads/presign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ filename: 'a.png', size: 7 }),
  })

test('the first reply that creates a resource contains an owner token, which is accepted as a header or cookie', async () => {
  const firstReply = await presign()
  const token = firstReply.headers.get('x-owner-token') ?? ''
  assert.match(token, /^anon_[0-9A-Z]{26}\.[\w-]{43}$/)
  assert.match(firstReply.headers.get('set-cookie') ?? '', /^mutabor_owner=anon_.*; HttpOnly; SameSite=Lax$/)
  const { data } = (await firstReply.json()) as { data: { uploadId: string } }
  const ownUpload = `${service.url}/v1/uploads/${data.uploadId}`
  for (const headers of [{ cookie: `mutabor_owner=${token}` }, { 'x-owner-token': token }]) {
    assert.equal((await fetch(ownUpload, { headers })).status, 200)
    assert.equal((await presign(headers)).headers.get('x-owner-token'), null)
  }
  assert.equal((await fetch(ownUpload)).status, 404)
  const forgedHeaders = { 'x-owner-token': `${token.split('.')[0]}.AAAA` }
  for (const refusedReply of [
    await fetch(ownUpload, { headers: forgedHeaders }),
    await presign(forgedHeaders),
  ]) {
    const { error } = (await refusedReply.json()) as { error: { code: string; details: unknown } }
    assert.deepEqual([refusedReply.status, error.code], [401, 'INVALID_API_KEY'])
    assert.deepEqual(error.details, { reason: 'unknown', field: 'X-Owner-Token' })
    assert.equal(refusedReply.headers.get('x-owner-token'), null, 'no new, empty identity')
  }
})

test('replies to requests that create no resource contain no owner token', async () => {
  const publicPaths = [
    '/v1/formats',
    '/v1/formats/png',
    '/v1/formats/conversions?from=png',
    '/v1/openapi.json',
  ]
  for (const path of [
    ...publicPaths,
    '/',
    '/errors',
    '/v1',
    '/health',
    '/v1/jobs',
    '/v1/jobs?limit=0',
    '/nothing',
  ]) {
    const { headers } = await fetch(`${service.url}${path}`)
    assert.deepEqual([headers.get('set-cookie'), headers.get('x-owner-token')], [null, null], path)
    const isPublic = headers.get('cache-control')?.startsWith('public') ?? false
    assert.equal(isPublic, publicPaths.includes(path) || path === '/errors', path)
  }
  const refusedReply = await fetch(`${service.url}/v1/convert`, { method: 'POST' })
  assert.deepEqual([refusedReply.status, refusedReply.headers.get('set-cookie')], [400, null])
})

test('every error has a documentation page at the type URL of its problem details', async () => {
  const list = await (await fetch(`${service.url}/errors`)).text()
  for (const [code, { status, hint }] of Object.entries(errorCatalog)) {
    const path = `/errors/${code.toLowerCase().replaceAll('_', '-')}`
    assert.ok(list.includes(`href="${path}"`), `${code} is not in the list`)
    const response = await fetch(`${service.url}${path}`)
    assert.equal(response.status, 200, path)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    const page = await response.text()
    assert.ok(page.includes(code) && page.includes(`status ${status}`) && page.includes(hint), path)
  }
  assert.equal((await fetch(`${service.url}/errors/nothing`)).status, 404)
})

test('an unknown path returns an HTML page to browsers and a JSON error to programs', async () => {
  const requestWith = (accept: string) => fetch(`${service.url}/nowhere`, { headers: { accept } })
  const [pageReply, jsonReply] = [await requestWith('text/html,*/*;q=0.8'), await requestWith('*/*')]
  assert.deepEqual([pageReply.status, jsonReply.status], [404, 404])
  assert.match(await pageReply.text(), /<title>Page not found/)
  assert.equal(((await jsonReply.json()) as { error: { code: string } }).error.code, 'NOT_FOUND')
})

test('the replies of /v1, /health, the page and an unknown path contain the API version', async () => {
  for (const path of ['/v1', '/v1/nothing', '/health', '/']) {
    const { headers } = await fetch(`${service.url}${path}`)
    assert.equal(headers.get('x-api-version'), '1.10.0', path)
    assert.match(headers.get('access-control-expose-headers') ?? '', /x-api-version/)
  }
})

const compressedBodies: [encoding: string, pack: (text: string) => Uint8Array][] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
]

for (const [encoding, pack] of compressedBodies) {
  test(`a request body in ${encoding} is decoded`, async () => {
    const send = (body: Uint8Array) =>
      client.fetch('/v1/uploads/presign', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body: Buffer.from(body),
      })
    const bytes = pack(JSON.stringify({ filename: 'a.png', size: 7 }))
    assert.equal((await send(bytes)).status, 201)
    const { error } = (await (await send(bytes.subarray(0, -6))).json()) as Refusal
    assert.deepEqual([error.code, error.details.field], ['INVALID_REQUEST', 'Content-Encoding'])
    const bomb = await send(pack(' '.repeat(33 * 1024 * 1024)))
    assert.equal(bomb.status, 400)
    assert.match(((await bomb.json()) as Refusal).error.message, /larger than 32 MiB/)
  })
}

test('the error for an unsupported Content-Encoding, or an encoded form with files, lists the supported encodings', async () => {
  const send = (encoding: string, type: string) =>
    client.fetch('/v1/convert', {
      method: 'POST',
      headers: { 'content-type': type, 'content-encoding': encoding },
      body: '{}',
    })
  for (const response of [
    await send('compress', 'application/json'),
    await send('gzip, gzip', 'application/json'),
    await send('gzip', 'multipart/form-data; boundary=x'),
  ]) {
    assert.equal(response.status, 415)
    assert.equal(response.headers.get('accept-encoding'), 'gzip, deflate, br, zstd')
    assert.equal(((await response.json()) as Refusal).error.code, 'UNSUPPORTED_MEDIA_TYPE')
  }
})

test('POST /v1/jobs from a client that does not accept JSON is refused with NOT_ACCEPTABLE', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/xml' }
  const tasks = { in: { operation: 'import/raw', file: 'x', filename: 'x.txt' } }
  const response = await client.fetch('/v1/jobs', {
    method: 'POST',
    headers,
    body: JSON.stringify({ tasks }),
  })
  assert.equal(response.status, 406)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(((await response.json()) as Refusal).error.code, 'NOT_ACCEPTABLE')
})

test('a request body over the limit is rejected, and the client receives the error', async () => {
  const body = JSON.stringify({ filename: 'x'.repeat(33 * 1024 * 1024) })
  const response = await client.fetch('/v1/uploads/presign', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.equal(response.status, 400)
  assert.match(((await response.json()) as Refusal).error.message, /larger than 32 MiB/)
})

const repeatedFields: [caseName: string, type: string, body: string][] = [
  ['a form', 'application/x-www-form-urlencoded', 'targetFormat=pdf&targetFormat=docx'],
  ['JSON', 'application/json', '{"options":{"a":[1,{"b":":"}]},"targetFormat":"pdf","targetFormat":"pdf"}'],
  ['JSON with escapes', 'application/json', '{"targetFormat":"pdf","target\\u0046ormat":"docx"}'],
  [
    'a form with files',
    'multipart/form-data; boundary=x',
    ['pdf', 'docx']
      .map((value) => `--x\r\nContent-Disposition: form-data; name="targetFormat"\r\n\r\n${value}\r\n`)
      .join('')
      .concat('--x--\r\n'),
  ],
]

for (const [caseName, type, body] of repeatedFields) {
  test(`a field repeated in ${caseName} is refused, and the error names the field`, async () => {
    const response = await client.fetch('/v1/convert', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    const { error } = (await response.json()) as Refusal
    assert.deepEqual(
      [response.status, error.code, error.details.field],
      [400, 'INVALID_INPUT', 'targetFormat'],
    )
    assert.match(error.message, /^targetFormat: expected this field once, got it twice/)
  })
}

test('the error for a limit above the maximum names the query parameter and the maximum', async () => {
  const response = await client.fetch('/v1/jobs?limit=1000')
  assert.equal(response.status, 400)
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details: { field: string } }
  }
  assert.equal(error.code, 'INVALID_INPUT')
  assert.equal(error.details.field, 'limit')
  assert.match(error.message, /100/)
})

test('POST /v1/pdf/ocr returns 404 with a hint to the operation ocr-pdf', async () => {
  const response = await client.fetch('/v1/pdf/ocr', { method: 'POST' })
  assert.equal(response.status, 404)
  const { error } = (await response.json()) as { error: { details: { hint: string } } }
  assert.equal(error.details.hint, 'POST /v1/convert toolOperation=ocr-pdf')
})
