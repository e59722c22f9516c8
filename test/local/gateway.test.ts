import assert from 'node:assert/strict'
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
  const http = createHttpApi({ lambda: makeLambda(functions), routes, streamedFunctions: ['stream'], log })
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

test('the Lambda event of an HTTP request has the version, route, context and headers of payload format 2.0', async () => {
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
  test(`the gateway routes ${method} ${path} to ${key}`, async () => {
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
  test(`a request body of type ${type} (${body.length} bytes) reaches a function ${isText ? 'as text' : 'in base64'}`, async () => {
    const event = await fetchEvent({ method: 'POST', body, headers: type ? { 'content-type': type } : {} })
    assert.equal(event.isBase64Encoded, !isText)
    assert.deepEqual(Buffer.from(event.body ?? '', isText ? 'utf8' : 'base64'), body)
  })
}

const json = 'application/json'
const text = 'text/plain; charset=utf-8'

const results: [caseName: string, given: unknown, status: number, body: string, type: string | undefined][] =
  [
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

for (const [caseName, givenResult, status, body, type] of results) {
  test(`a function result of ${caseName} becomes status ${status} with the body "${body}"`, async () => {
    result = givenResult
    const reply = await callRaw(url, { path: '/result' })
    assert.deepEqual([reply.status, reply.body, reply.headers['content-type']], [status, body, type])
    assert.match(String(reply.headers['apigw-requestid']), /^[\w-]{15}=$/)
  })
}

test('headers of a function result are sent as text, cookies in separate headers, and Content-Length is recomputed', async () => {
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

const absoluteTargets: [target: string, path: string, query: string, host: string][] = [
  ['http://files.example/items/1?a=b', '/items/1', 'a=b', 'files.example'],
  ['HTTP://files.example:8080/items/1', '/items/1', '', 'files.example:8080'],
  ['http://[::1]:80//items', '//items', '', '[::1]:80'],
  ['http://files.example', '/', '', 'files.example'],
  ['http://files.example?a=/b', '/', 'a=/b', 'files.example'],
]

for (const [path, ...expectedParts] of absoluteTargets) {
  test(`the gateway splits the absolute request target ${path} into host, path and query`, async () => {
    const { rawPath, rawQueryString, headers, requestContext } = await fetchEvent({
      path,
      headers: { host: 'other.example' },
    })
    assert.deepEqual([rawPath, rawQueryString, headers['host']], expectedParts)
    assert.equal(requestContext.domainName, expectedParts[2])
  })
}

test('the gateway accepts absolute request targets in S3 and WebSocket requests', async () => {
  const seenEvents: unknown[] = []
  const gateway = createGateway(
    {
      http: (_request, response) => response.end('http'),
      s3: ({ url, headers: { host } }, response) => {
        seenEvents.push([url, host])
        response.end()
      },
      webSocket: ({ url, headers: { host } }, socket) => {
        seenEvents.push([url, host])
        socket.end('HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\n\r\n')
        return true
      },
    },
    { getSocketTarget: (target) => (target === '/socket' ? '/inner' : undefined) },
  )
  const otherGateway = await serve(gateway)
  await callRaw(otherGateway, { path: 'http://a.example/s3/box/k?X-Amz-Signature=0' })
  await callRaw(otherGateway, {
    path: 'http://b.example/socket',
    headers: { connection: 'upgrade', upgrade: 'websocket' },
  })
  assert.deepEqual(seenEvents, [
    ['/s3/box/k?X-Amz-Signature=0', 'a.example'],
    ['/inner', 'b.example'],
  ])
})

test('the time limit of a function starts only after the whole streamed upload has arrived', async () => {
  const chunk = Buffer.alloc(1024 * 1024)
  async function* sendSlowly() {
    for (let at = 0; at < 12; at++) {
      yield chunk
      // In total, this takes longer than the function's limit of 500 ms.
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  const body = ReadableStream.from(sendSlowly())
  const response = await fetch(`${url}/stream`, { method: 'PUT', body, duplex: 'half' } as RequestInit)
  const reply = (await response.json()) as { bytes: number; leftMs: number }
  assert.equal(reply.bytes, 12 * 1024 * 1024)
  assert.ok(reply.leftMs > 300 && reply.leftMs <= 500, `${reply.leftMs} ms are left`)
})

test('the gateway answers HEAD with the Content-Length of the function result and no body', async () => {
  result = { statusCode: 200, headers: { 'content-length': '7' } }
  const { status, headers, body } = await callRaw(url, { method: 'HEAD', path: '/result' })
  assert.deepEqual([status, headers['content-length'], body], [200, '7', ''])
})

test('a client that requests HTTP/2 receives a response in HTTP/1.1', async () => {
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQ' }
  assert.equal((await callRaw(url, { headers })).status, 200)
})
