import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import {
  complete,
  createClientWithoutChecksums,
  createUpload,
  firstPart,
  Key,
  lastPart,
  MIB,
  put,
} from './multipart-steps.ts'
import { Bucket, getCallError, listBlobFiles, send, startWithBucket, waitFor } from './start-s3.ts'

const secondPart = randomBytes(5 * MIB + 3)

const wholeObject = Buffer.concat([firstPart, secondPart, lastPart])

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest()

const multipartEtag = `"${md5(Buffer.concat([firstPart, secondPart, lastPart].map(md5))).toString('hex')}-3"`

test('S3 parts uploaded out of order form one object with an ETag made from the MD5s of the parts', async (t) => {
  const { endpoint, dir } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client, { ContentType: 'text/x', Metadata: { a: '1' }, Tagging: 'b=2' })
  const three = await put(client, UploadId, 7, lastPart)
  await put(client, UploadId, 1, lastPart)
  const one = await put(client, UploadId, 1, firstPart)
  const two = await put(client, UploadId, 3, secondPart)
  await put(client, UploadId, 9, lastPart)
  const completedUpload = await complete(client, UploadId, [one, two, three])
  assert.equal(completedUpload.ETag, multipartEtag)
  assert.equal(completedUpload.Location, `${endpoint}/box/whole`)

  const object = await client.send(new GetObjectCommand({ Bucket, Key }))
  assert.ok(wholeObject.equals(Buffer.from((await object.Body?.transformToByteArray()) ?? [])))
  assert.deepEqual([object.ContentType, object.Metadata, object.TagCount], ['text/x', { a: '1' }, 1])
  const rangeAcrossParts = await client.send(
    new GetObjectCommand({ Bucket, Key, Range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` }),
  )
  const bytes = Buffer.from((await rangeAcrossParts.Body?.transformToByteArray()) ?? [])
  assert.ok(bytes.equals(wholeObject.subarray(5 * MIB - 2, 5 * MIB + 2)))
  const part = await client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 2 }))
  assert.equal(part.PartsCount, 3)
  assert.equal(part.ContentRange, `bytes ${5 * MIB}-${10 * MIB + 2}/${wholeObject.length}`)
  assert.ok(secondPart.equals(Buffer.from((await part.Body?.transformToByteArray()) ?? [])))
  const missingPart = client.send(new GetObjectCommand({ Bucket, Key, PartNumber: 4 }))
  assert.equal(await getCallError(missingPart), '416 InvalidPartNumber')
  // The part that was not listed and the first upload of the repeated part were deleted.
  await waitFor(async () => assert.equal((await listBlobFiles(dir)).length, 3))
})

test('completing an S3 multipart upload checks the order, ETags and sizes of the parts', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client)
  const part = await put(client, UploadId, 1, firstPart)
  const two = await put(client, UploadId, 2, lastPart)
  const three = await put(client, UploadId, 3, lastPart)
  const attempt = (parts: object[], options = {}) => getCallError(complete(client, UploadId, parts, options))
  assert.equal(await attempt([]), '400 MalformedXML')
  assert.equal(await attempt([two, part]), '400 InvalidPartOrder')
  assert.equal(await attempt([part, part]), '400 InvalidPartOrder')
  assert.equal(await attempt([{ ...part, ETag: '"other"' }]), '400 InvalidPart')
  assert.equal(await attempt([part, { PartNumber: 5, ETag: '"x"' }]), '400 InvalidPart')
  assert.equal(await attempt([part, two, three]), '400 EntityTooSmall')
  assert.equal(await attempt([part, two], { MpuObjectSize: 1 }), '400 InvalidRequest')
  assert.equal(await attempt([part, two], { UploadId: 'none' }), '404 NoSuchUpload')
  assert.equal(await attempt([part, two], { Key: 'other' }), '404 NoSuchUpload')
  assert.equal(await getCallError(put(client, UploadId, 0, lastPart)), '400 InvalidArgument')
  assert.equal(await getCallError(put(client, UploadId, 10_001, lastPart)), '400 InvalidArgument')
  assert.equal(await attempt([part, two], { MpuObjectSize: firstPart.length + lastPart.length }), 'no error')
})

test('S3 accepts only plain digits as a part number', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client)
  const part = await put(client, UploadId, 1, lastPart)
  for (const number of ['1e0', '01', '+1', ' 1', '1 ', '1.0', '0x1', '']) {
    // The SDK sends any value.
    const PartNumber = number as unknown as number
    const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: lastPart })
    assert.equal(await getCallError(client.send(command)), '400 InvalidArgument', number)
  }
  for (const PartNumber of ['1e0', '01', '+1', '1.0', '0x1', '1 1', ''])
    assert.equal(
      await getCallError(complete(client, UploadId, [{ ...part, PartNumber }])),
      '400 MalformedXML',
      PartNumber,
    )
  assert.equal(await getCallError(complete(client, UploadId, [{ ...part, PartNumber: ' 1 ' }])), 'no error')
})

test('completing an S3 multipart upload again returns the same ETag', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client)
  const part = await put(client, UploadId, 1, lastPart)
  const firstCompletion = await complete(client, UploadId, [part])
  const secondCompletion = await complete(client, UploadId, [part])
  assert.equal(secondCompletion.ETag, firstCompletion.ETag)
  assert.equal(await getCallError(complete(client, UploadId, [{ ...part, ETag: '"x"' }])), '404 NoSuchUpload')
  assert.equal(await getCallError(put(client, UploadId, 2, lastPart)), '404 NoSuchUpload')
  const aborted = client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  assert.equal(await getCallError(aborted), '404 NoSuchUpload')
})

test('an aborted S3 multipart upload leaves no files', async (t) => {
  const { endpoint, dir } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client)
  await put(client, UploadId, 1, lastPart)
  await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  assert.equal(await getCallError(put(client, UploadId, 1, lastPart)), '404 NoSuchUpload')
  assert.equal(
    await getCallError(client.send(new ListPartsCommand({ Bucket, Key, UploadId }))),
    '404 NoSuchUpload',
  )
  assert.equal(await getCallError(client.send(new HeadObjectCommand({ Bucket, Key }))), '404 NotFound')
  await waitFor(async () => assert.equal((await listBlobFiles(dir)).length, 0))
})

test('the parts of an S3 multipart upload are listed in pages', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client)
  for (const number of [2, 10, 3]) await put(client, UploadId, number, Buffer.alloc(number))
  const page = await client.send(new ListPartsCommand({ Bucket, Key, UploadId, MaxParts: 2 }))
  assert.deepEqual(
    page.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size]),
    [
      [2, 2],
      [3, 3],
    ],
  )
  assert.equal(page.IsTruncated, true)
  assert.equal(page.NextPartNumberMarker, '3')
  const secondPage = await client.send(new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker: '3' }))
  assert.deepEqual(
    secondPage.Parts?.map(({ PartNumber }) => PartNumber),
    [10],
  )
  assert.equal(secondPage.IsTruncated, false)
})

test('S3 lists multipart uploads in the order of key and start time, in pages or grouped by prefix', async (t) => {
  const { client } = await startWithBucket(t)
  const ids: string[] = []
  for (const key of ['b/1', 'a', 'b/2', 'a', 'c']) ids.push(await createUpload(client, { Key: key }))
  const list = (options: object) => client.send(new ListMultipartUploadsCommand({ Bucket, ...options }))
  const allUploads = await list({})
  assert.deepEqual(
    allUploads.Uploads?.map(({ Key, UploadId }) => [Key, UploadId]),
    [
      ['a', ids[1]],
      ['a', ids[3]],
      ['b/1', ids[0]],
      ['b/2', ids[2]],
      ['c', ids[4]],
    ],
  )
  const page = await list({ MaxUploads: 1 })
  assert.deepEqual([page.IsTruncated, page.NextKeyMarker, page.NextUploadIdMarker], [true, 'a', ids[1]])
  const nextPage = await list({ KeyMarker: 'a', UploadIdMarker: ids[1], MaxUploads: 1 })
  assert.equal(nextPage.Uploads?.[0]?.UploadId, ids[3])
  const afterKey = await list({ KeyMarker: 'a' })
  assert.deepEqual(
    afterKey.Uploads?.map((upload) => upload.Key),
    ['b/1', 'b/2', 'c'],
  )
  const groupedUploads = await list({ Delimiter: '/' })
  assert.deepEqual(
    groupedUploads.Uploads?.map((upload) => upload.Key),
    ['a', 'a', 'c'],
  )
  assert.deepEqual(groupedUploads.CommonPrefixes, [{ Prefix: 'b/' }])
  assert.deepEqual(
    (await list({ Prefix: 'b/' })).Uploads?.map((upload) => upload.Key),
    ['b/1', 'b/2'],
  )
})

test('an S3 part can be copied from another object or from a range of another object', async (t) => {
  const { client } = await startWithBucket(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'source', Body: wholeObject }))
  const UploadId = await createUpload(client)
  const copy = (PartNumber: number, CopySourceRange?: string) =>
    client.send(
      new UploadPartCopyCommand({
        Bucket,
        Key,
        UploadId,
        PartNumber,
        CopySource: 'box/source',
        CopySourceRange,
      }),
    )
  assert.equal(await getCallError(copy(1, 'bytes=0-')), '400 InvalidArgument')
  assert.equal(await getCallError(copy(1, 'bytes=5-2')), '400 InvalidArgument')
  assert.equal(await getCallError(copy(1, `bytes=0-${wholeObject.length}`)), '400 InvalidArgument')
  const copiedPart = await copy(1)
  const two = await copy(2, 'bytes=1-3')
  const parts = [copiedPart, two].map(({ CopyPartResult }, index) => ({
    ...CopyPartResult,
    PartNumber: index + 1,
  }))
  await complete(client, UploadId, parts)
  const object = await client.send(new GetObjectCommand({ Bucket, Key }))
  const expectedBytes = Buffer.concat([wholeObject, wholeObject.subarray(1, 4)])
  assert.ok(expectedBytes.equals(Buffer.from((await object.Body?.transformToByteArray()) ?? [])))
})

test('completing an S3 multipart upload respects If-None-Match', async (t) => {
  const { client } = await startWithBucket(t)
  const uploads = [await createUpload(client), await createUpload(client)]
  const results = await Promise.all(
    uploads.map(async (UploadId) => {
      const part = await put(client, UploadId, 1, lastPart)
      return await getCallError(complete(client, UploadId, [part], { IfNoneMatch: '*' }))
    }),
  )
  assert.deepEqual(results.sort(), ['412 PreconditionFailed', 'no error'])
})

test('the AWS SDK uploads a stream of unknown length to S3', async (t) => {
  const { client } = await startWithBucket(t)
  const pieces = Array.from({ length: 11 }, (_, index) => Buffer.alloc(MIB, index))
  await new Upload({ client, params: { Bucket, Key, Body: Readable.from(pieces) } }).done()
  const object = await client.send(new GetObjectCommand({ Bucket, Key }))
  assert.ok(Buffer.concat(pieces).equals(Buffer.from((await object.Body?.transformToByteArray()) ?? [])))
})

test('an S3 part can be uploaded to a presigned URL', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createClientWithoutChecksums(endpoint)
  const UploadId = await createUpload(client)
  const url = await getSignedUrl(client, new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1 }))
  const sentPart = await send(url, { method: 'PUT', body: lastPart })
  const completedUpload = await complete(client, UploadId, [{ PartNumber: 1, ETag: sentPart.headers.etag }])
  assert.match(completedUpload.ETag ?? '', /-1"$/)
})
