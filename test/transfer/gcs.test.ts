import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, beforeEach, test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { importGcsOperation } from '../../lib/tasks/gcs.ts'
import { fetchRemoteFile } from '../../lib/transfer/fetch-remote.ts'
import { findInGcs, openGcs } from '../../lib/transfer/gcs.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { credentials, startGcs } from './gcs-server.ts'

const content = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 7 + (at >> 8)) % 251))
const { signal } = new AbortController()
const access = { bucket: 'box', project_id: 'project-1', credentials }
let server: Awaited<ReturnType<typeof startGcs>>
let guardedHttp: GuardedHttp

before(async () => {
  server = await startGcs()
})
after(() => server.stop())
beforeEach(async (t) => {
  server.state.interceptRequest = () => false
  // One client per test, so that failures of one test do not open the circuit breaker for the next.
  guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
  const client = guardedHttp
  if ('after' in t) t.after(() => client.close())
})

const createDeps = () => ({ guardedHttp, signal, gcsEndpoint: server.endpoint })
const find = (fields: object) => findInGcs({ ...access, ...fields }, createDeps())

async function importFile(key: string): Promise<Buffer> {
  const [file = assert.fail()] = await find({ key })
  let storedBytes = Buffer.alloc(0)
  const store = async (body: AsyncIterable<Buffer>) => {
    storedBytes = await buffer(body)
  }
  await fetchRemoteFile(file, { maxBytes: 2e6, signal, onChunk: () => {}, store })
  return storedBytes
}

const createFile = (path: string) => ({
  path,
  size: content.length,
  mimeType: 'application/x-test',
  sha256: '',
  open: async ({ start, end } = { start: 0, end: content.length }) =>
    Readable.from(splitIntoChunks(content.subarray(start, end))),
})

function* splitIntoChunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function exportFile(path: string, fields = {}, exportSignal: AbortSignal = signal, onSent = () => {}) {
  const store = await openGcs({ ...access, ...fields }, { ...createDeps(), signal: exportSignal })
  let sentBytes = 0
  const url = await store.put(createFile(path), (bytes) => {
    sentBytes += bytes
    onSent()
  })
  return { url, sent: sentBytes }
}

const hasReason = (reason: string) => (error: unknown) => {
  assert.ok(error instanceof RemoteError, String(error))
  assert.equal(error.reason, reason)
  assert.doesNotMatch(error.message, /PRIVATE|Bearer|ya29/)
  return true
}

test('Google Cloud files with a prefix are found on all pages, and a file can be read from a given position', async () => {
  for (const name of ['in/a.txt', 'in/deep/b.txt', 'in/ü.txt', 'in/', 'other.txt'])
    server.put(name, `this is ${name}`)
  const foundFiles = await find({ key_prefix: 'in/' })
  assert.deepEqual(
    foundFiles.map(({ filename, size }) => [filename, size]),
    [
      ['a.txt', 16],
      ['b.txt', 21],
      ['ü.txt', 17],
    ],
  )
  const remainder = (await foundFiles[2]?.open(8, signal)) ?? assert.fail()
  assert.equal((await buffer(remainder)).toString(), 'in/ü.txt')
})

test('a Google Cloud download resumes where its connection was lost', async () => {
  server.put('big.bin', content)
  let times = 0
  server.state.interceptRequest = ({ url = '' }, response) => {
    if (!url.includes('alt=media') || times++ > 0) return false
    response.writeHead(200, { 'content-length': content.length })
    response.write(content.subarray(0, 300_000), () => setTimeout(() => response.destroy(), 20))
    return true
  }
  assert.deepEqual(await importFile('big.bin'), content)
})

test('a Google Cloud file that changed after it was found is rejected instead of mixing two versions', async () => {
  server.put('turning.txt', 'one')
  const [file = assert.fail()] = await find({ key: 'turning.txt' })
  server.put('turning.txt', 'two')
  await assert.rejects(file.open(1, signal), /changed while it was being fetched/)
})

test('an export to Google Cloud stores the content, the content type, acl, cache_control and metadata', async () => {
  const fields = { acl: 'private', cache_control: 'max-age=60', metadata: { from: 'test' } }
  const { url, sent } = await exportFile('out/result ü.bin', fields)
  assert.deepEqual([url, sent], ['gs://box/out/result ü.bin', content.length])
  const storedObject = server.objects.get('out/result ü.bin')
  assert.deepEqual(storedObject?.content, content)
  assert.deepEqual(storedObject?.resource, {
    contentType: 'application/x-test',
    cacheControl: 'max-age=60',
    metadata: { from: 'test' },
    acl: 'private',
  })
})

test('an export to Google Cloud that loses its connection resumes after the received bytes', async () => {
  let times = 0
  server.state.interceptRequest = (request) => {
    if (request.method !== 'PUT' || times++ > 0) return false
    let receivedBytes = 0
    request.on('data', ({ length }: Buffer) => {
      receivedBytes += length
      if (receivedBytes > 300_000) request.destroy()
    })
    return false
  }
  const { sent } = await exportFile('resumed.bin')
  assert.deepEqual(server.objects.get('resumed.bin')?.content, content)
  assert.deepEqual([sent, times > 2], [content.length, true])
})

test('an export to Google Cloud is retried after a reply with status 503', async () => {
  let times = 0
  server.state.interceptRequest = (request, response) => {
    if (request.method !== 'PUT' || times++ > 0) return false
    request.resume().on('end', () => response.writeHead(503).end())
    return true
  }
  await exportFile('later.bin')
  assert.deepEqual(server.objects.get('later.bin')?.content, content)
})

test('an aborted export to Google Cloud stops immediately and leaves no data behind', async () => {
  const stop = new AbortController()
  server.state.interceptRequest = (request) => {
    if (request.method === 'PUT') request.pause()
    return request.method === 'PUT'
  }
  let stoppedAt = 0
  const exporting = exportFile('stopped.bin', {}, stop.signal, () => {
    stoppedAt ||= performance.now()
    setTimeout(() => stop.abort(), 50)
  })
  await assert.rejects(exporting)
  assert.ok(performance.now() - stoppedAt < 1000)
  assert.equal(server.objects.has('stopped.bin'), false)
  assert.equal(server.sessions.size, 0)
})

test('errors of Google Cloud Storage are mapped to reasons', async () => {
  server.put('a.txt', 'a')
  await assert.rejects(find({ key: 'none' }), hasReason('not-found'))
  await assert.rejects(find({ key_prefix: 'none/' }), hasReason('not-found'))
  await assert.rejects(find({ bucket: 'other', key: 'a.txt' }), hasReason('not-found'))
  const strangerCredentials = { ...credentials, client_email: 'stranger@example.com' }
  await assert.rejects(find({ key: 'a.txt', credentials: strangerCredentials }), (error) => {
    assert.match(String(error), /Google rejected the key of stranger@example.com \(invalid_grant\)\./)
    return hasReason('forbidden')(error)
  })
  server.state.interceptRequest = ({ url }, response) => {
    if (url !== '/token') response.writeHead(500).end('{}')
    return url !== '/token'
  }
  await assert.rejects(find({ key: 'a.txt' }), (error) => {
    assert.ok(error instanceof RemoteError && error.isTransient)
    return hasReason('status')(error)
  })
})

test('a Google Cloud endpoint at a private address is rejected', async () => {
  const publicOnlyHttp = new GuardedHttp()
  await assert.rejects(
    findInGcs({ ...access, key: 'a' }, { ...createDeps(), guardedHttp: publicOnlyHttp }),
    (error) => error instanceof AppError && error.code === 'URL_NOT_ALLOWED',
  )
  await publicOnlyHttp.close()
})

test('a service account key file is accepted, its additional fields are dropped, and an invalid key is rejected', () => {
  const file = { ...credentials, private_key_id: '1', token_uri: 'http://10.0.0.1/', universe_domain: 'x' }
  const parsedFields = importGcsOperation.fields.parse({ bucket: 'box', key: 'a', credentials: file })
  assert.deepEqual(parsedFields['credentials'], credentials)
  const wrongCredentials = { ...credentials, private_key: 'secret' }
  assert.equal(
    importGcsOperation.fields.safeParse({ bucket: 'box', key: 'a', credentials: wrongCredentials }).success,
    false,
  )
})
