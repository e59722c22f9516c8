import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { CaptureFields } from '../../lib/capture/capture-fields.ts'
import { mergePageHeaders } from '../../lib/capture/headers.ts'
import { requirePage } from '../../lib/capture/require-page.ts'
import { AppError } from '../../lib/errors.ts'
import { GuardedHttp, isSameHost } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
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

const readColorAt = async (path: string, left: number, top: number) => {
  const { data } = await sharp(path)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data]
}

const greenPng = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#0f0' } })
  .png()
  .toBuffer()

test("a website is captured with its frames, images and scripts, and with the user's headers and cookies", async () => {
  const requests: string[] = []
  const recordRequest = (
    from: string,
    { url, headers }: { url?: string | undefined; headers: NodeJS.Dict<string | string[]> },
  ) => requests.push(`${from}${url} ${headers['cookie'] ?? '-'} ${headers['x-key'] ?? '-'}`)
  const otherSite = await sites.serve('127.0.0.3', (request, response) => {
    recordRequest('other', request)
    if (request.url === '/image.png') response.writeHead(200, { 'content-type': 'image/png' }).end(greenPng)
    else response.writeHead(200, html).end('<body style="background:#00f">')
  })
  const trap = await sites.startTrap('127.0.0.1')
  const site = await sites.serve('127.0.0.2', (request, response) => {
    recordRequest('site', request)
    switch (request.url) {
      case '/':
        response.writeHead(302, { location: '/page', 'set-cookie': 'visit=1' }).end()
        break
      case '/page':
        response.writeHead(200, html)
        response.end(`<body style="margin:0;background:#f00"><script src="/later.js"></script>
          <img style="position:absolute;left:0;top:100px" src="${otherSite.url}image.png">
          <iframe sandbox style="position:absolute;left:100px;top:100px;border:0" src="${otherSite.url}frame"></iframe>
          <iframe hidden src="/frame.pdf"></iframe><img hidden src="http://127.0.0.1:${trap.port}/"><script>fetch('http://127.0.0.1:${trap.port}/')</script>
          <img style="position:absolute;top:5900px" loading="lazy" src="/below.png"><div style="height:6000px">`)
        break
      case '/later.js':
        response.writeHead(200, { 'content-type': 'text/javascript' })
        response.end(
          `setTimeout(() => { document.body.style.background = '#ff0'; document.body.id = 'late' }, 300)`,
        )
        break
      case '/frame.pdf':
        response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4')
        break
      default:
        setTimeout(() => response.writeHead(200, { 'content-type': 'image/png' }).end(greenPng), 300)
    }
  })
  const { path, warnings, filename } = await capture(createClient({ allowedNetworks: ['127.0.0.2/31'] }), {
    url: site.url,
    output_format: 'png',
    width: 400,
    wait_for_element: '#late',
    headers: { 'X-Key': 'k' },
    cookies: { a: '1' },
  })
  assert.equal(filename, '127.0.0.2.png')
  assert.match(warnings[0]?.message ?? '', /^3 files .* not loaded/)
  assert.equal(trap.connections(), 0)
  const { width, height } = await sharp(path).metadata()
  assert.deepEqual([width, height], [400, 6000])
  assert.deepEqual(await readColorAt(path, 300, 20), [255, 255, 0], 'the script has painted the page')
  assert.deepEqual(await readColorAt(path, 20, 120), [0, 255, 0], 'the image from another host')
  assert.deepEqual(await readColorAt(path, 120, 120), [0, 0, 255], 'the frame')
  assert.deepEqual(await readColorAt(path, 20, 5920), [0, 255, 0], 'a lazily loaded image')
  assert.deepEqual(requests.sort(), [
    'other/frame - -',
    'other/image.png - -',
    'site/ a=1 k',
    'site/below.png a=1; visit=1 k',
    'site/frame.pdf a=1; visit=1 k',
    'site/later.js a=1; visit=1 k',
    'site/page a=1; visit=1 k',
  ])
})

test('a URL that returns an error or a file download cannot be captured as a website', () => {
  const getCaptureOutcome = (status: number, headers = {}) => {
    try {
      requirePage({ status, headers, url: new URL('https://example.com/x'), body: Readable.from([]) })
    } catch (error) {
      if (error instanceof AppError) return error.code
      return error instanceof RemoteError ? `${error.reason}${error.isTransient ? ', passing' : ''}` : error
    }
    return 'a page'
  }
  const outcomes = [200, 204, 302, 401, 403, 404, 410, 418, 429, 503].map((status) =>
    getCaptureOutcome(status),
  )
  const expectedOutcomes = [
    'a page',
    'a page',
    'a page',
    'forbidden',
    'forbidden',
    'not-found',
    'not-found',
    'status',
  ]
  assert.deepEqual(outcomes, [...expectedOutcomes, 'status, passing', 'status, passing'])
  assert.equal(getCaptureOutcome(200, { 'content-type': 'image/svg+xml' }), 'a page')
  assert.equal(getCaptureOutcome(200, { 'content-type': 'application/zip' }), 'UNSUPPORTED_FORMAT')
  const attachmentHeaders = {
    'content-type': 'text/html',
    'content-disposition': 'attachment; filename=a.html',
  }
  assert.equal(getCaptureOutcome(200, attachmentHeaders), 'UNSUPPORTED_FORMAT')
})

test('requests of a captured website have no connection headers, and merge the cookies of the page and the user', () => {
  const pageHeaders = {
    Host: 'x',
    Connection: 'close',
    Cookie: 'a=1',
    'User-Agent': 'Headless',
    Accept: '*/*',
  }
  assert.deepEqual(mergePageHeaders(pageHeaders, 'Browser', { Cookie: 'b=2', 'X-Key': 'k' }), {
    accept: '*/*',
    'user-agent': 'Browser',
    'accept-encoding': 'gzip, br',
    'x-key': 'k',
    cookie: 'a=1; b=2',
  })
})

test('custom headers of a website capture are sent only to the host of the website, and not over http if the website uses https', () => {
  const isSame = (own: string, other: string) => isSameHost(new URL(own), new URL(other))
  assert.ok(isSame('http://a.example/x', 'https://a.example/y'))
  assert.ok(!isSame('https://a.example', 'http://a.example'))
  assert.ok(!isSame('https://a.example', 'https://b.a.example'))
  assert.ok(!isSame('https://a.example', 'https://a.example:8443'))
})

test('a website capture with an option of another output format, or an invalid scale, cookie or header, is rejected', () => {
  const listInvalidFields = (fields: object) =>
    CaptureFields.safeParse({ url: 'https://example.com', ...fields }).error?.issues.map(
      ({ path }) => path[0],
    )
  assert.equal(listInvalidFields({ margin_top: '2cm', width: 300 }), undefined)
  assert.equal(listInvalidFields({ output_format: 'jpeg', quality: 80, full_page: false }), undefined)
  assert.deepEqual(listInvalidFields({ output_format: 'png', margin_top: '2cm', quality: 80, scale: 0.2 }), [
    'margin_top',
    'quality',
    'scale',
  ])
  assert.deepEqual(listInvalidFields({ full_page: true, scale: 3 }), ['full_page', 'scale'])
  assert.deepEqual(listInvalidFields({ cookies: { 'a b': '1' } }), ['cookies'])
  assert.deepEqual(listInvalidFields({ headers: { Host: 'other' } }), ['headers'])
})
