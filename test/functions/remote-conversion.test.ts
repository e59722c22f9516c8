import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'

const png = Buffer.from(await readFile(new URL('../fixtures/corners.png', import.meta.url)))
const files = createServer((_, response) => response.setHeader('content-type', 'image/png').end(png))

let service: TestService
let client: Client
let url: string
before(async () => {
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/photos/garden.png`
  service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32' })
  client = new Client(service)
})
after(async () => {
  await service.stop()
  files.close()
})

const createBucketAccess = (endpoint: string) => ({
  bucket: Bucket,
  region,
  endpoint,
  access_key_id: s3Credentials.accessKeyId,
  secret_access_key: s3Credentials.secretAccessKey,
})

test('exportMethod, exportPath and exportConfig store the result under a name made from the template', async (t) => {
  const s3 = await startWithBucket(t)
  const job = await client.accepted(
    await client.convert(
      { name: 'corners.png', bytes: png },
      {
        targetFormat: 'webp',
        exportMethod: 's3',
        exportPath: 'results/{jobId}/{name}.{ext}',
        exportConfig: JSON.stringify(createBucketAccess(s3.endpoint)),
      },
    ),
  )
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket }))
  const Key = `results/${job.jobId}/corners.webp`
  assert.deepEqual(
    Contents.map((object) => object.Key),
    [Key],
  )
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket, Key }))
  assert.deepEqual(Buffer.from((await Body?.transformToByteArray()) ?? []), await client.download(job.jobId))
})

/** Runs a job that converts the file of this import, and returns the name and the format of the result. */
async function convertImport(operation: object) {
  const tasks = {
    in: operation,
    jpg: { operation: 'convert', input: 'in', output_format: 'jpg' },
    out: { operation: 'export/url', input: 'jpg' },
  }
  const job = await client.accepted(await client.post('/v1/jobs', { tasks }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const { format } = await sharp(await client.download(job.jobId)).metadata()
  return [job.result?.filename, format]
}

test('import/url fetches a file and names it after its URL or the filename field', async () => {
  assert.deepEqual(await convertImport({ operation: 'import/url', url }), ['garden.jpg', 'jpeg'])
  const renamedFile = { operation: 'import/url', url, filename: 'tree.png' }
  assert.deepEqual(await convertImport(renamedFile), ['tree.jpg', 'jpeg'])
})

test('import/s3 fetches a file from a bucket', async (t) => {
  const s3 = await startWithBucket(t)
  await s3.client.send(new PutObjectCommand({ Bucket, Key: 'photos/pond.png', Body: png }))
  const operation = { operation: 'import/s3', ...createBucketAccess(s3.endpoint), key: 'photos/pond.png' }
  assert.deepEqual(await convertImport(operation), ['pond.jpg', 'jpeg'])
})
