// A revoked token, key or account has no access any more: neither new requests nor connections that are already open.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { after, before } from '../hooks.ts'
import { createAdminKey, createManagerKey } from '../support/account.ts'
import { startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

/** The documented maximum for access tokens. */
const maxDelayMs = 1000

let service: TestService
let managerToken: string
let accountId: string
const sockets: WebSocket[] = []
const streams: IncomingMessage[] = []
before(async () => {
  service = await startService()
  managerToken = await createManagerKey(service)
  accountId = (await send('GET', '/v1/account', managerToken)).data.id
})
after(async () => {
  for (const socket of sockets) socket.terminate()
  for (const stream of streams) stream.destroy()
  await service.stop()
})

async function request(method: string, path: string, token: string, body?: unknown): Promise<Response> {
  const isForm = body instanceof URLSearchParams
  return fetch(service.url + path, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: any reply
async function send(method: string, path: string, token: string, body?: unknown): Promise<any> {
  const response = await request(method, path, token, body)
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Creates a job that waits for its upload, so that its event stream stays open. */
async function createWaitingJob(token: string): Promise<string> {
  const tasks = {
    in: { operation: 'import/upload' },
    page: { operation: 'convert', input: 'in', output_format: 'html' },
    out: { operation: 'export/url', input: 'page' },
  }
  return (await send('POST', '/v1/jobs', token, { tasks })).data.jobId
}

interface Connection {
  readonly name: string
  isOpen: boolean
  closedAt: number
  code?: number
}

async function openSocket(
  name: string,
  path: string,
  { headers = {}, firstFrame }: { headers?: Record<string, string>; firstFrame?: object } = {},
): Promise<Connection> {
  const socket = new WebSocket(service.url.replace('http', 'ws') + path, { headers })
  const connection: Connection = { name, isOpen: false, closedAt: 0 }
  socket.on('open', () => firstFrame && socket.send(JSON.stringify(firstFrame)))
  socket.on('message', () => {
    connection.isOpen = true
  })
  socket.on('close', (code) => Object.assign(connection, { isOpen: false, closedAt: Date.now(), code }))
  socket.on('error', () => undefined)
  sockets.push(socket)
  await waitUntil(() => connection.isOpen || connection.closedAt > 0, `${name} is open`, 10)
  return connection
}

async function openStream(token: string, jobId: string): Promise<Connection> {
  // The global fetch of tests waits for the end of each reply.
  const stream = get(`${service.url}/v1/jobs/${jobId}/events`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const [response] = (await once(stream, 'response')) as [IncomingMessage]
  assert.equal(response.statusCode, 200)
  const connection: Connection = { name: 'event stream', isOpen: true, closedAt: 0 }
  response.on('close', () => Object.assign(connection, { isOpen: false, closedAt: Date.now() }))
  response.on('error', () => undefined).resume()
  streams.push(response)
  return connection
}

/** Opens a connection of each kind, authenticated in each way. */
async function openConnections(token: string): Promise<Connection[]> {
  const jobId = await createWaitingJob(token)
  const headers = { authorization: `Bearer ${token}` }
  const { data } = await send('POST', '/v1/ws/tickets', token)
  return Promise.all([
    openSocket('header', '/ws/user/jobs', { headers }),
    openSocket('ticket', `/ws/user/jobs?ticket=${data.ticket}`),
    openSocket('first frame', '/ws/user/jobs', { firstFrame: { type: 'auth', token } }),
    openSocket('socket of a job', `/v1/ws/jobs/${jobId}`, { headers }),
    openStream(token, jobId),
  ])
}

async function newClient() {
  const scopes = ['CONVERT_READ', 'CONVERT_WRITE']
  const { data } = await send('POST', '/v1/oauth/clients', managerToken, { name: 'A program', scopes })
  const credentials = { client_id: String(data.clientId), client_secret: String(data.clientSecret) }
  const issue = async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
    return String((await send('POST', '/v1/oauth/token', '', body)).access_token)
  }
  return { id: credentials.client_id, credentials, issue }
}

const isActive = async (token: string, credentials: Record<string, string>): Promise<boolean> => {
  const body = new URLSearchParams({ token, ...credentials })
  return (await send('POST', '/v1/oauth/introspect', '', body)).active
}

/** Sends requests one after another, which keep the token in every cache. */
function startTraffic(token: string) {
  let isStopped = false
  const run = async () => {
    while (!isStopped) {
      await (await request('GET', '/v1/jobs?limit=1', token)).body?.cancel()
      await sleep(20)
    }
  }
  const requestLoop = run()
  return {
    stop: async () => {
      isStopped = true
      await requestLoop
    },
  }
}

/** Checks that requests and connections with a token end in time after `revoke`. */
async function assertAccessEnds(token: string, revoke: () => Promise<unknown>, httpDelayMs = maxDelayMs) {
  const connections = await openConnections(token)
  const { data: unusedTicket } = await send('POST', '/v1/ws/tickets', token)
  const otherConnections = await openConnections(managerToken)
  const traffic = startTraffic(token)
  try {
    await revoke()
    const revokedAt = Date.now()
    await waitUntil(() => connections.every(({ isOpen }) => !isOpen), 'all connections are closed', 10)
    for (const { name, closedAt, code } of connections) {
      assert.ok(closedAt - revokedAt <= maxDelayMs, `${name} was closed after ${closedAt - revokedAt} ms`)
      if (name !== 'event stream') assert.equal(code, 4401, name)
    }
    await sleep(Math.max(0, revokedAt + httpDelayMs - Date.now()))
    const refusedReply = await request('GET', '/v1/jobs?limit=1', token)
    assert.equal(refusedReply.status, 401)
  } finally {
    await traffic.stop()
  }
  const lateSocket = await openSocket('unused ticket', `/ws/user/jobs?ticket=${unusedTicket.ticket}`)
  await waitUntil(() => lateSocket.code === 4401, 'the ticket is refused', 10)
  for (const { name, isOpen } of otherConnections) assert.ok(isOpen, `${name} of another key stays open`)
}

test('a revoked access token stops working within a second for requests, sockets, streams and tickets', async () => {
  const client = await newClient()
  const [token, sibling] = [await client.issue(), await client.issue()]
  await assertAccessEnds(token, () =>
    send('POST', '/v1/oauth/revoke', '', new URLSearchParams({ token, ...client.credentials })),
  )
  assert.equal(await isActive(token, client.credentials), false)
  assert.equal(await isActive(sibling, client.credentials), true)
  await send('GET', '/v1/jobs', sibling)
})

test('the access tokens of a deleted OAuth client stop working within a second', async () => {
  const client = await newClient()
  const observer = await newClient()
  const token = await client.issue()
  await assertAccessEnds(token, () => send('DELETE', `/v1/oauth/clients/${client.id}`, managerToken))
  assert.equal(await isActive(token, observer.credentials), false)
})

test('sockets and streams opened with an API key close when the key is revoked', async () => {
  const scopes = ['CONVERT_READ', 'CONVERT_WRITE']
  const { data } = await send('POST', '/v1/api-keys', managerToken, { name: 'A key', scopes })
  await assertAccessEnds(data.key, () => send('DELETE', `/v1/api-keys/${data.id}`, managerToken), 5000)
})

test('sockets and streams opened with an access token close when the account of the token is suspended', async () => {
  const admin = await createAdminKey(service)
  const token = await (await newClient()).issue()
  const connections = await openConnections(token)
  await send('PATCH', `/v1/admin/users/${accountId}`, admin, { status: 'suspended' })
  await waitUntil(() => connections.every(({ isOpen }) => !isOpen), 'all connections are closed', 2)
})
