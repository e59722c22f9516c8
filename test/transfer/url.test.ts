import assert from 'node:assert/strict'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { AppError } from '../../lib/errors.ts'
import { fetchRemoteFile } from '../../lib/transfer/fetch-remote.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { findByUrl } from '../../lib/transfer/url.ts'

const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) % 251))
const servers: Server[] = []
const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.2/32'] })
after(async () => {
  await guardedHttp.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

type RequestHandler = (request: IncomingMessage, response: ServerResponse, time: number) => void

/** Imports a file from a server with this handler. */
async function importFromHandler(
  handler: RequestHandler,
  { fields = {}, maxBytes = 1e6, path = '/a.bin' } = {},
) {
  let times = 0
  const server = createServer((request, response) => handler(request, response, times++))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
  const url = `http://127.0.0.2:${(server.address() as AddressInfo).port}${path}`
  const { signal } = new AbortController()
  const [file] = await findByUrl({ url, ...fields }, { guardedHttp, signal })
  assert.ok(file)
  const storedChunks: Buffer[] = []
  const store = async (body: AsyncIterable<Buffer>) => {
    storedChunks.push(await buffer(body))
  }
  const fetchedFile = await fetchRemoteFile(file, { maxBytes, signal, onChunk: () => {}, store })
  return { file, facts: fetchedFile, stored: Buffer.concat(storedChunks), times }
}

const expectImportFailure = (handler: RequestHandler, options?: Parameters<typeof importFromHandler>[1]) =>
  importFromHandler(handler, options).then(
    () => assert.fail('the import succeeded'),
    (error: unknown) => error,
  )

/** Sends the bytes, then closes the connection. */
function sendAndDisconnect(response: ServerResponse, bytes: Buffer): void {
  response.write(bytes, () => setTimeout(() => response.socket?.destroy(), 20))
}

const tag = { etag: '"v1"', 'accept-ranges': 'bytes' }

/** A server that supports ranges and closes the connection after each 100 kB. */
const resumableHandler: RequestHandler = (request, response) => {
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  const range = { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }
  const isSameTag = request.headers['if-range'] === tag.etag
  response.writeHead(isSameTag ? 206 : 200, {
    ...tag,
    'content-length': content.length - start,
    ...(isSameTag && range),
  })
  sendAndDisconnect(response, content.subarray(start, start + 100_000))
}

test('a URL download resumes where its connection was lost', async () => {
  const { stored, facts, times } = await importFromHandler(resumableHandler)
  assert.deepEqual(stored, content)
  assert.equal(facts.size, content.length)
  assert.equal(times, 3)
})

test('a URL whose content changed during the download is rejected instead of mixing two versions', async () => {
  const error = await expectImportFailure((request, response) => {
    response.writeHead(200, { ...tag, 'content-length': content.length })
    if (request.headers.range) response.end(content)
    else sendAndDisconnect(response, content.subarray(0, 1000))
  })
  assert.ok(error instanceof RemoteError)
  assert.match(error.message, /changed while it was being fetched/)
})

const createRangeReply = (start: number, total: number) => ({
  'content-range': `bytes ${start}-${total - 1}/${total}`,
})
const changedRanges: Readonly<Record<string, (start: number) => OutgoingHttpHeaders>> = {
  'another ETag': (start) => ({ ...createRangeReply(start, content.length), etag: '"v2"' }),
  'another size': (start) => createRangeReply(start, content.length + 5),
  'another position': (start) => createRangeReply(start + 5, content.length),
  'encoded bytes': (start) => ({
    ...createRangeReply(start, content.length),
    etag: tag.etag,
    'content-encoding': 'gzip',
  }),
}
for (const [name, headers] of Object.entries(changedRanges))
  test(`a download that a server resumes with ${name} is rejected`, async () => {
    const error = await expectImportFailure((request, response) => {
      const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
      if (start > 0) return response.writeHead(206, headers(start)).end(Buffer.alloc(content.length - start))
      response.writeHead(200, { ...tag, 'content-length': content.length })
      sendAndDisconnect(response, content.subarray(0, 1000))
    })
    assert.ok(error instanceof RemoteError)
    assert.match(error.message, /changed while it was being fetched/)
  })

test('a download with an unrequested byte range is rejected, but a 206 response with the whole file is accepted', async () => {
  const respondWith206 =
    (end: number): RequestHandler =>
    (_request, response) =>
      response
        .writeHead(206, { 'content-range': `bytes 0-${end - 1}/${content.length}` })
        .end(content.subarray(0, end))
  const error = await expectImportFailure(respondWith206(1000))
  assert.ok(error instanceof RemoteError)
  assert.match(error.message, /only part of the file/)
  assert.deepEqual((await importFromHandler(respondWith206(content.length))).stored, content)
})

for (const coding of ['gzip', 'deflate', 'br', 'zstd'])
  test(`a download that is not valid ${coding} fails with an error that is not transient`, async () => {
    const error = await expectImportFailure((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end('an uncompressed text'),
    )
    assert.ok(error instanceof RemoteError)
    assert.match(error.message, /not compressed as its server declares/)
    assert.equal(error.isTransient, false)
  })

test('a truncated download is rejected', async () => {
  const error = await expectImportFailure((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 })
    sendAndDisconnect(response, content.subarray(0, 400))
  })
  assert.ok(error instanceof RemoteError)
  assert.deepEqual([error.reason, error.isTransient], ['incomplete', true])
  assert.match(error.message, /lost after 400 bytes|400 of 1000/)
})

test('a compressed download is stored decompressed', async () => {
  const { stored, file } = await importFromHandler((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(content)),
  )
  assert.deepEqual(stored, content)
  assert.equal(file.size, undefined)
})

const oversizedResponses: Readonly<Record<string, RequestHandler>> = {
  'with a Content-Length above the limit': (_request, response) =>
    response.writeHead(200, { 'content-length': 2e6 }).end(Buffer.alloc(2e6)),
  'that is larger than the limit when decompressed': (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5e6))),
  'that never ends': (_request, response) => {
    const chunk = Buffer.alloc(65_536)
    const writeMore = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', writeMore)
    writeMore()
  },
}
for (const [name, handler] of Object.entries(oversizedResponses))
  test(`a download ${name} is rejected with FILE_TOO_LARGE`, async () => {
    const error = await expectImportFailure(handler)
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'FILE_TOO_LARGE')
  })

const statuses: readonly [status: number, reason: string, isPassing: boolean][] = [
  [401, 'forbidden', false],
  [403, 'forbidden', false],
  [404, 'not-found', false],
  [410, 'not-found', false],
  [418, 'status', false],
  [429, 'status', true],
  [503, 'status', true],
]
for (const [status, reason, isTransient] of statuses)
  test(`a download with HTTP status ${status} fails with a ${isTransient ? 'transient' : 'permanent'} error, reason: ${reason}`, async () => {
    const error = await expectImportFailure((_request, response) => response.writeHead(status).end())
    assert.ok(error instanceof RemoteError)
    assert.deepEqual(
      [error.reason, error.isTransient, error.details['status']],
      [reason, isTransient, status],
    )
  })

test('the file name of an import comes from the request, the response header or the URL', async () => {
  const plainHandler: RequestHandler = (_request, response) => response.end('x')
  const namedHandler: RequestHandler = (_request, response) =>
    response
      .writeHead(200, { 'content-disposition': "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf" })
      .end('x')
  const importFilename = async (...options: Parameters<typeof importFromHandler>) =>
    (await importFromHandler(...options)).file.filename
  assert.equal(await importFilename(namedHandler, { fields: { filename: 'mine.pdf' } }), 'mine.pdf')
  assert.equal(await importFilename(namedHandler), 'résumé.pdf')
  assert.equal(await importFilename(plainHandler, { path: '/files/my%20file.pdf?v=2' }), 'my file.pdf')
})

test('an import sends its custom request headers', async () => {
  const { stored } = await importFromHandler(
    (request, response) => response.end(request.headers['x-token']),
    {
      fields: { headers: { 'X-Token': 'abc' } },
    },
  )
  assert.equal(stored.toString(), 'abc')
})
