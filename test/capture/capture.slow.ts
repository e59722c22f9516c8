// Run by `npm run test:slow`: all attempts of a page to reach private addresses, and all failures of a website.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { PageRequests } from '../../lib/capture/page-requests.ts'
import { openTab } from '../../lib/capture/tab.ts'
import { waitUntilReady } from '../../lib/capture/wait-until-ready.ts'
import { connectBrowser } from '../../lib/engines/chromium/cdp-pipe.ts'
import { browserProgram, browserSwitches } from '../../lib/engines/chromium/process.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import type { ResolveHost } from '../../lib/transfer/addresses.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { readPdfText, readStdout } from '../engines/support/inspect-result.ts'
import { assertRefused } from '../support/assert-refused.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { createPrivateUrls } from '../transfer/private-forms.ts'
import { capture, html, TestSites } from './site.ts'

const sites = new TestSites()
const clients: GuardedHttp[] = []
after(async () => {
  sites.close()
  await Promise.all(clients.map((client) => client.close()))
})

function createClient(settings: ConstructorParameters<typeof GuardedHttp>[0]): GuardedHttp {
  const client = new GuardedHttp(settings)
  clients.push(client)
  return client
}

/** A page that sends every kind of request and writes the results into itself. */
const createProbingPage = (addresses: readonly string[]) => `<!doctype html><pre id="log"></pre><script>
  const addresses = ${JSON.stringify(addresses)}
  const log = document.getElementById('log')
  let left = 0
  const done = (how) => (event) => { log.textContent += how + ' '; if (--left === 0) document.body.id = 'over' }
  const element = (name, address, loads) => {
    const one = document.createElement(name)
    one[name === 'object' ? 'data' : 'src'] = address
    one.onload = done(loads)
    one.onerror = done('refused')
    left++
    document.body.append(one)
  }
  for (const address of addresses) {
    element('img', address + 'img', 'REACHED')
    element('script', address + 'script', 'REACHED')
    document.body.append(Object.assign(document.createElement('iframe'), { src: address + 'frame' }))
    document.body.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address + 'style' }))
    document.body.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: address + 'prefetch' }))
    left += 2
    fetch(address + 'fetch', { mode: 'no-cors' }).then(done('REACHED'), done('refused'))
    navigator.sendBeacon(address + 'beacon', 'x')
    try {
      const socket = new WebSocket(address.replace('http', 'ws') + 'socket')
      socket.onopen = done('REACHED')
      socket.onerror = done('refused')
    } catch { done('refused')() }
  }
  const call = new RTCPeerConnection({ iceServers: addresses.map((address) => ({ urls: 'stun:' + new URL(address).host })).slice(0, 5) })
  call.createDataChannel('x')
  call.createOffer().then((offer) => call.setLocalDescription(offer))
</script>`

test('a captured website cannot reach private addresses by page elements, scripts, redirects or DNS rebinding', async () => {
  const trap = await sites.startTrap('127.0.0.1')
  const privateHost = `127.0.0.1:${trap.port}`
  const resolvedHosts: string[] = []
  // The host resolves to a public address first and to a private one afterwards (DNS rebinding).
  const resolve: ResolveHost = async (host) => {
    resolvedHosts.push(host)
    const isFirst = resolvedHosts.filter((name) => name === host).length === 1
    return [{ address: host === 'turning.example' && isFirst ? '127.0.0.2' : '127.0.0.1', family: 4 }]
  }
  const site = await sites.serve('127.0.0.2', (request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    if (to !== null) response.writeHead(302, { location: to, connection: 'close' }).end()
    else
      response
        .writeHead(200, { ...html, connection: 'close' })
        .end(
          createProbingPage([
            ...createPrivateUrls(trap.port),
            ...[`http://${privateHost}/`, `http://inside.example:${trap.port}/`].map(
              (to) => `/?to=${encodeURIComponent(to)}&`,
            ),
            `http://inside.example:${trap.port}/`,
            `http://turning.example:${trap.port}/`,
          ]),
        )
  })
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'], resolve })
  const url = `http://turning.example:${site.port}/`
  const { path, warnings } = await capture(client, { url, wait_for_element: '#over', timeout: 60 })
  const text = await readPdfText(path)
  assert.doesNotMatch(text, /REACHED/)
  assert.match(text, /refused/)
  assert.equal(trap.connections(), 0)
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['LINKS_DROPPED'],
  )
})

test('a website captured as PDF has the requested paper size and margins', async () => {
  const site = await sites.serve('127.0.0.2', (request, response) => {
    if (request.url === '/late') setTimeout(() => response.end('betamarker'), 700)
    else
      response
        .writeHead(200, html)
        .end(`<title>Name</title>alphamarker <p id=p><script>onload = () => setTimeout(async () => {
          document.getElementById('p').textContent = await (await fetch('/late')).text() }, 100)</script>`)
  })
  const { path } = await capture(createClient({ allowedNetworks: ['127.0.0.2/32'] }), {
    url: site.url,
    filename: 'mine',
    page_size: 'A5',
    margin_left: '50mm',
    wait_until: 'networkidle0',
  })
  const info = await readStdout('pdfinfo', path)
  assert.match(info, /Title: +Name\n[\s\S]*Page size: .* \(A5\)/)
  const boxes = await readStdout('pdftotext', '-bbox', path, '-')
  const [, left] = /xMin="([\d.]+)"[^>]*>alphamarker/.exec(boxes) ?? []
  assert.ok(Math.abs(Number(left) - (50 / 25.4) * 72) < 10, left)
  assert.match(boxes, />betamarker</)
})

const neverRespond = () => {}
const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/missing': (response) => response.writeHead(404, html).end('no'),
  '/closed': (response) => response.writeHead(403, html).end('no'),
  '/broken': (response) => response.writeHead(500, html).end('no'),
  '/file': (response) => response.writeHead(200, { 'content-type': 'application/zip' }).end('PK'),
  '/circle': (response) => response.writeHead(302, { location: '/circle' }).end(),
  '/private': (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
  '/slow': (response) => response.writeHead(200, html).end('<img src="/never">'),
  '/never': neverRespond,
  '/endless': (response) => {
    response.writeHead(200, html)
    const writeUntilFull = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
    }
    response.on('drain', writeUntilFull)
    writeUntilFull()
  },
  '/bomb': (response) =>
    response
      .writeHead(200, { ...html, 'content-encoding': 'gzip' })
      .end(gzipSync(Buffer.alloc(64 * 1024 ** 2))),
  '/asking': (response) =>
    response
      .writeHead(200, html)
      .end('<p>alphamarker<script>alert(1);confirm(2);open("/never");onbeforeunload = () => "no"</script>'),
}

test('a website capture that fails reports the cause in its error code and message', async () => {
  const site = await sites.serve('127.0.0.2', (request, response) => pages[request.url ?? '']?.(response))
  const client = createClient({ allowedNetworks: ['127.0.0.2/32'] })
  const captureAt = (path: string, fields = {}) =>
    capture(client, { url: new URL(path, site.url).href, timeout: 3, ...fields })
  const remoteErrors: readonly [path: string, reason: string, sentence: RegExp][] = [
    ['/missing', 'not-found', /has no such page \(status 404\)/],
    ['/closed', 'forbidden', /denied access to this page \(status 403\)/],
    ['/broken', 'status', /responded with status 500/],
    ['/circle', 'status', /redirects more than 3 times/],
    ['http://127.0.0.2:9/', 'unreachable', /it refused the connection/],
    ['http://nothing.invalid/', 'unreachable', /the host name does not exist/],
  ]
  for (const [path, reason, sentence] of remoteErrors)
    await assert.rejects(captureAt(path), (error) => {
      assert.ok(error instanceof RemoteError, String(error))
      assert.deepEqual([path, error.reason], [path, reason])
      assert.match(error.message, sentence)
      return true
    })
  const serviceErrors: readonly [path: string, code: ErrorCode, sentence: RegExp, fields?: object][] = [
    ['/private', 'URL_NOT_ALLOWED', /10\.0\.0\.1 does not have a public IP address/],
    ['http://127.1/', 'URL_NOT_ALLOWED', /127\.0\.0\.1 does not have a public IP address/],
    ['/file', 'UNSUPPORTED_FORMAT', /a file \(application\/zip\) instead of a web page/],
    ['/slow', 'TIMEOUT', /within 3 s: still waiting for the page to finish loading/],
    ['/never', 'TIMEOUT', /within 3 s/],
    ['/endless', 'FILE_TOO_LARGE', /32 MB/, { timeout: 30 }],
    ['/bomb', 'FILE_TOO_LARGE', /32 MB/, { timeout: 30 }],
    ['/asking', 'INVALID_INPUT', /CSS selector/, { wait_for_element: 'a[[' }],
    ['/asking', 'TIMEOUT', /an element matching #none/, { wait_for_element: '#none' }],
  ]
  for (const [path, code, sentence, fields] of serviceErrors)
    await assertRefused(captureAt(path, fields), code, sentence, path)
  const { path } = await captureAt('/asking')
  assert.match(await readPdfText(path), /alphamarker/)
})

test('a captured website cannot reach private TCP and UDP ports even if its browser runs without a sandbox', async () => {
  const trap = await sites.startTrap('0.0.0.0')
  let datagramCount = 0
  const udp = createSocket('udp4', () => datagramCount++)
  udp.bind(0)
  await once(udp, 'listening')
  const workDir = scratchFolder('unconfined')
  const pipe = connectBrowser({
    file: browserProgram,
    args: [...browserSwitches, `--user-data-dir=${workDir}`, 'about:blank'],
    env: { PATH: '/usr/bin:/bin', HOME: workDir, TMPDIR: workDir, LANG: 'C.UTF-8' },
    cwd: workDir,
    grant: async () => {},
  })
  const [tcpAddress, udpAddress] = [`127.0.0.1:${trap.port}`, `127.0.0.1:${udp.address().port}`]
  const page = `<script>
    const servers = ['stun:${udpAddress}', 'stun:localhost:${udp.address().port}', 'turn:${tcpAddress}?transport=tcp']
    const call = new RTCPeerConnection({
      iceServers: servers.map((urls) => ({ urls, username: 'a', credential: 'b' })),
    })
    call.createDataChannel('x')
    call.createOffer().then((offer) => call.setLocalDescription(offer))
    const over = () => { document.body.id = 'over' }
    new WebSocket('ws://${tcpAddress}/').onerror = () => setTimeout(over, 2000)
    new WebTransport('https://${udpAddress}/').ready.catch(() => {})
    for (const rel of ['preconnect', 'dns-prefetch', 'prefetch'])
      document.head.append(Object.assign(document.createElement('link'), { rel, href: 'http://${tcpAddress}/' }))
  </script><body>`
  try {
    const client = createClient({ allowedNetworks: ['127.0.0.2/32'] })
    const site = await sites.serve('127.0.0.2', (_request, response) =>
      response.writeHead(200, html).end(page),
    )
    const { signal } = new AbortController()
    const url = new URL(site.url)
    const requests = new PageRequests({ url, headers: {}, userAgent: 'test', guardedHttp: client, signal })
    const view = { width: 800, height: 600, scale: 1 }
    const tab = await openTab(pipe, { url, cookies: {}, userAgent: 'test', view, requests })
    const readiness = { wait_until: 'load', wait_for_element: '#over' } as const
    await waitUntilReady(readiness, {
      ...tab,
      requests,
      signal: AbortSignal.timeout(30_000),
      setAwaitedCondition: () => {},
    })
  } finally {
    await pipe.kill()
    udp.close()
  }
  assert.deepEqual([trap.connections(), datagramCount], [0, 0])
})
