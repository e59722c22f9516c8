// The HTTP API from the view of clients and functions.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { HttpEvent } from '../../lib/http/contract.ts'
import { createHttpApi } from '../../lib/local/runtime/gateway/http-api.ts'
import { createGateway } from '../../lib/local/runtime/gateway.ts'
import {
  callRaw,
  closeServers,
  log,
  makeFunction,
  makeLambda,
  serve,
} from '../embedded-aws/lambda-runtime.ts'
import { after, before } from '../hooks.ts'

let url: string
/** Result of the function behind `/result`. */
let result: unknown
let releaseSlow: () => void = () => {}

const functions = [
  makeFunction('echo', async (event) => event),
  makeFunction('result', async () => result),
  makeFunction('fails', () => {
    throw new Error('secret detail')
  }),
  makeFunction('slow', () => new Promise<void>((resolve) => (releaseSlow = resolve)), { timeoutMs: 50 }),
  makeFunction(
    'stream',
    async (event, context) => {
      let bytes = 0
      for await (const chunk of (event as HttpEvent).bodyStream ?? []) bytes += chunk.length
      return { bytes, leftMs: context.getRemainingTimeInMillis() }
    },
    { timeoutMs: 500 },
  ),
]

const routes = [
  { key: '$default', functionName: 'echo' },
  { key: 'GET /items/{id}', functionName: 'echo' },
  { key: 'GET /items/special', functionName: 'echo' },
  { key: 'ANY /files/{path+}', functionName: 'echo' },
  { key: 'POST /files/{path+}', functionName: 'echo' },
  { key: 'ANY /result', functionName: 'result' },
  { key: 'GET /fails', functionName: 'fails' },
  { key: 'GET /slow', functionName: 'slow' },
  { key: 'PUT /stream', functionName: 'stream' },
]

before(async () => {
  const http = createHttpApi({ lambda: makeLambda(functions), routes, streamed: ['stream'], log })
  url = await serve(createGateway({ http }))
})
after(() => {
  releaseSlow()
  return closeServers()
})

async function fetchEvent(options: Parameters<typeof callRaw>[1]): Promise<HttpEvent> {
  const { status, body } = await callRaw(url, options)
  assert.equal(status, 200, body)
  return JSON.parse(body)
}

test('an event has the version, route, request context and headers of payload format 2.0', async () => {
  const event = await fetchEvent({
    path: '/a/b?x=1',
    headers: {
      'User-Agent': 'tester',
      'X-One': ['a', 'b'],
      Cookie: 'k=v; l=w',
      connection: 'keep-alive, te',
    },
  })
  const { requestContext, headers } = event
  assert.partialDeepStrictEqual(event, {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/a/b',
    rawQueryString: 'x=1',
    cookies: ['k=v', 'l=w'],
    queryStringParameters: { x: '1' },
    isBase64Encoded: false,
  })
  assert.partialDeepStrictEqual(requestContext, {
    accountId: '000000000000',
    domainName: new URL(url).host,
    domainPrefix: '127',
    http: { method: 'GET', path: '/a/b', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'tester' },
    routeKey: '$default',
    stage: '$default',
  })
  assert.match(requestContext.time, /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/)
  assert.ok(Math.abs(requestContext.timeEpoch - Date.now()) < 5000)
  assert.match(requestContext.requestId, /^[\w-]{15}=$/)
  assert.equal(headers['x-one'], 'a,b')
  assert.equal(headers['x-forwarded-for'], '127.0.0.1')
  assert.equal(headers['x-forwarded-proto'], 'http')
  assert.match(headers['x-amzn-trace-id'] ?? '', /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/)
  assert.ok(!('cookie' in headers) && !('connection' in headers))
  assert.ok(!('body' in event) && !('pathParameters' in event))
})

test('x-forwarded-proto from a proxy in front of the gateway is kept', async () => {
  const { headers } = await fetchEvent({ path: '/', headers: { 'X-Forwarded-Proto': 'https' } })
  assert.equal(headers['x-forwarded-proto'], 'https')
})

test('the gateway decodes paths, keeps the raw query string and joins repeated parameters', async () => {
  const event = await fetchEvent({ path: '/a%20b/%C3%A9?a=1&a=2&b=x+y%21&e=&__proto__=p' })
  assert.equal(event.rawPath, '/a b/é')
  assert.equal(event.rawQueryString, 'a=1&a=2&b=x+y%21&e=&__proto__=p')
  assert.deepEqual(Object.entries(event.queryStringParameters ?? {}), [
    ['a', '1,2'],
    ['b', 'x y!'],
    ['e', ''],
    ['__proto__', 'p'],
  ])
})

const routeCases: [method: string, path: string, key: string, parameters?: Record<string, string>][] = [
  ['GET', '/items/7', 'GET /items/{id}', { id: '7' }],
  ['GET', '/items/a%2Fb%20c', 'GET /items/{id}', { id: 'a/b c' }],
  ['GET', '/items/special', 'GET /items/special'],
  ['POST', '/items/7', '$default'],
  ['GET', '/items/', '$default'],
  ['GET', '/files/x/y.txt', 'ANY /files/{path+}', { path: 'x/y.txt' }],
  ['POST', '/files/x', 'POST /files/{path+}', { path: 'x' }],
  ['GET', '/files', '$default'],
]
for (const [method, path, key, parameters] of routeCases) {
  test(`${method} ${path} is routed to ${key}`, async () => {
    const event = await fetchEvent({ method, path })
    assert.equal(event.routeKey, key)
    assert.equal(event.requestContext.routeKey, key)
    assert.deepEqual(event.pathParameters, parameters)
  })
}

const bytes = Buffer.from([0, 255, 128, 10])
const bodies: [type: string | undefined, body: Buffer, isText: boolean][] = [
  ['application/json', Buffer.from('{"é":1}'), true],
  ['text/plain; charset=utf-8', Buffer.from('wörter'), true],
  ['image/svg+xml', Buffer.from('<svg/>'), false],
  ['application/problem+json', Buffer.from('{}'), true],
  ['application/x-www-form-urlencoded', Buffer.from('a=b'), false],
  ['multipart/form-data; boundary=x', bytes, false],
  ['image/png', bytes, false],
  ['text/plain', bytes, false],
  [undefined, bytes, false],
]
for (const [type, body, isText] of bodies) {
  test(`a body of type ${type} (${body.length} bytes) reaches a function ${isText ? 'as text' : 'in base64'}`, async () => {
    const event = await fetchEvent({ method: 'POST', body, headers: type ? { 'content-type': type } : {} })
    assert.equal(event.isBase64Encoded, !isText)
    assert.deepEqual(Buffer.from(event.body ?? '', isText ? 'utf8' : 'base64'), body)
  })
}

const json = 'application/json'
const text = 'text/plain; charset=utf-8'
const results: [what: string, given: unknown, status: number, body: string, type: string | undefined][] = [
  ['an object without a status', { a: 1 }, 200, '{"a":1}', json],
  ['a string', 'hello', 200, 'hello', json],
  ['a number', 5, 200, '5', json],
  ['a list', [1], 200, '[1]', json],
  ['null', null, 200, 'null', json],
  ['nothing', undefined, 200, 'null', json],
  ['a status alone', { statusCode: 204 }, 204, '', undefined],
  ['a status and a body', { statusCode: 201, body: 'made' }, 201, 'made', text],
  ['a status in a string', { statusCode: '404', body: 'no' }, 404, 'no', text],
  ['a content type', { statusCode: 200, headers: { 'Content-Type': 'a/b' }, body: 'x' }, 200, 'x', 'a/b'],
  ['a body in base64', { statusCode: 200, body: 'aGk=', isBase64Encoded: true }, 200, 'hi', text],
]
for (const [what, given, status, body, type] of results) {
  test(`the function result ${what} becomes status ${status} with the body "${body}"`, async () => {
    result = given
    const reply = await callRaw(url, { path: '/result' })
    assert.deepEqual([reply.status, reply.body, reply.headers['content-type']], [status, body, type])
    assert.match(String(reply.headers['apigw-requestid']), /^[\w-]{15}=$/)
  })
}

test('headers of a function result are sent as text, cookies separately, and framing headers never', async () => {
  result = {
    statusCode: 200,
    headers: {
      'X-Number': 5,
      'X-Flag': true,
      'Content-Length': '999',
      'Transfer-Encoding': 'chunked',
      'Set-Cookie': 'c=3; Expires=Wed, 21 Oct 2037 07:28:00 GMT',
      gone: undefined,
    },
    cookies: ['a=1; Path=/', 'b=2'],
    body: 'x',
  }
  const { headers, body } = await callRaw(url, { path: '/result' })
  assert.equal(headers['x-number'], '5')
  assert.equal(headers['x-flag'], 'true')
  assert.equal(headers['content-length'], '1')
  assert.deepEqual(headers['set-cookie'], [
    'c=3; Expires=Wed, 21 Oct 2037 07:28:00 GMT',
    'a=1; Path=/',
    'b=2',
  ])
  assert.equal(body, 'x')
})

/** Checks that a body has our error format and returns its code. */
function errorCodeOf(body: string): string {
  const { success, error, meta } = JSON.parse(body)
  assert.deepEqual([success, typeof error.message, typeof meta.timestamp], [false, 'string', 'string'])
  assert.match(meta.requestId, /^req_[0-9A-Z]{26}$/)
  return error.code
}

const circular: { statusCode: number; body?: unknown } = { statusCode: 200 }
circular.body = circular
const malformedResults: [what: string, result: unknown][] = [
  ['a status that is not a number', { statusCode: 'OK' }],
  ['a status out of range', { statusCode: 1000 }],
  ['a body that is not a string', { statusCode: 200, body: { a: 1 } }],
  ['a circular reference', circular],
  ['a body that is not base64', { statusCode: 200, body: 'ä', isBase64Encoded: true }],
  ['headers that are not an object', { statusCode: 200, headers: 'x' }],
  ['a header in several lines', { statusCode: 200, headers: { a: 'b\r\nset-cookie: c=d' } }],
  ['a header name with a space', { statusCode: 200, headers: { 'a b': 'c' } }],
  ['a cookie in several lines', { statusCode: 200, cookies: ['a\r\nb: c'] }],
  ['cookies that are not a list', { statusCode: 200, cookies: 'a=b' }],
  ['a response over 6 MB', { statusCode: 200, body: 'x'.repeat(6_291_556) }],
]
for (const [what, given] of malformedResults) {
  test(`a function result with ${what} becomes an internal error`, async () => {
    result = given
    const { status, body, headers } = await callRaw(url, { path: '/result' })
    assert.deepEqual([status, errorCodeOf(body)], [500, 'INTERNAL_ERROR'])
    assert.equal(headers['set-cookie'], undefined)
  })
}

const absoluteTargets: [target: string, path: string, query: string, host: string][] = [
  ['http://files.example/items/1?a=b', '/items/1', 'a=b', 'files.example'],
  ['HTTP://files.example:8080/items/1', '/items/1', '', 'files.example:8080'],
  ['http://[::1]:80//items', '//items', '', '[::1]:80'],
  ['http://files.example', '/', '', 'files.example'],
  ['http://files.example?a=/b', '/', 'a=/b', 'files.example'],
]
for (const [path, ...expected] of absoluteTargets) {
  test(`the absolute request target ${path} is read as its path and host`, async () => {
    const { rawPath, rawQueryString, headers, requestContext } = await fetchEvent({
      path,
      headers: { host: 'other.example' },
    })
    assert.deepEqual([rawPath, rawQueryString, headers['host']], expected)
    assert.equal(requestContext.domainName, expected[2])
  })
}

test('S3 and WebSocket requests accept absolute request targets', async () => {
  const seen: unknown[] = []
  const gateway = createGateway(
    {
      http: (_request, response) => response.end('http'),
      s3: ({ url, headers: { host } }, response) => {
        seen.push([url, host])
        response.end()
      },
      webSocket: ({ url, headers: { host } }, socket) => {
        seen.push([url, host])
        socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n')
        return true
      },
    },
    { socketTarget: (target) => (target === '/socket' ? '/inner' : undefined) },
  )
  const other = await serve(gateway)
  await callRaw(other, { path: 'http://a.example/s3/box/k?X-Amz-Signature=0' })
  await callRaw(other, {
    path: 'http://b.example/socket',
    headers: { connection: 'upgrade', upgrade: 'websocket' },
  })
  assert.deepEqual(seen, [
    ['/s3/box/k?X-Amz-Signature=0', 'a.example'],
    ['/inner', 'b.example'],
  ])
})

const errorCases: [what: string, options: Parameters<typeof callRaw>[1], status: number, code: string][] = [
  ['a function that throws', { path: '/fails' }, 500, 'INTERNAL_ERROR'],
  ['a function that exceeds its time limit', { path: '/slow' }, 503, 'SERVICE_UNAVAILABLE'],
  ['a path that is not UTF-8', { path: '/%ff' }, 400, 'INVALID_REQUEST'],
  ['a target that is not a path', { path: '*', method: 'OPTIONS' }, 400, 'INVALID_REQUEST'],
  ['a target of another protocol', { path: 'https://localhost/items/1' }, 400, 'INVALID_REQUEST'],
  ['a target with userinfo', { path: 'http://me@localhost/' }, 400, 'INVALID_REQUEST'],
  ['a target without a host', { path: 'http:///items/1' }, 400, 'INVALID_REQUEST'],
  ['headers over 10,240 bytes', { headers: { a: 'x'.repeat(10_240) } }, 431, 'HEADERS_TOO_LARGE'],
  ['a path over 10,240 bytes', { path: `/${'x'.repeat(10_240)}` }, 431, 'HEADERS_TOO_LARGE'],
  ['a body over 10 MB', { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) }, 413, 'FILE_TOO_LARGE'],
  [
    'a body over 10 MB of unknown length',
    { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: Buffer.alloc(11 * 1024 * 1024) },
    413,
    'FILE_TOO_LARGE',
  ],
  [
    'an event over 6 MB',
    { method: 'POST', headers: { 'content-type': json }, body: '"'.repeat(4 * 1024 * 1024) },
    413,
    'FILE_TOO_LARGE',
  ],
]
for (const [what, options, status, code] of errorCases) {
  test(`the gateway responds to ${what} with ${status} ${code}`, async () => {
    const reply = await callRaw(url, options)
    assert.deepEqual([reply.status, errorCodeOf(reply.body)], [status, code])
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(reply.headers['retry-after'], status === 503 ? '10' : undefined)
  })
}

/** Sends bytes that are not a valid HTTP request and returns the response. */
async function sendRaw(bytes: string): Promise<{ readonly status: number; readonly body: string }> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  assert.match(head, /\r\nconnection: close/i)
  return { status: Number(head.split(' ')[1]), body }
}

const chunked = 'PUT /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
const malformedRequests: [what: string, bytes: string, status: number, code: string][] = [
  ['an invalid first line', 'HELLO\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'a header with a space in its name',
    'GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'a host only in its target',
    'GET http://a/ HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
  ['the CONNECT method', 'CONNECT b:80 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  [
    'two Content-Length headers',
    'PUT /stream HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    400,
    'INVALID_REQUEST',
  ],
  [
    'headers over 16 KB',
    `GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'HEADERS_TOO_LARGE',
  ],
  ['a chunk without a length', `${chunked}zz\r\nhello\r\n`, 400, 'INVALID_REQUEST'],
  ['a chunk longer than its declared length', `${chunked}2\r\nhello\r\n0\r\n\r\n`, 400, 'INVALID_REQUEST'],
]
for (const [what, bytes, status, code] of malformedRequests) {
  test(`a raw request with ${what} fails with ${status} in the format of all errors`, async () => {
    const reply = await sendRaw(bytes)
    assert.deepEqual([reply.status, errorCodeOf(reply.body)], [status, code])
  })
}

test('an unknown Expect header is ignored', async () => {
  const ask = (header: string) => sendRaw(`GET / HTTP/1.1\r\nHost: a\r\n${header}Connection: close\r\n\r\n`)
  const [plain, expecting] = [await ask(''), await ask('Expect: tea\r\n')]
  assert.equal(plain.status, expecting.status)
  assert.notEqual(plain.status, 417)
  assert.ok(expecting.body.length > 5, 'a response with a body')
})

test('an undeclared route returns 404', async () => {
  const http = createHttpApi({ lambda: makeLambda(functions), routes: routes.slice(1), streamed: [], log })
  const other = await serve(createGateway({ http }))
  const { status, body } = await callRaw(other, { path: '/nothing' })
  assert.deepEqual([status, errorCodeOf(body)], [404, 'NOT_FOUND'])
  assert.equal((await callRaw(other, { path: '/items/1', method: 'DELETE' })).status, 404)
})

test("a streamed body can have any length, and the function's time limit starts after the upload", async () => {
  const chunk = Buffer.alloc(1024 * 1024)
  async function* sendSlowly() {
    for (let at = 0; at < 12; at++) {
      yield chunk
      // In total longer than the function's 500 ms.
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  const body = ReadableStream.from(sendSlowly())
  const response = await fetch(`${url}/stream`, { method: 'PUT', body, duplex: 'half' } as RequestInit)
  const reply = (await response.json()) as { bytes: number; leftMs: number }
  assert.equal(reply.bytes, 12 * 1024 * 1024)
  assert.ok(reply.leftMs > 300 && reply.leftMs <= 500, `${reply.leftMs} ms are left`)
})

test('HEAD returns the headers of GET without a body', async () => {
  result = { statusCode: 200, headers: { 'content-length': '7' } }
  const { status, headers, body } = await callRaw(url, { method: 'HEAD', path: '/result' })
  assert.deepEqual([status, headers['content-length'], body], [200, '7', ''])
})

test('a client that requests HTTP/2 receives a response in HTTP/1.1', async () => {
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQ' }
  assert.equal((await callRaw(url, { headers })).status, 200)
})
