import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import {
  complete,
  createClientWithoutChecksums,
  createUpload,
  firstPart,
  Key,
  lastPart,
  put,
} from './multipart-steps.ts'
import { Bucket, getCallError, startWithBucket } from './start-s3.ts'

test('S3 combines the checksums of parts into a composite or full-object checksum', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const kinds = [
    ['CRC32', 'COMPOSITE'],
    ['CRC32', 'FULL_OBJECT'],
    ['CRC32C', 'COMPOSITE'],
    ['CRC32C', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT'],
    ['SHA1', 'COMPOSITE'],
    ['SHA256', 'COMPOSITE'],
  ] as const
  for (const [ChecksumAlgorithm, ChecksumType] of kinds) {
    const UploadId = await createUpload(client, { ChecksumAlgorithm, ChecksumType })
    // Without its native addon the SDK computes no CRC64NVME; then the server does.
    const sender = ChecksumAlgorithm === 'CRC64NVME' ? createClientWithoutChecksums(endpoint) : client
    const options = ChecksumAlgorithm === 'CRC64NVME' ? {} : { ChecksumAlgorithm }
    const parts = [
      await put(sender, UploadId, 1, firstPart, options),
      await put(sender, UploadId, 2, lastPart, options),
    ]
    const field = `Checksum${ChecksumAlgorithm}` as const
    const completedUpload = await complete(client, UploadId, parts)
    assert.equal(completedUpload.ChecksumType, ChecksumType)
    const single = await createClientWithoutChecksums(endpoint).send(
      new PutObjectCommand({ Bucket, Key: 'single', Body: Buffer.concat([firstPart, lastPart]), ...options }),
    )
    if (ChecksumType === 'FULL_OBJECT') assert.equal(completedUpload[field], single[field], ChecksumAlgorithm)
    else assert.match(completedUpload[field] ?? '', /^[A-Za-z0-9+/]+=*-2$/)
    const head = await client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    assert.equal(head[field], completedUpload[field])
    const secondHead = await client.send(
      new HeadObjectCommand({ Bucket, Key, PartNumber: 2, ChecksumMode: 'ENABLED' }),
    )
    assert.equal(secondHead.PartsCount, 2)
    assert.equal(secondHead.ContentLength, lastPart.length)
    if (parts[1]?.[field]) assert.equal(secondHead[field], parts[1][field])
  }
})

test('completing an S3 multipart upload verifies the checksum of the whole object', async (t) => {
  const { client } = await startWithBucket(t)
  const options = { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }
  const UploadId = await createUpload(client, options)
  const part = await put(client, UploadId, 1, lastPart, options)
  const attempt = (checksum: object) => getCallError(complete(client, UploadId, [part], checksum))
  assert.equal(await attempt({ ChecksumCRC32: 'AAAAAA==' }), '400 BadDigest')
  assert.equal(await attempt({ ChecksumType: 'COMPOSITE' }), '400 InvalidRequest')
  assert.equal(await attempt({ ChecksumCRC32: part.ChecksumCRC32, ChecksumType: 'FULL_OBJECT' }), 'no error')
})

test('an S3 part whose checksum algorithm differs from that of its upload is refused', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const UploadId = await createUpload(client, { ChecksumAlgorithm: 'SHA256' })
  assert.equal(
    await getCallError(put(client, UploadId, 1, lastPart, { ChecksumAlgorithm: 'CRC32' })),
    '400 InvalidRequest',
  )
  assert.equal(
    await getCallError(put(createClientWithoutChecksums(endpoint), UploadId, 1, lastPart)),
    '400 InvalidRequest',
  )
  const part = await put(client, UploadId, 1, lastPart, { ChecksumAlgorithm: 'SHA256' })
  assert.equal(
    await getCallError(complete(client, UploadId, [{ PartNumber: 1, ETag: part.ETag }])),
    '400 InvalidRequest',
  )
  assert.equal(
    await getCallError(complete(client, UploadId, [{ ...part, ChecksumSHA256: 'x' }])),
    '400 InvalidPart',
  )
  assert.equal(await getCallError(complete(client, UploadId, [part])), 'no error')
  assert.equal(
    await getCallError(createUpload(client, { ChecksumAlgorithm: 'SHA256', ChecksumType: 'FULL_OBJECT' })),
    '400 InvalidRequest',
  )
})
