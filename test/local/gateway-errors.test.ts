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
  const http = createHttpApi({ lambda: makeLambda(functions), routes, streamedFunctions: ['stream'], log })
  url = await serve(createGateway({ http }))
})

after(() => {
  releaseSlow()
  return closeServers()
})

/** Checks that a body has our error format and returns its code. */
function readErrorCode(body: string): string {
  const { success, error, meta } = JSON.parse(body)
  assert.deepEqual([success, typeof error.message, typeof meta.timestamp], [false, 'string', 'string'])
  assert.match(meta.requestId, /^req_[0-9A-Z]{26}$/)
  return error.code
}

const circularResult: { statusCode: number; body?: unknown } = { statusCode: 200 }
circularResult.body = circularResult

const malformedResults: [caseName: string, result: unknown][] = [
  ['a status that is not a number', { statusCode: 'OK' }],
  ['a status out of range', { statusCode: 1000 }],
  ['a body that is not a string', { statusCode: 200, body: { a: 1 } }],
  ['a circular reference', circularResult],
  ['a body that is not base64', { statusCode: 200, body: 'ä', isBase64Encoded: true }],
  ['headers that are not an object', { statusCode: 200, headers: 'x' }],
  ['a header in several lines', { statusCode: 200, headers: { a: 'b\r\nset-cookie: c=d' } }],
  ['a header name with a space', { statusCode: 200, headers: { 'a b': 'c' } }],
  ['a cookie in several lines', { statusCode: 200, cookies: ['a\r\nb: c'] }],
  ['cookies that are not a list', { statusCode: 200, cookies: 'a=b' }],
  ['a body over 6 MB', { statusCode: 200, body: 'x'.repeat(6_291_556) }],
]

for (const [caseName, givenResult] of malformedResults) {
  test(`the gateway turns a function result with ${caseName} into an internal error`, async () => {
    result = givenResult
    const { status, body, headers } = await callRaw(url, { path: '/result' })
    assert.deepEqual([status, readErrorCode(body)], [500, 'INTERNAL_ERROR'])
    assert.equal(headers['set-cookie'], undefined)
  })
}

const errorCases: [caseName: string, options: Parameters<typeof callRaw>[1], status: number, code: string][] =
  [
    ['a function that throws', { path: '/fails' }, 500, 'INTERNAL_ERROR'],
    ['a function that exceeds its time limit', { path: '/slow' }, 503, 'SERVICE_UNAVAILABLE'],
    ['a path that is not UTF-8', { path: '/%ff' }, 400, 'INVALID_REQUEST'],
    ['a request target that is not a path', { path: '*', method: 'OPTIONS' }, 400, 'INVALID_REQUEST'],
    ['a request target of another protocol', { path: 'https://localhost/items/1' }, 400, 'INVALID_REQUEST'],
    ['a request target with userinfo', { path: 'http://me@localhost/' }, 400, 'INVALID_REQUEST'],
    ['a request target without a host', { path: 'http:///items/1' }, 400, 'INVALID_REQUEST'],
    ['headers over 10,240 bytes', { headers: { a: 'x'.repeat(10_240) } }, 431, 'HEADERS_TOO_LARGE'],
    ['a path over 10,240 bytes', { path: `/${'x'.repeat(10_240)}` }, 431, 'HEADERS_TOO_LARGE'],
    [
      'a body over 10 MB',
      { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1) },
      413,
      'FILE_TOO_LARGE',
    ],
    [
      'a body of unknown length that exceeds 10 MB',
      { method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: Buffer.alloc(11 * 1024 * 1024) },
      413,
      'FILE_TOO_LARGE',
    ],
    [
      'a request whose Lambda event exceeds 6 MB',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '"'.repeat(4 * 1024 * 1024) },
      413,
      'FILE_TOO_LARGE',
    ],
  ]

for (const [caseName, options, status, code] of errorCases) {
  test(`the gateway responds to ${caseName} with ${status} ${code}`, async () => {
    const reply = await callRaw(url, options)
    assert.deepEqual([reply.status, readErrorCode(reply.body)], [status, code])
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

const chunkedRequestHead = 'PUT /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

const malformedRequests: [caseName: string, bytes: string, status: number, code: string][] = [
  ['an invalid first line', 'HELLO\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'a header with a space in its name',
    'GET / HTTP/1.1\r\nHost: a\r\nA b: c\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  ['no Host header', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'INVALID_REQUEST'],
  [
    'a host in its target but no Host header',
    'GET http://a/ HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
  [
    'two Host headers',
    'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    400,
    'INVALID_REQUEST',
  ],
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
  ['a chunk without a length', `${chunkedRequestHead}zz\r\nhello\r\n`, 400, 'INVALID_REQUEST'],
  [
    'a chunk longer than its declared length',
    `${chunkedRequestHead}2\r\nhello\r\n0\r\n\r\n`,
    400,
    'INVALID_REQUEST',
  ],
]

for (const [caseName, bytes, status, code] of malformedRequests) {
  test(`a raw request with ${caseName} fails with ${status} ${code} in the format of all errors`, async () => {
    const reply = await sendRaw(bytes)
    assert.deepEqual([reply.status, readErrorCode(reply.body)], [status, code])
  })
}

test('the gateway ignores an unknown Expect header', async () => {
  const ask = (header: string) => sendRaw(`GET / HTTP/1.1\r\nHost: a\r\n${header}Connection: close\r\n\r\n`)
  const [plainReply, replyToExpect] = [await ask(''), await ask('Expect: tea\r\n')]
  assert.equal(plainReply.status, replyToExpect.status)
  assert.notEqual(plainReply.status, 417)
  assert.ok(replyToExpect.body.length > 5, 'a response with a body')
})

test('the gateway returns 404 for an undeclared route', async () => {
  const http = createHttpApi({
    lambda: makeLambda(functions),
    routes: routes.slice(1),
    streamedFunctions: [],
    log,
  })
  const otherGateway = await serve(createGateway({ http }))
  const { status, body } = await callRaw(otherGateway, { path: '/nothing' })
  assert.deepEqual([status, readErrorCode(body)], [404, 'NOT_FOUND'])
  assert.equal((await callRaw(otherGateway, { path: '/items/1', method: 'DELETE' })).status, 404)
})
