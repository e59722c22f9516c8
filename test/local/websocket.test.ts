// The WebSocket API as its clients see it, with test functions.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { callRaw } from '../embedded-aws/lambda-runtime.ts'
import { after, before } from '../hooks.ts'
import {
  apis,
  closeApis,
  events,
  nextMessage,
  openSocket,
  path,
  setReplies,
  startApi,
  waitForCloseCode,
  waitForEvent,
} from './websocket-api.ts'

let url: string

before(async () => {
  url = await startApi({})
})
after(closeApis)

test('the $connect event has the headers, query and identity of the client', async () => {
  const { socket, id, event } = await openSocket(`${url}?token=a%20b`, [], { 'x-one': '1' })
  assert.match(id, /^[\w-]{15}=$/)
  assert.equal(event.headers?.['x-one'], '1')
  assert.deepEqual(event.queryStringParameters, { token: 'a b' })
  assert.partialDeepStrictEqual(event.requestContext, {
    routeKey: '$connect',
    eventType: 'CONNECT',
    stage: 'ws/test',
    domainName: new URL(url).host,
    messageDirection: 'IN',
    identity: { sourceIp: '127.0.0.1' },
  })
  assert.ok(Math.abs(Number(event.requestContext['connectedAt']) - Date.now()) < 5000)
  const goneEvent = waitForEvent('DISCONNECT')
  socket.close(4001, 'bye')
  const { requestContext } = await goneEvent
  assert.partialDeepStrictEqual(requestContext, {
    routeKey: '$disconnect',
    connectionId: id,
    disconnectStatusCode: 4001,
    disconnectReason: 'bye',
  })
})

const handshakes: [caseName: string, result: () => unknown, status: number][] = [
  ['returns 401', () => ({ statusCode: 401 }), 401],
  ['returns 403 and a body', () => ({ statusCode: 403, body: 'no' }), 403],
  [
    'throws an error',
    () => {
      throw new Error('secret detail')
    },
    502,
  ],
  ['returns no status', () => ({}), 502],
]
for (const [caseName, result, status] of handshakes) {
  test(`a $connect function that ${caseName} fails the handshake with ${status}`, async (t) => {
    setReplies(t, { connect: result })
    const socket = new WebSocket(url)
    const [error] = await once(socket, 'error')
    assert.equal(error.message, `Unexpected server response: ${status}`)
  })
}

test('the subprotocol of a WebSocket is the one that the $connect function returns', async (t) => {
  setReplies(t, { connect: () => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'v1.jobs' } }) })
  const { socket } = await openSocket(url, ['v1.jobs', 'bearer.abc'])
  assert.equal(socket.protocol, 'v1.jobs')
  socket.close()
})

const routeCases: [sent: string, route: string][] = [
  ['{"action":"named"}', 'named'],
  ['{"action":"other"}', '$default'],
  ['{"action":"$connect"}', '$default'],
  ['{"action":{"a":1}}', '$default'],
  ['{"action":"toString"}', '$default'],
  ['[]', '$default'],
  ['null', '$default'],
  ['no JSON', '$default'],
]
test('a WebSocket message is routed by the route key that it contains, or to $default', async () => {
  const { socket, id } = await openSocket(url)
  for (const [sentMessage, route] of routeCases) {
    const event = waitForEvent('MESSAGE')
    socket.send(sentMessage)
    const { requestContext, body } = await event
    assert.deepEqual([body, requestContext.routeKey, requestContext.connectionId], [sentMessage, route, id])
    assert.match(String(requestContext['messageId']), /^[\w-]{15}=$/)
  }
  socket.close()
})

test('the body that a WebSocket function returns is sent to the client as a reply', async (t) => {
  const { socket } = await openSocket(url)
  setReplies(t, { nextMessage: { statusCode: 200, body: 'pong' } })
  socket.send('ping')
  assert.equal(await nextMessage(socket), 'pong')
  socket.close()
})

test('an error in a WebSocket function is reported without its details', async () => {
  const { socket, id } = await openSocket(url)
  socket.send('{"action":"fails"}')
  const reply = JSON.parse(await nextMessage(socket))
  assert.partialDeepStrictEqual(reply, { message: 'Internal server error', connectionId: id })
  assert.deepEqual(Object.keys(reply), ['message', 'connectionId', 'requestId'])
  socket.close()
})

test('a WebSocket message without a matching route is answered with Forbidden', async () => {
  const address = await startApi({ routes: [{ key: 'named', functionName: 'rest' }] })
  const socket = new WebSocket(address)
  await once(socket, 'open')
  socket.send('{"action":"other"}')
  assert.equal(JSON.parse(await nextMessage(socket)).message, 'Forbidden')
  socket.close()
})

test('a WebSocket message of 128 KB in frames of 32 KB reaches its function', async () => {
  const { socket } = await openSocket(url)
  const event = waitForEvent('MESSAGE')
  const fragment = 'x'.repeat(32 * 1024)
  for (const at of [0, 1, 2, 3]) socket.send(fragment, { fin: at === 3 })
  assert.equal((await event).body?.length, 128 * 1024)
  socket.close()
})

const violations: [caseName: string, send: (socket: WebSocket) => void, code: number][] = [
  ['a frame over 32 KB', (socket) => socket.send('x'.repeat(32 * 1024 + 1)), 1009],
  [
    'a message over 128 KB',
    (socket) => {
      for (let at = 0; at < 5; at++) socket.send('x'.repeat(30 * 1024), { fin: at === 4 })
    },
    1009,
  ],
  ['a binary frame', (socket) => socket.send(Buffer.from('x')), 1003],
]
for (const [caseName, send, code] of violations) {
  test(`${caseName} closes the WebSocket with ${code} and reaches no function`, async () => {
    const { socket } = await openSocket(url)
    const receivedMessages: unknown[] = []
    const listener = (event: unknown) => receivedMessages.push(event)
    events.on('MESSAGE', listener)
    send(socket)
    assert.equal(await waitForCloseCode(socket), code)
    events.off('MESSAGE', listener)
    assert.deepEqual(receivedMessages, [])
  })
}

test('a WebSocket is closed with 1001 when it has been idle too long or reaches its maximum duration', async () => {
  for (const limits of [{ idleMs: 100 }, { connectedMs: 100 }]) {
    const { socket } = await openSocket(await startApi({ limits }))
    assert.equal(await waitForCloseCode(socket), 1001)
  }
})

test('messages reset the idle timeout of a WebSocket', async (t) => {
  const idleMs = 1000
  const { socket } = await openSocket(await startApi({ limits: { idleMs } }))
  setReplies(t, { nextMessage: { statusCode: 200, body: 'pong' } })
  const end = performance.now() + 1.5 * idleMs
  while (performance.now() < end) {
    socket.send('ping')
    assert.equal(await nextMessage(socket), 'pong')
  }
  assert.equal(await waitForCloseCode(socket), 1001)
})

test('closing the WebSocket API closes its connections with 1001 and sends $disconnect events', async () => {
  const address = await startApi({})
  const api = apis.at(-1)
  const { socket, id } = await openSocket(address)
  const goneEvent = waitForEvent('DISCONNECT')
  const closedCode = waitForCloseCode(socket)
  await api?.close()
  assert.equal(await closedCode, 1001)
  assert.equal((await goneEvent).requestContext.connectionId, id)
})

test('requests to other paths, or without a WebSocket handshake, are served as plain HTTP', async () => {
  const http = url.replace('ws', 'http')
  assert.equal((await callRaw(http, { path })).body, 'plain')
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  assert.equal((await callRaw(http, { path: '/elsewhere', headers })).body, 'plain')
})

test('a WebSocket handshake without a Sec-WebSocket-Key header is refused with 400, and no function is invoked', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  let connectCount = 0
  const count = () => connectCount++
  events.on('CONNECT', count)
  assert.equal((await callRaw(url.replace('ws', 'http'), { path, headers })).status, 400)
  events.off('CONNECT', count)
  assert.equal(connectCount, 0)
})
