import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { GetObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { findInBlobstore, openBlobstore } from '../../lib/transfer/blobstore.ts'
import { fetchRemoteFile } from '../../lib/transfer/fetch-remote.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { findInS3, openS3 } from '../../lib/transfer/s3.ts'
import type { FindFiles, OpenStore, OutgoingFile } from '../../lib/transfer/transfer.ts'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'
import { startAzurite } from './azurite.ts'
import { startProxy } from './shaky-proxy.ts'

const content = Buffer.from(Array.from({ length: 20_000_000 }, (_, at) => (at * 7 + (at >> 8)) % 251))

function* splitIntoChunks(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

interface StoreCase {
  readonly find: FindFiles
  readonly open: OpenStore
  /** Task fields, including the name of a file. */
  fields(name: string): Record<string, unknown>
  put(name: string, bytes: Buffer): Promise<unknown>
  get(name: string): Promise<Buffer | undefined>
  /** Number of unfinished uploads. */
  countUploads(): Promise<number>
  readonly port: number
  /** Task fields for the store at another port. */
  at(port: number, name: string): Record<string, unknown>
}

const storeCases: Readonly<Record<string, (t: TestContext) => Promise<StoreCase>>> = {
  s3: async (t) => {
    const { client, endpoint } = await startWithBucket(t)
    const port = Number(new URL(endpoint).port)
    const access = { bucket: Bucket, region, access_key_id: s3Credentials.accessKeyId }
    const createFields = (key: string) => ({
      ...access,
      secret_access_key: s3Credentials.secretAccessKey,
      endpoint,
      key,
    })
    return {
      find: findInS3,
      open: openS3,
      fields: createFields,
      port,
      at: (proxyPort, name) => ({ ...createFields(name), endpoint: `http://127.0.0.1:${proxyPort}` }),
      put: (Key, Body) => client.send(new PutObjectCommand({ Bucket, Key, Body })),
      get: (Key) =>
        client.send(new GetObjectCommand({ Bucket, Key })).then(
          ({ Body }) => buffer(Body as Readable),
          () => undefined,
        ),
      countUploads: async () =>
        (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.length ?? 0,
    }
  },
  blobstore: async (t) => {
    const { container, access, stop } = await startAzurite()
    t.after(stop)
    const createFields = (blob: string) => ({ ...access, blob })
    return {
      find: findInBlobstore,
      open: openBlobstore,
      fields: createFields,
      port: Number(new URL(access.endpoint).port),
      at: (port, name) => ({
        ...createFields(name),
        endpoint: access.endpoint.replace(/:\d+/, `:${port}`),
      }),
      put: (name, bytes) => container.getBlockBlobClient(name).uploadData(bytes),
      get: (name) =>
        container
          .getBlobClient(name)
          .downloadToBuffer()
          .catch(() => undefined),
      countUploads: async () => 0,
    }
  },
}

for (const [name, start] of Object.entries(storeCases)) {
  test(`${name}: a transfer resumes after lost connections, and stops immediately when it is aborted`, async (t) => {
    const storeCase = await start(t)
    const proxy = await startProxy(storeCase.port)
    const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
    t.after(() => Promise.all([proxy.stop(), guardedHttp.close()]))
    const { signal } = new AbortController()
    const cutConnections = (cutCount: number) =>
      Object.assign(proxy.state, { cutAfterBytes: 5_000_000, cuts: cutCount })

    await storeCase.put('in.bin', content)
    cutConnections(2)
    const [file = assert.fail()] = await storeCase.find(storeCase.at(proxy.port, 'in.bin'), {
      guardedHttp,
      signal,
    })
    let receivedBytes = Buffer.alloc(0)
    const store = async (body: AsyncIterable<Buffer>) => {
      receivedBytes = await buffer(body)
    }
    await fetchRemoteFile(file, { maxBytes: 1e8, signal, onChunk: () => {}, store })
    assert.equal(Buffer.compare(receivedBytes, content), 0)
    assert.equal(proxy.state.cuts, 0)

    const outgoingFile = {
      path: 'out.bin',
      size: content.length,
      mimeType: 'application/x-test',
      sha256: '',
      open: async ({ start, end } = { start: 0, end: content.length }) =>
        Readable.from(splitIntoChunks(content.subarray(start, end))),
    } satisfies OutgoingFile
    cutConnections(2)
    let sentBytes = 0
    const openStore = await storeCase.open(storeCase.at(proxy.port, 'out.bin'), { guardedHttp, signal })
    await openStore.put(outgoingFile, (bytes) => {
      sentBytes += bytes
    })
    assert.equal(Buffer.compare((await storeCase.get('out.bin')) ?? assert.fail(), content), 0)
    assert.equal(sentBytes, content.length)

    cutConnections(0)
    const stop = new AbortController()
    let stoppedAt = 0
    const stoppedStore = await storeCase.open(storeCase.at(proxy.port, 'never.bin'), {
      guardedHttp,
      signal: stop.signal,
    })
    await assert.rejects(
      stoppedStore.put({ ...outgoingFile, path: 'never.bin' }, () => {
        stoppedAt ||= performance.now()
        stop.abort()
      }),
    )
    assert.ok(performance.now() - stoppedAt < 2000)
    assert.equal(await storeCase.get('never.bin'), undefined)
    assert.equal(await storeCase.countUploads(), 0)
  })
}
