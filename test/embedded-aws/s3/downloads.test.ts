import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Bucket, listBlobFiles, send, startWithBucket, waitFor } from './start-s3.ts'

test('S3 handles range requests as in RFC 9110: 416 for unsatisfiable ranges, and invalid ranges are ignored', async (t) => {
  const { client } = await startWithBucket(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '0123456789' }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'empty' }))
  const get = async (Range: string, Key = 'k') => {
    try {
      const object = await client.send(new GetObjectCommand({ Bucket, Key, Range }))
      return [object.$metadata.httpStatusCode, await object.Body?.transformToString(), object.ContentRange]
    } catch (error) {
      return (error as Error).name
    }
  }
  assert.deepEqual(await get('bytes=2-4'), [206, '234', 'bytes 2-4/10'])
  assert.deepEqual(await get('bytes=0-0'), [206, '0', 'bytes 0-0/10'])
  assert.deepEqual(await get('bytes=7-'), [206, '789', 'bytes 7-9/10'])
  assert.deepEqual(await get('bytes=-3'), [206, '789', 'bytes 7-9/10'])
  assert.deepEqual(await get('bytes=-30'), [206, '0123456789', 'bytes 0-9/10'])
  assert.deepEqual(await get('bytes=8-99'), [206, '89', 'bytes 8-9/10'])
  assert.equal(await get('bytes=10-'), 'InvalidRange')
  assert.equal(await get('bytes=-0'), 'InvalidRange')
  assert.equal(await get('bytes=0-', 'empty'), 'InvalidRange')
  for (const ignoredRange of ['bytes=9-3', 'bytes=abc', 'lines=1-2', 'bytes=', 'bytes=-', 'bytes=1-2,4-5'])
    assert.deepEqual(await get(ignoredRange), [200, '0123456789', undefined], ignoredRange)
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'k' }))
  const refusedReply = await send(url, { headers: { range: 'bytes=20-' } })
  assert.equal(refusedReply.status, 416)
  assert.equal(refusedReply.headers['content-range'], 'bytes */10')
  const etag = '"781e5e245d69b566979b86e28d23f2c7"'
  const resume = async (condition: string) =>
    (await send(url, { headers: { range: 'bytes=1-2', 'if-range': condition } })).body
  assert.equal(await resume(etag), '12')
  assert.equal(await resume((await send(url)).headers['last-modified'] ?? ''), '12')
  // RFC 9110 13.1.5: strong comparison with a single validator, neither a list nor `*`.
  for (const otherTag of ['"other"', `W/${etag}`, '*', `"other", ${etag}`, new Date(0).toUTCString()])
    assert.equal(await resume(otherTag), '0123456789', otherTag)
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k', Range: 'bytes=2-4' }))
  assert.equal(head.ContentLength, 3)
})

test('response-* parameters of a presigned S3 URL set response headers, and cannot inject other headers', async (t) => {
  const { client } = await startWithBucket(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ContentType: 'text/plain' }))
  const get = async (value: string) =>
    await send(
      await getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket,
          Key: 'k',
          ResponseContentDisposition: value,
          ResponseContentType: 'image/png',
        }),
      ),
    )
  const disposition = `attachment; filename="a+b é.png"; filename*=UTF-8''a%2Bb%20%C3%A9.png`
  const reply = await get(disposition)
  assert.equal(reply.headers['content-disposition'], disposition)
  assert.equal(reply.headers['content-type'], 'image/png')
  assert.equal((await get('x\r\nSet-Cookie: a=b')).code, 'InvalidArgument')
  assert.equal((await get('日本')).code, 'InvalidArgument')
})

test('an S3 download completes even if its object is replaced or deleted meanwhile', async (t) => {
  const { client, dir } = await startWithBucket(t)
  const body = Buffer.alloc(8 << 20, 'a')
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: body }))
  const replacedObject = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: Buffer.alloc(8 << 20, 'b') }))
  const deletedObject = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }))
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))
  assert.ok(body.equals((await replacedObject.Body?.transformToByteArray()) ?? Buffer.alloc(0)))
  const bytes = (await deletedObject.Body?.transformToByteArray()) ?? []
  assert.equal(bytes.length, 8 << 20)
  assert.ok(bytes.every((byte) => byte === 'b'.charCodeAt(0)))
  await waitFor(async () => assert.deepEqual(await listBlobFiles(dir), []))
})

test('concurrent S3 downloads receive the correct bytes even though buffers are reused', async (t) => {
  const { client } = await startWithBucket(t)
  const contents = [0, 1, 2].map(() => randomBytes(3 << 20))
  const urls: string[] = []
  for (const [at, Body] of contents.entries()) {
    await client.send(new PutObjectCommand({ Bucket, Key: `k${at}`, Body }))
    urls.push(await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: `k${at}` })))
  }
  const read = async (at: number) => {
    const sum = createHash('sha256')
    for await (const piece of (await fetch(urls[at] ?? '')).body ?? []) {
      // Reads more slowly than the server sends, so that each buffer waits for the connection.
      if (at > 0) await setImmediate()
      sum.update(piece)
    }
    return sum.digest('hex')
  }
  const abortDownload = async (at: number) => (await fetch(urls[at] ?? '')).body?.cancel()
  const writerOrder = [0, 1, 2, 0, 1, 2, 0, 1, 2]
  const [sums] = await Promise.all([
    Promise.all(writerOrder.map(read)),
    Promise.all(writerOrder.map(abortDownload)),
  ])
  const expectedHashes = contents.map((bytes) => createHash('sha256').update(bytes).digest('hex'))
  assert.deepEqual(
    sums,
    writerOrder.map((at) => expectedHashes[at]),
  )
})
