// 1,000 WebSockets at the same time: each gets a greeting and its events, and no records remain.
// `npm run test:slow -- test/live/many-sockets.slow.ts`
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { readStoredData } from '../support/stored-data.ts'
import { waitUntil } from '../support/wait-until.ts'

const ownerCount = 10
const socketsPerOwner = 100

let service: TestService
const openSockets = new Set<WebSocket>()
before(async () => {
  service = await startService()
})
after(async () => {
  for (const socket of openSockets) socket.terminate()
  await service.stop()
})

interface Listener {
  readonly socket: WebSocket
  readonly types: string[]
  closeCode?: number
}

function listen(token: string): Listener {
  const url = `${service.url.replace('http', 'ws')}/ws/user/jobs`
  const socket = new WebSocket(url, ['v1.jobs', `bearer.${token}`])
  const listener: Listener = { socket, types: [] }
  openSockets.add(socket)
  socket.on('message', (data) => {
    const { type, event } = JSON.parse(String(data)) as { type: string; event?: string }
    listener.types.push(event ?? type)
  })
  socket.on('close', (code) => {
    listener.closeCode = code
    openSockets.delete(socket)
  })
  socket.on('error', () => {})
  return listener
}

const tasks = {
  text: { operation: 'import/raw', filename: 'hello.md', file: '# Hello' },
  page: { operation: 'convert', input: 'text', output_format: 'html' },
  out: { operation: 'export/url', input: 'page' },
}
async function createJob(token?: string): Promise<string> {
  const headers = { 'content-type': 'application/json', ...(token && { 'x-owner-token': token }) }
  const body = JSON.stringify({ tasks })
  const reply = await fetch(`${service.url}/v1/jobs`, { method: 'POST', headers, body })
  assert.equal(reply.status, 202)
  return reply.headers.get('x-owner-token') ?? ''
}

/** Lists the partition keys of all records of sockets. */
const listSocketRecords = async () =>
  (await readStoredData(service)).records.filter((pk) => pk.startsWith('SOCKET#'))

test('a service with 1,000 open WebSockets sends events to all of them and refuses more WebSockets', async (t) => {
  const tokens = await Promise.all(Array.from({ length: ownerCount }, () => createJob()))
  const startedAt = performance.now()
  const groups = tokens.map((token) => Array.from({ length: socketsPerOwner }, () => listen(token)))
  const allListeners = groups.flat()
  await waitUntil(() => allListeners.every(({ types }) => types[0] === 'hello'), 'all are greeted', 180)
  t.diagnostic(
    `${allListeners.length} sockets were greeted within ${Math.round(performance.now() - startedAt)} ms`,
  )
  const healthStartedMs = performance.now()
  assert.equal((await new Client(service).fetch('/health')).status, 200)
  t.diagnostic(`/health took ${Math.round(performance.now() - healthStartedMs)} ms meanwhile`)

  const extraSockets = tokens.map(listen)
  await waitUntil(
    () => extraSockets.every(({ closeCode }) => closeCode === 4429),
    'one more per owner is refused',
    60,
  )
  await Promise.all(tokens.map((token) => createJob(token)))
  const hasCompletionEvent = ({ types }: Listener) => types.includes('job.completed')
  await waitUntil(() => allListeners.every(hasCompletionEvent), 'all learn that a job completed', 180)

  assert.ok((await listSocketRecords()).length >= allListeners.length)
  // Half of the sockets close, and the other half vanishes.
  for (const [at, { socket }] of allListeners.entries()) {
    if (at % 2 === 0) socket.close()
    else socket.terminate()
  }
  await waitUntil(async () => (await listSocketRecords()).length === 0, 'no record is left', 60)
})
