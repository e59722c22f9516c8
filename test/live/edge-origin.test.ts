// Sockets behind a CDN: each needs the secret of the CDN, and the IP address of the client comes from the CDN's header.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Services } from '../../lib/services/services.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount, newKey } from '../support/account.ts'
import { Gateway, GatewayClient } from './gateway.ts'

const secret = 'o'.repeat(32)
const viewerAddress = '203.0.113.7'

let app: EmbeddedApp
let gateway: Gateway
let services: Services
before(async () => {
  app = await openApp()
  services = { ...app.services, config: { ...app.services.config, ORIGIN_SECRET: secret } }
  gateway = new Gateway(services)
})
after(() => app.close())

async function createJob(): Promise<string> {
  const tasks = {
    text: { operation: 'import/raw', filename: 'hello.md', file: '# Hello' },
    out: { operation: 'export/url', input: 'text' },
  }
  const { json } = await app.send('POST', '/v1/jobs', { body: { tasks } })
  return json.data.jobId
}

test('a WebSocket handshake that bypasses the CDN is refused, whatever it requests', async () => {
  const jobId = await createJob()
  for (const query of [{}, { jobId }, { ticket: 'wst_1' }]) {
    for (const headers of [{}, { 'X-Origin-Secret': 'p'.repeat(32) }])
      assert.equal((await gateway.connect({ query, headers })).status, 403, JSON.stringify(query))
    const headers = { 'X-Origin-Secret': secret, 'X-Viewer-Address': viewerAddress }
    assert.equal((await gateway.connect({ query, headers })).status, 200)
  }
})

test('the first WebSocket frame is authenticated with the IP address that the CDN reported', async () => {
  const token = await newKey(services, await newAccount(services), { allowedIps: [viewerAddress] })
  const connect = (address: string) =>
    gateway.connect({ headers: { 'X-Origin-Secret': secret, 'X-Viewer-Address': address } })
  const allowedClient = await connect(viewerAddress)
  await allowedClient.send({ type: 'auth', token })
  assert.equal(allowedClient.last?.type, 'hello')
  const otherClient = await connect('203.0.113.8')
  await otherClient.send({ type: 'auth', token })
  assert.ok(otherClient.closed, 'another address is refused')
})

test('frames of a WebSocket that was never accepted get no reply, and its disconnect causes no error', async () => {
  const unacceptedClient = new GatewayClient(gateway)
  const token = await newKey(services, await newAccount(services))
  for (const frame of [{ type: 'auth', token }, { type: 'subscribe' }, { type: 'ping' }])
    await unacceptedClient.send(frame)
  assert.deepEqual(unacceptedClient.frames, [])
  await unacceptedClient.leave()
})
