import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { AppError } from '../../lib/errors.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import { findInS3, openS3 } from '../../lib/transfer/s3.ts'
import type { OutgoingFile } from '../../lib/transfer/transfer.ts'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'

const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
const publicOnlyHttp = new GuardedHttp()
after(() => Promise.all([guardedHttp.close(), publicOnlyHttp.close()]))

const access = {
  bucket: Bucket,
  region,
  access_key_id: s3Credentials.accessKeyId,
  secret_access_key: s3Credentials.secretAccessKey,
}
const { signal } = new AbortController()

const createFile = (content: Buffer): OutgoingFile => ({
  path: 'out/result.bin',
  size: content.length,
  mimeType: 'application/x-test',
  sha256: createHash('sha256').update(content).digest('hex'),
  open: async ({ start, end } = { start: 0, end: content.length }) =>
    Readable.from([content.subarray(start, end)]),
})

test('S3 files with a prefix are found, and a file can be read from a given position', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  for (const Key of ['in/a.txt', 'in/deep/b.txt', 'in/', 'other.txt'])
    await client.send(new PutObjectCommand({ Bucket, Key, Body: Key.endsWith('/') ? '' : `this is ${Key}` }))
  const methods: string[] = []
  const recordMethod = (message: unknown) =>
    methods.push((message as { request: ClientRequest }).request.method)
  subscribe('http.client.request.start', recordMethod)
  const foundFiles = await findInS3({ ...access, endpoint, key_prefix: 'in/' }, { guardedHttp, signal })
  unsubscribe('http.client.request.start', recordMethod)
  assert.deepEqual(methods, ['GET'], 'the list contains everything needed')
  assert.deepEqual(
    foundFiles.map(({ filename, size }) => [filename, size]),
    [
      ['a.txt', 16],
      ['b.txt', 21],
    ],
  )
  const [firstFile] = foundFiles
  assert.equal((await buffer(await (firstFile?.open(8, signal) ?? assert.fail()))).toString(), 'in/a.txt')
})

test('an S3 file that changed after it was found is rejected instead of mixing two versions', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'one' }))
  const [file] = await findInS3({ ...access, endpoint, key: 'a' }, { guardedHttp, signal })
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'two' }))
  await assert.rejects(file?.open(1, signal) ?? assert.fail(), /changed while it was being fetched/)
  const [listedFile] = await findInS3({ ...access, endpoint, key_prefix: 'a' }, { guardedHttp, signal })
  await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'three' }))
  await assert.rejects(listedFile?.open(0, signal) ?? assert.fail(), /changed while it was being fetched/)
})

test('an export to S3 stores the content, the content type, cache_control, content_disposition and metadata', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const fields = { cache_control: 'max-age=60', content_disposition: 'inline', metadata: { from: 'test' } }
  const store = await openS3({ ...access, endpoint, ...fields }, { guardedHttp, signal })
  const content = Buffer.alloc(20 * 1024 ** 2, 'result ')
  let sentBytes = 0
  const url = await store.put(createFile(content), (bytes) => {
    sentBytes += bytes
  })
  await store.close()
  assert.deepEqual([url, sentBytes], [`s3://${Bucket}/out/result.bin`, content.length])
  const { Body, ...stored } = await client.send(new GetObjectCommand({ Bucket, Key: 'out/result.bin' }))
  assert.deepEqual(await buffer(Body as Readable), content)
  assert.deepEqual(
    [stored.ContentType, stored.CacheControl, stored.ContentDisposition, stored.Metadata],
    ['application/x-test', 'max-age=60', 'inline', { from: 'test' }],
  )
})

/** Creates a stream that emits one byte and never ends. */
const createHangingStream = () => {
  let givenBytes = 0
  return new Readable({
    read() {
      if (givenBytes++ === 0) this.push('x')
    },
  })
}

test('an aborted export to S3 stops immediately and leaves no data behind', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const stop = new AbortController()
  const store = await openS3({ ...access, endpoint }, { guardedHttp, signal: stop.signal })
  const wholeFile = createFile(Buffer.alloc(30 * 1024 ** 2))
  const file: OutgoingFile = {
    ...wholeFile,
    open: async (range) => (range?.start === 0 ? wholeFile.open(range) : createHangingStream()),
  }
  let stoppedAtMs = 0
  const put = store.put(file, () => {
    stoppedAtMs = performance.now()
    stop.abort()
  })
  await assert.rejects(put)
  assert.ok(performance.now() - stoppedAtMs < 1000)
  await assert.rejects(client.send(new HeadObjectCommand({ Bucket, Key: 'out/result.bin' })))
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  assert.deepEqual(Uploads, [])
})

test('a lost part of an S3 export is sent again, and a failing export leaves no data behind', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const store = await openS3({ ...access, endpoint }, { guardedHttp, signal })
  const content = Buffer.alloc(20 * 1024 ** 2, 'result ')
  const wholeFile = createFile(content)
  const createBrokenStream = async () =>
    new Readable({
      read() {
        this.destroy(Object.assign(new Error('lost'), { code: 'ECONNRESET' }))
      },
    })
  let left = 1
  const singleReadFile: OutgoingFile = {
    ...wholeFile,
    open: async (range) =>
      range?.start === 8 * 1024 ** 2 && left-- > 0 ? createBrokenStream() : wholeFile.open(range),
  }
  const parts: number[] = []
  await store.put(singleReadFile, (bytes) => parts.push(bytes))
  assert.deepEqual(
    parts.toSorted((a, b) => b - a),
    [8, 8, 4].map((mib) => mib * 1024 ** 2),
  )
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'out/result.bin' }))
  assert.ok((await buffer(Body as Readable)).equals(content))
  left = 100
  await assert.rejects(store.put({ ...singleReadFile, path: 'out/never.bin' }, () => {}))
  await assert.rejects(client.send(new HeadObjectCommand({ Bucket, Key: 'out/never.bin' })))
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  assert.deepEqual(Uploads, [])
})

test('errors of S3 storage are mapped to reasons', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const assertReason = (fields: object, reason: string) =>
    assert.rejects(findInS3({ ...access, endpoint, ...fields }, { guardedHttp, signal }), (error) => {
      assert.ok(error instanceof RemoteError, String(error))
      assert.equal(error.reason, reason)
      return true
    })
  await assertReason({ key: 'none' }, 'not-found')
  await assertReason({ key_prefix: 'none/' }, 'not-found')
  await assertReason({ key: 'a', secret_access_key: 'wrong' }, 'forbidden')
  await assertReason({ key: 'a', endpoint: 'http://127.0.0.1:1' }, 'unreachable')
})

test('an S3 endpoint at a private address is rejected', async (t) => {
  const { endpoint } = await startWithBucket(t)
  for (const address of [endpoint, endpoint.replace('127.0.0.1', 'localhost')])
    await assert.rejects(
      findInS3({ ...access, endpoint: address, key: 'a' }, { guardedHttp: publicOnlyHttp, signal }),
      (error) => error instanceof AppError && error.code === 'URL_NOT_ALLOWED',
    )
})
