import assert from 'node:assert/strict'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../lib/errors.ts'
import type { ResolveHost } from '../../lib/transfer/addresses.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { privateAddressForms } from './private-forms.ts'

const servers: Server[] = []
const clients: GuardedHttp[] = []
after(async () => {
  await Promise.all(clients.map((client) => client.close()))
  for (const server of servers) server.close()
})

async function serve(host: string, listener: RequestListener) {
  let seenCount = 0
  const server = createServer((request, response) => {
    seenCount++
    listener(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://${host}:${port}/`, port, seen: () => seenCount }
}

function createClient(settings: ConstructorParameters<typeof GuardedHttp>[0] = {}): GuardedHttp {
  const client = new GuardedHttp(settings)
  clients.push(client)
  return client
}

const signal = AbortSignal.timeout(20_000)
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code
const hasReason = (reason: string) => (error: unknown) =>
  error instanceof RemoteError && error.reason === reason

test('guarded requests refuse private addresses in every notation', async () => {
  const client = createClient()
  for (const form of privateAddressForms)
    await assert.rejects(client.request(form, { signal }), hasCode('URL_NOT_ALLOWED'), form)
})

test('host names that resolve to a private address are rejected, even if other addresses are public', async () => {
  const addresses: Record<string, string[]> = {
    'inside.example': ['10.0.0.1'],
    'mixed.example': ['93.184.215.14', '127.0.0.1'],
    'six.example': ['::1'],
  }
  const resolve: ResolveHost = async (host) =>
    (addresses[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const client = createClient({ resolve })
  for (const host of [...Object.keys(addresses), 'nothing.example'])
    await assert.rejects(client.request(`http://${host}/`, { signal }), hasCode('URL_NOT_ALLOWED'), host)
})

test('a redirect to a private address is refused before connecting', async () => {
  const insideSite = await serve('127.0.0.1', (_request, response) => response.end('secret'))
  const resolve: ResolveHost = async () => [{ address: '127.0.0.1', family: 4 }]
  for (const target of [insideSite.url, `http://inside.example:${insideSite.port}/`]) {
    const outsideSite = await serve('127.0.0.2', (_request, response) =>
      response.writeHead(302, { location: target }).end(),
    )
    const client = createClient({ allowedNetworks: ['127.0.0.2/32'], resolve })
    await assert.rejects(client.request(outsideSite.url, { signal }), hasCode('URL_NOT_ALLOWED'))
  }
  assert.equal(insideSite.seen(), 0)
})

test('a host name that resolves to a private address on the second lookup is rejected', async () => {
  const insideSite = await serve('127.0.0.1', (_request, response) => response.end('secret'))
  const outsideSite = await serve('127.0.0.2', (_request, response) =>
    response
      .writeHead(302, { location: `http://turning.example:${insideSite.port}/`, connection: 'close' })
      .end(),
  )
  let lookupCount = 0
  const resolve: ResolveHost = async () => [
    { address: lookupCount++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 },
  ]
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'], resolve })
  await assert.rejects(
    client.request(`http://turning.example:${outsideSite.port}/`, { signal }),
    hasCode('URL_NOT_ALLOWED'),
  )
  assert.deepEqual([outsideSite.seen(), insideSite.seen(), lookupCount], [1, 0, 2])
})

test('a guarded request connects to the checked address and sends the host name of the URL', async () => {
  const server = await serve('127.0.0.2', (request, response) => response.end(request.headers.host))
  let lookupCount = 0
  const resolve: ResolveHost = async () => {
    lookupCount++
    return [{ address: '127.0.0.2', family: 4 }]
  }
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'], resolve })
  const { body } = await client.request(`http://named.example:${server.port}/`, { signal })
  assert.equal(await text(body), `named.example:${server.port}`)
  assert.equal(lookupCount, 1)
})

test('a guarded request follows three redirects and rejects a fourth', async () => {
  const server = await serve('127.0.0.2', (request, response) => {
    const redirectsLeft = Number(request.url?.slice(1))
    if (redirectsLeft === 0) response.end('there')
    else response.writeHead(307, { location: `/${redirectsLeft - 1}` }).end()
  })
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'] })
  const { body, url } = await client.request(`${server.url}3`, { signal })
  assert.deepEqual([await text(body), url.pathname], ['there', '/0'])
  await assert.rejects(client.request(`${server.url}4`, { signal }), hasReason('status'))
  const { status } = await client.request(`${server.url}1`, { signal, maxRedirects: 0 })
  assert.equal(status, 307)
})

test('after a redirect, another host gets neither the credentials in the URL nor the request headers', async () => {
  const seenHeaders: Record<string, string | undefined>[] = []
  const otherSite = await serve('127.0.0.3', (request, response) => {
    seenHeaders.push({ authorization: request.headers.authorization, key: String(request.headers['x-key']) })
    response.end()
  })
  const firstSite = await serve('127.0.0.2', (request, response) => {
    seenHeaders.push({ authorization: request.headers.authorization, key: String(request.headers['x-key']) })
    response.writeHead(302, { location: otherSite.url }).end()
  })
  const client = createClient({ allowedNetworks: ['127.0.0.0/24'] })
  const address = firstSite.url.replace('http://', 'http://ann:p%40ss@')
  const { body } = await client.request(address, { signal, headers: { 'x-key': 'k' } })
  body.destroy()
  assert.deepEqual(seenHeaders, [
    { authorization: `Basic ${Buffer.from('ann:p@ss').toString('base64')}`, key: 'k' },
    { authorization: undefined, key: 'undefined' },
  ])
})

test('requests to a host that failed five times in a minute are paused until the minute is over', async () => {
  let [now, status] = [0, 500]
  const server = await serve('127.0.0.2', (_request, response) => response.writeHead(status).end())
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'], now: () => now })
  for (let time = 0; time < 5; time++) (await client.request(server.url, { signal })).body.destroy()
  await assert.rejects(client.request(server.url, { signal }), (error) => {
    assert.ok(error instanceof RemoteError)
    assert.match(error.message, /failed 5 times within a minute, so requests to it are paused for 60 s/)
    return true
  })
  assert.equal(server.seen(), 5)
  const [one, otherClient] = [client.forOwner('acc_1'), client.forOwner('acc_2')]
  for (let time = 0; time < 5; time++) (await one.request(server.url, { signal })).body.destroy()
  await assert.rejects(one.request(server.url, { signal }), RemoteError)
  assert.equal(
    (await otherClient.request(server.url, { signal })).status,
    500,
    'other owners are not affected',
  )
  assert.equal(server.seen(), 11)
  now = 60_001
  status = 200
  assert.equal((await client.request(server.url, { signal })).status, 200)
})

test('connection failures are explained, and URLs of other protocols are rejected', async () => {
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'] })
  await assert.rejects(client.request('http://127.0.0.2:1/', { signal }), (error) => {
    assert.ok(error instanceof RemoteError)
    assert.equal(error.message, '127.0.0.2:1 could not be reached: it refused the connection.')
    assert.equal(error.isTransient, true)
    return true
  })
  const clientWithoutDns = createClient({
    resolve: () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
  })
  await assert.rejects(clientWithoutDns.request('http://unknown.example/', { signal }), (error) => {
    assert.ok(error instanceof RemoteError)
    assert.match(error.message, /the host name does not exist/)
    assert.equal(error.isTransient, false)
    return true
  })
  const long = await serve('127.0.0.2', (_request, response) =>
    response.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end(),
  )
  const addresses: Readonly<Record<string, RegExp>> = {
    [`http://127.0.0.2:${long.port}/`]: /the headers of its response are too long/,
    [`https://127.0.0.2:${long.port}/`]: /it does not support TLS/,
  }
  for (const [url, sentence] of Object.entries(addresses))
    await assert.rejects(client.request(url, { signal }), sentence)
  for (const url of ['ftp://example.com/', 'file:///etc/passwd', 'gopher://x/', 'nothing', 'data:,x'])
    await assert.rejects(client.request(url, { signal }), hasCode('INVALID_INPUT'), url)
})

test('the body stream of a request that cannot connect is destroyed', async () => {
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'] })
  for (let attempt = 1; attempt <= 6; attempt++) {
    const body = new Readable({ read() {} })
    const request = client.request('http://127.0.0.2:1/', { method: 'PUT', body, maxRedirects: 0, signal })
    await assert.rejects(request, hasReason('unreachable'))
    assert.ok(body.destroyed, `attempt ${attempt}`)
  }
})

test('GuardedHttp.connect, for protocols other than HTTP, rejects private addresses', async () => {
  const server = await serve('127.0.0.2', (_request, response) => response.end())
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'] })
  const socket = await client.connect('127.0.0.2', server.port, signal)
  socket.destroy()
  await assert.rejects(client.connect('127.0.0.1', server.port, signal), hasCode('URL_NOT_ALLOWED'))
})

test('an open connection is not closed by the connect timeout', async () => {
  const server = await serve('127.0.0.2', (_request, response) => response.end())
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'], connectTimeoutMs: 300 })
  const socket = await client.connect('127.0.0.2', server.port, signal)
  await sleep(900)
  assert.equal(socket.destroyed, false)
  socket.destroy()
})
