import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { GetObjectCommand, ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { openBucketClients } from '../../lib/aws/bucket-clients.ts'
import { copyInParts } from '../../lib/aws/copy-object.ts'
import { readConfig } from '../../lib/config.ts'
import { s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'

test('an object is copied in parts if its ETag matches; otherwise the copy fails and leaves no parts behind', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const clients = {
    ...(await openBucketClients(readConfig({ ...credentials, AWS_ENDPOINT_URL_S3: endpoint }))),
    s3: client,
  }
  const bytes = randomBytes(11 * 1024 ** 2)
  const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: 'from', Body: bytes }))
  const multipartOptions = { size: bytes.length, partBytes: 5 * 1024 ** 2, contentType: 'image/png' }
  const copy = (to: string, etag = ETag) =>
    copyInParts(clients, { bucket: Bucket, from: 'from', to, etag }, multipartOptions)
  const etag = await copy('to')
  const storedObject = await client.send(new GetObjectCommand({ Bucket, Key: 'to' }))
  assert.deepEqual([storedObject.ETag, storedObject.ContentType], [etag, 'image/png'])
  assert.ok(bytes.equals((await storedObject.Body?.transformToByteArray()) ?? Buffer.alloc(0)))
  await assert.rejects(copy('other', '"of other bytes"'), { name: 'PreconditionFailed' })
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  assert.deepEqual(Uploads, [])
})

const credentials = {
  AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
}
