import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import {
  type Algorithm,
  algorithmNames,
  joinChecksums,
  startChecksum,
} from '../../../lib/embedded-aws/s3/checksums.ts'
import { Bucket, createS3Client, getCallError, send, startWithBucket } from './start-s3.ts'

function checksum(algorithm: Algorithm, ...chunks: Buffer[]): Buffer {
  const runningChecksum = startChecksum(algorithm)
  for (const chunk of chunks) runningChecksum.update(chunk)
  return runningChecksum.digest()
}

test('each S3 checksum algorithm gives its published check value for 123456789', () => {
  const values = {
    CRC32: 'cbf43926',
    CRC32C: 'e3069283',
    CRC64NVME: 'ae8b14860a799888',
    SHA1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
    SHA256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
  }
  for (const name of algorithmNames)
    assert.equal(checksum(name, Buffer.from('123456789')).toString('hex'), values[name])
})

test('an S3 checksum does not depend on how the body is split into chunks', () => {
  const bytes = randomBytes(1000)
  for (const name of algorithmNames)
    for (const truncatedLength of [0, 1, 7, 8, 9, 500, 993])
      assert.deepEqual(
        checksum(name, bytes.subarray(0, truncatedLength), bytes.subarray(truncatedLength)),
        checksum(name, bytes),
      )
})

test('the CRCs of S3 parts combine to the CRC of the whole object', () => {
  const pieces = [randomBytes(1000), randomBytes(1), Buffer.alloc(0), randomBytes(77_777)]
  for (const name of ['CRC32', 'CRC32C', 'CRC64NVME'] as const) {
    const parts = pieces.map((piece) => ({
      checksum: checksum(name, piece).toString('base64'),
      size: piece.length,
    }))
    const joinedChecksum = joinChecksums(name, 'FULL_OBJECT', parts)
    assert.equal(joinedChecksum.value, checksum(name, ...pieces).toString('base64'))
  }
})

test('S3 adds a CRC64NVME checksum to an upload without a checksum', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createS3Client(endpoint, {
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const put = await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: '123456789' }))
  assert.deepEqual([put.ChecksumCRC64NVME, put.ChecksumType], ['rosUhgp5mIg=', 'FULL_OBJECT'])
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }))
  assert.equal(head.ChecksumCRC64NVME, 'rosUhgp5mIg=')
  assert.equal((await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).ChecksumCRC64NVME, undefined)
  const range = await client.send(
    new GetObjectCommand({ Bucket, Key: 'k', Range: 'bytes=0-1', ChecksumMode: 'ENABLED' }),
  )
  assert.equal(range.ChecksumCRC64NVME, undefined)
})

test('an S3 upload with a wrong checksum is refused and keeps the old object', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createS3Client(endpoint, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'old' }))
  const put = (options: object) =>
    getCallError(client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'new', ...options })))
  for (const name of algorithmNames) {
    const validChecksum = checksum(name, Buffer.from('other')).toString('base64')
    assert.equal(await put({ [`Checksum${name}`]: validChecksum }), '400 BadDigest', name)
    assert.equal(await put({ [`Checksum${name}`]: 'AAA=' }), '400 InvalidRequest', name)
  }
  assert.equal(await put({ ContentMD5: createHash('md5').update('other').digest('base64') }), '400 BadDigest')
  assert.equal(await put({ ContentMD5: 'short' }), '400 InvalidDigest')
  const two = { ChecksumCRC32: 'AAAAAA==', ChecksumSHA1: 'qZk+NkcGgWq6PiVxeFDCbJzQ2J0=' }
  assert.equal(await put(two), '400 InvalidRequest')
  const object = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }))
  assert.equal(await object.Body?.transformToString(), 'old')
  for (const name of algorithmNames) {
    const value = checksum(name, Buffer.from('new')).toString('base64')
    assert.equal(await put({ [`Checksum${name}`]: value }), 'no error', name)
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }))
    assert.equal(head[`Checksum${name}`], value)
  }
  assert.equal(await put({ ContentMD5: createHash('md5').update('new').digest('base64') }), 'no error')
})

test('an S3 upload that lacks the checksum it declares, or names an unknown checksum algorithm, is refused', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const client = createS3Client(endpoint, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  const sign = (headers: Record<string, string>) => {
    const command = new PutObjectCommand({ Bucket, Key: 'k' })
    command.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { headers: object }).headers, headers)
        return next(args)
      },
      { step: 'build' },
    )
    return getSignedUrl(client, command)
  }
  const put = async (headers: Record<string, string>) =>
    (await send(await sign(headers), { method: 'PUT', body: 'x' })).code
  assert.equal(await put({ 'x-amz-sdk-checksum-algorithm': 'SHA256' }), 'InvalidRequest')
  assert.equal(await put({ 'x-amz-checksum-crc16': 'AAA=' }), 'InvalidRequest')
  const crc = Buffer.alloc(4)
  crc.writeUInt32BE(crc32('x'))
  const sentHeaders = { 'x-amz-checksum-crc32': crc.toString('base64') }
  assert.equal(await put({ ...sentHeaders, 'x-amz-sdk-checksum-algorithm': 'SHA256' }), 'InvalidRequest')
  assert.equal(await put({ ...sentHeaders, 'x-amz-sdk-checksum-algorithm': 'CRC32' }), undefined)
})
