// The WebSocket API with functions of the test's own, and the commands by which they reach clients.
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { type Control, openControl } from '../../lib/local/control.ts'
import { WebSocketApi } from '../../lib/local/gateway/websocket-api.ts'
import { createGateway } from '../../lib/local/gateway.ts'
import {
  callRaw,
  callSigned,
  credentials,
  endServers,
  log,
  makeFunction,
  makeLambda,
  serve,
} from './runtime.ts'

interface SocketEvent {
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly queryStringParameters?: Record<string, string>
  readonly requestContext: Record<string, unknown> & {
    readonly connectionId: string
    readonly routeKey: string
    readonly eventType: string
  }
}

const path = '/ws/test'
/** Emits each event by its type. */
const heard = new EventEmitter()
let connectResult: () => unknown = () => ({ statusCode: 200 })
let answer: unknown

function hear(event: unknown): SocketEvent {
  const given = event as SocketEvent
  heard.emit(given.requestContext.eventType, given)
  return given
}

const lambda = makeLambda([
  makeFunction('connect', async (event) => {
    hear(event)
    return connectResult()
  }),
  makeFunction('rest', async (event) => {
    hear(event)
    return answer
  }),
  makeFunction('fails', () => {
    throw new Error('secret detail')
  }),
])

const routes = [
  { key: '$connect', functionName: 'connect' },
  { key: '$disconnect', functionName: 'rest' },
  { key: '$default', functionName: 'rest' },
  { key: 'named', functionName: 'rest' },
  { key: 'fails', functionName: 'fails' },
]
const declaration = { log, lambda, routeSelectionExpression: '$request.body.action', stage: 'ws/test' }

let url: string
let control: Control
const apis: WebSocketApi[] = []

async function start(options: Partial<ConstructorParameters<typeof WebSocketApi>[0]>): Promise<string> {
  const api = new WebSocketApi({ ...declaration, routes, ...options })
  apis.push(api)
  const gateway = createGateway(
    { http: (_, response) => response.end('plain'), webSocket: (...handshake) => api.upgrade(...handshake) },
    { webSocketPath: path },
  )
  return `${(await serve(gateway)).replace('http', 'ws')}${path}`
}

before(async () => {
  url = await start({})
  const [webSocketApi] = apis
  const asynchronous = { accept: async () => {} }
  control = await openControl({ lambda, asynchronous, webSocketApi }, { credentials: [credentials], log })
})
after(async () => {
  await Promise.all(apis.map((api) => api.close()))
  await Promise.all([endServers(), control.close()])
})

const next = async (type: string): Promise<SocketEvent> => (await once(heard, type))[0]

/** Connected, with its id. */
async function open(address = url, ...options: [protocols?: string[], headers?: Record<string, string>]) {
  const connected = next('CONNECT')
  const [protocols = [], headers = {}] = options
  const socket = new WebSocket(address, protocols, { headers })
  await once(socket, 'open')
  const event = await connected
  return { socket, id: event.requestContext.connectionId, event }
}

const message = async (socket: WebSocket): Promise<string> => String((await once(socket, 'message'))[0])
const closing = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0]

const connections = (id: string, method: string, body?: string | Buffer) =>
  callSigned(`${control.url}/stage/@connections/${encodeURIComponent(id)}`, {
    service: 'execute-api',
    method,
    ...(body !== undefined && { body }),
  })

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
  test(`a $connect that answers ${what} fails the handshake with ${status}`, async () => {
    connectResult = result
    const socket = new WebSocket(url)
    const [error] = await once(socket, 'error')
    assert.equal(error.message, `Unexpected server response: ${status}`)
    connectResult = () => ({ statusCode: 200 })
  })
}

test('the subprotocol is the one that $connect answers', async () => {
  connectResult = () => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'v1.jobs' } })
  const { socket } = await open(url, ['v1.jobs', 'bearer.abc'])
  assert.equal(socket.protocol, 'v1.jobs')
  socket.close()
  connectResult = () => ({ statusCode: 200 })
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
  const { socket, id } = await open()
  for (const [sent, route] of selected) {
    const event = next('MESSAGE')
    socket.send(sent)
    const { requestContext, body } = await event
    assert.deepEqual([body, requestContext.routeKey, requestContext.connectionId], [sent, route, id])
    assert.match(String(requestContext['messageId']), /^[\w-]{15}=$/)
  }
  socket.close()
})

test('what a function returns as its body is the answer to the message', async () => {
  const { socket } = await open()
  answer = { statusCode: 200, body: 'pong' }
  socket.send('ping')
  assert.equal(await message(socket), 'pong')
  answer = undefined
  socket.close()
})

test('an error of a function is told without its details', async () => {
  const { socket, id } = await open()
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

test('functions write to a connection, look at it and end it', async () => {
  const { socket, id } = await open()
  const received = message(socket)
  assert.equal((await connections(id, 'POST', 'hello é')).status, 200)
  assert.equal(await received, 'hello é')
  const got = (await (await connections(id, 'GET')).json()) as Record<string, string>
  assert.deepEqual(Object.keys(got), ['connectedAt', 'identity', 'lastActiveAt'])
  assert.ok(Date.parse(got['lastActiveAt'] ?? '') >= Date.parse(got['connectedAt'] ?? ''))
  const closed = closing(socket)
  assert.equal((await connections(id, 'DELETE')).status, 204)
  assert.equal(await closed, 1000)
  for (const method of ['POST', 'GET', 'DELETE']) {
    const response = await connections(id, method)
    assert.equal(response.status, 410)
    assert.equal(response.headers.get('x-amzn-errortype'), 'GoneException')
  }
})

const commands: [
  what: string,
  id: string,
  method: string,
  body: Buffer | undefined,
  status: number,
  code: string,
][] = [
  ['an id of another form', 'a b', 'POST', undefined, 400, 'BadRequestException'],
  ['an unknown id', `${'A'.repeat(15)}=`, 'POST', undefined, 410, 'GoneException'],
  [
    'more than 128 KB',
    `${'A'.repeat(15)}=`,
    'POST',
    Buffer.alloc(128 * 1024 + 1),
    413,
    'PayloadTooLargeException',
  ],
  ['another method', `${'A'.repeat(15)}=`, 'PUT', undefined, 403, 'ForbiddenException'],
]
for (const [what, id, method, body, status, code] of commands) {
  test(`an @connections command with ${what} gets ${status} ${code}`, async () => {
    const response = await connections(id, method, body)
    assert.deepEqual([response.status, response.headers.get('x-amzn-errortype')], [status, code])
  })
}

test('@connections takes signed commands only', async () => {
  const address = `${control.url}/@connections/${'A'.repeat(15)}=`
  const unsigned = await fetch(address)
  assert.deepEqual(
    [unsigned.status, unsigned.headers.get('x-amzn-errortype')],
    [403, 'MissingAuthenticationTokenException'],
  )
  const secretAccessKey = 'wrong'.repeat(8)
  const forged = await callSigned(address, { service: 'execute-api', method: 'GET', secretAccessKey })
  assert.deepEqual(
    [forged.status, forged.headers.get('x-amzn-errortype')],
    [403, 'InvalidSignatureException'],
  )
})

test('a client that does not read is not written to without end', async () => {
  const { socket, id } = await open()
  socket.pause()
  const part = 'x'.repeat(128 * 1024)
  const outcomes = []
  // Until the buffers of both sides are full, a message is sent before the one before it is written.
  for (let at = 0; at < 200; at++) outcomes.push(apis[0]?.send(id, Buffer.from(part)))
  assert.equal(await outcomes.at(-1), 'slow')
  const refused = await connections(id, 'POST', 'x')
  assert.deepEqual([refused.status, refused.headers.get('x-amzn-errortype')], [429, 'LimitExceededException'])
  socket.terminate()
})

test('the largest message is 128 KB in frames of at most 32 KB', async () => {
  const { socket } = await open()
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
    const { socket } = await open()
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

test('messages keep a connection from being idle', async () => {
  const address = await start({ limits: { idleMs: 300 } })
  const { socket } = await open(address)
  answer = { statusCode: 200, body: 'pong' }
  for (let at = 0; at < 5; at++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    socket.send('ping')
    assert.equal(await message(socket), 'pong')
  }
  answer = undefined
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
