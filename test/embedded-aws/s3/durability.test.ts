import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { waitUntil } from '../../support/wait-until.ts'
import { runS3KillRounds } from './kill-rounds.ts'
import { Bucket, createS3Client, getCallError, listBlobFiles, startS3, startWithBucket } from './start-s3.ts'

test('acknowledged S3 changes survive SIGKILL, and none is incomplete', { timeout: 120_000 }, async () => {
  const { acknowledged } = await runS3KillRounds(5)
  assert.ok(acknowledged > 0)
})

test('S3 objects and multipart uploads survive a restart', async (t) => {
  const firstServer = await startWithBucket(t)
  await firstServer.client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  const { UploadId } = await firstServer.client.send(
    new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }),
  )
  const part = await firstServer.client.send(
    new UploadPartCommand({ Bucket, Key: 'parts', UploadId, PartNumber: 1, Body: 'y' }),
  )
  await firstServer.stop()
  const { client } = await startS3(t, { dir: firstServer.dir })
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }]
  await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key: 'parts', UploadId, MultipartUpload: { Parts } }),
  )
  for (const [Key, content] of [
    ['k', 'x'],
    ['parts', 'y'],
  ] as const) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    assert.equal(await Body?.transformToString(), content)
  }
})

test('files that no object refers to are deleted when S3 starts', async (t) => {
  const firstServer = await startWithBucket(t)
  await firstServer.client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  await firstServer.stop()
  const [blobFile] = await listBlobFiles(firstServer.dir)
  await writeFile(join(firstServer.dir, 'blobs', '00', 'f'.repeat(32)), 'orphan')
  await writeFile(join(firstServer.dir, 'blobs', 'ff', 'stray.tmp'), 'orphan')
  await startS3(t, { dir: firstServer.dir })
  assert.deepEqual(await listBlobFiles(firstServer.dir), [blobFile])
})

test('a second S3 server on the same folder is refused', async (t) => {
  const { dir } = await startWithBucket(t)
  await assert.rejects(startS3(t, { dir }), /Expected to be the only S3 server on the folder/)
})

test('an interrupted S3 upload leaves no file behind', async (t) => {
  const { endpoint, dir } = await startWithBucket(t)
  const client = createS3Client(endpoint, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'k' }))
  const upload = request(url, { method: 'PUT', headers: { 'content-length': '1000000' } })
  upload.on('error', () => undefined)
  t.after(() => void upload.destroy())
  upload.write(Buffer.alloc(500_000))
  const hasArrived = async () => (await listBlobFiles(dir)).length > 0
  await waitUntil(hasArrived, 'the bytes of the upload are there')
  upload.destroy()
  await waitUntil(async () => !(await hasArrived()), 'they are gone')
  assert.equal(await getCallError(client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))), '404 NotFound')
})
