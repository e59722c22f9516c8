// The WebSocket API with functions of the test's own, as its clients see it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { after, before } from '../hooks.ts'
import { callRaw } from './lambda-runtime.ts'
import { answer, apis, closing, endApis, heard, message, next, open, path, start } from './websocket-api.ts'

let url: string

before(async () => {
  url = await start({})
})
after(endApis)

test('a connection is told to its function with headers, query and who it is', async () => {
  const { socket, id, event } = await open(`${url}?token=a%20b`, [], { 'x-one': '1' })
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
  const gone = next('DISCONNECT')
  socket.close(4001, 'bye')
  const { requestContext } = await gone
  assert.partialDeepStrictEqual(requestContext, {
    routeKey: '$disconnect',
    connectionId: id,
    disconnectStatusCode: 4001,
    disconnectReason: 'bye',
  })
})

const handshakes: [what: string, result: () => unknown, status: number][] = [
  ['401', () => ({ statusCode: 401 }), 401],
  ['403 and a body', () => ({ statusCode: 403, body: 'no' }), 403],
  [
    'an error',
    () => {
      throw new Error('secret detail')
    },
    502,
  ],
  ['no status', () => ({}), 502],
]
for (const [what, result, status] of handshakes) {
  test(`a $connect that answers ${what} fails the handshake with ${status}`, async (t) => {
    answer(t, { connect: result })
    const socket = new WebSocket(url)
    const [error] = await once(socket, 'error')
    assert.equal(error.message, `Unexpected server response: ${status}`)
  })
}

test('the subprotocol is the one that $connect answers', async (t) => {
  answer(t, { connect: () => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'v1.jobs' } }) })
  const { socket } = await open(url, ['v1.jobs', 'bearer.abc'])
  assert.equal(socket.protocol, 'v1.jobs')
  socket.close()
})

const selected: [sent: string, route: string][] = [
  ['{"action":"named"}', 'named'],
  ['{"action":"other"}', '$default'],
  ['{"action":"$connect"}', '$default'],
  ['{"action":{"a":1}}', '$default'],
  ['{"action":"toString"}', '$default'],
  ['[]', '$default'],
  ['null', '$default'],
  ['no JSON', '$default'],
]
test('a message takes the route that it names, or $default', async () => {
  const { socket, id } = await open(url)
  for (const [sent, route] of selected) {
    const event = next('MESSAGE')
    socket.send(sent)
    const { requestContext, body } = await event
    assert.deepEqual([body, requestContext.routeKey, requestContext.connectionId], [sent, route, id])
    assert.match(String(requestContext['messageId']), /^[\w-]{15}=$/)
  }
  socket.close()
})

test('what a function returns as its body is the answer to the message', async (t) => {
  const { socket } = await open(url)
  answer(t, { message: { statusCode: 200, body: 'pong' } })
  socket.send('ping')
  assert.equal(await message(socket), 'pong')
  socket.close()
})

test('an error of a function is told without its details', async () => {
  const { socket, id } = await open(url)
  socket.send('{"action":"fails"}')
  const told = JSON.parse(await message(socket))
  assert.partialDeepStrictEqual(told, { message: 'Internal server error', connectionId: id })
  assert.deepEqual(Object.keys(told), ['message', 'connectionId', 'requestId'])
  socket.close()
})

test('a message that no route takes is forbidden', async () => {
  const address = await start({ routes: [{ key: 'named', functionName: 'rest' }] })
  const socket = new WebSocket(address)
  await once(socket, 'open')
  socket.send('{"action":"other"}')
  assert.equal(JSON.parse(await message(socket)).message, 'Forbidden')
  socket.close()
})

test('the largest message is 128 KB in frames of at most 32 KB', async () => {
  const { socket } = await open(url)
  const event = next('MESSAGE')
  const part = 'x'.repeat(32 * 1024)
  for (const at of [0, 1, 2, 3]) socket.send(part, { fin: at === 3 })
  assert.equal((await event).body?.length, 128 * 1024)
  socket.close()
})

const tooMuch: [what: string, send: (socket: WebSocket) => void, code: number][] = [
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
for (const [what, send, code] of tooMuch) {
  test(`${what} closes the connection with ${code} and reaches no function`, async () => {
    const { socket } = await open(url)
    const heardOf: unknown[] = []
    const listener = (event: unknown) => heardOf.push(event)
    heard.on('MESSAGE', listener)
    send(socket)
    assert.equal(await closing(socket), code)
    heard.off('MESSAGE', listener)
    assert.deepEqual(heardOf, [])
  })
}

test('a connection is closed when it is idle, and when it is old', async () => {
  for (const limits of [{ idleMs: 100 }, { connectedMs: 100 }]) {
    const { socket } = await open(await start({ limits }))
    assert.equal(await closing(socket), 1001)
  }
})

test('messages keep a connection from being idle', async (t) => {
  const idleMs = 1000
  const { socket } = await open(await start({ limits: { idleMs } }))
  answer(t, { message: { statusCode: 200, body: 'pong' } })
  const end = performance.now() + 1.5 * idleMs
  while (performance.now() < end) {
    socket.send('ping')
    assert.equal(await message(socket), 'pong')
  }
  assert.equal(await closing(socket), 1001)
})

test('the end of the service says goodbye, and functions hear of it', async () => {
  const address = await start({})
  const api = apis.at(-1)
  const { socket, id } = await open(address)
  const gone = next('DISCONNECT')
  const closed = closing(socket)
  await api?.close()
  assert.equal(await closed, 1001)
  assert.equal((await gone).requestContext.connectionId, id)
})

test('other paths, and requests that are no handshake, are plain HTTP', async () => {
  const http = url.replace('ws', 'http')
  assert.equal((await callRaw(http, { path })).body, 'plain')
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  assert.equal((await callRaw(http, { path: '/elsewhere', headers })).body, 'plain')
})

test('a handshake without a key is refused, and no function hears of it', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  let connects = 0
  const count = () => connects++
  heard.on('CONNECT', count)
  assert.equal((await callRaw(url.replace('ws', 'http'), { path, headers })).status, 400)
  heard.off('CONNECT', count)
  assert.equal(connects, 0)
})
