import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { Bucket, getCallError, listBlobFiles, startWithBucket } from './start-s3.ts'

test('S3 reads return 304 or 412 if their conditions are not met', async (t) => {
  const { client } = await startWithBucket(t)
  const { ETag = '' } = await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  const past = new Date(Date.now() - 3_600_000)
  const future = new Date(Date.now() + 3_600_000)
  const get = async (condition: object) => {
    const object = client.send(new GetObjectCommand({ Bucket, Key: 'k', ...condition }))
    return await getCallError(object)
  }
  assert.equal(await get({ IfMatch: ETag }), 'no error')
  assert.equal(await get({ IfMatch: '"other"' }), '412 PreconditionFailed')
  assert.match(await get({ IfNoneMatch: ETag }), /^304/)
  assert.equal(await get({ IfNoneMatch: '"other"' }), 'no error')
  assert.match(await get({ IfModifiedSince: future }), /^304/)
  assert.equal(await get({ IfModifiedSince: past }), 'no error')
  assert.equal(await get({ IfUnmodifiedSince: past }), '412 PreconditionFailed')
  assert.equal(await get({ IfUnmodifiedSince: future }), 'no error')
  assert.equal(await get({ IfMatch: ETag, IfUnmodifiedSince: past }), 'no error')
  assert.match(await get({ IfNoneMatch: ETag, IfModifiedSince: past }), /^304/)
  const { LastModified } = await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))
  assert.match(await get({ IfModifiedSince: LastModified }), /^304/)
})

test('exactly one of several concurrent S3 writes with If-None-Match succeeds', async (t) => {
  const { client, dir } = await startWithBucket(t)
  const concurrentPuts = Array.from({ length: 20 }, (_, index) =>
    getCallError(client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: `${index}`, IfNoneMatch: '*' }))),
  )
  const results = await Promise.all(concurrentPuts)
  assert.equal(results.filter((result) => result === 'no error').length, 1)
  assert.equal(results.filter((result) => result === '412 PreconditionFailed').length, 19)
  assert.equal((await listBlobFiles(dir)).length, 1)
})

test('exactly one of several concurrent S3 writes with the same If-Match succeeds', async (t) => {
  const { client } = await startWithBucket(t)
  const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'first' }))
  const concurrentPuts = Array.from({ length: 20 }, (_, index) =>
    getCallError(client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: `${index}`, IfMatch: ETag }))),
  )
  assert.equal((await Promise.all(concurrentPuts)).filter((outcome) => outcome === 'no error').length, 1)
  const put = (extra: object, Key = 'k') =>
    getCallError(client.send(new PutObjectCommand({ Bucket, Key, ...extra })))
  assert.equal(await put({ IfMatch: ETag }), '412 PreconditionFailed')
  assert.equal(await put({ IfMatch: ETag }, 'none'), '404 NoSuchKey')
  assert.equal(await put({ IfNoneMatch: '"etag"' }), '501 NotImplemented')
})

test('S3 DeleteObject honors If-Match', async (t) => {
  const { client } = await startWithBucket(t)
  const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  const remove = (IfMatch: string | undefined, Key = 'k') =>
    getCallError(client.send(new DeleteObjectCommand({ Bucket, Key, IfMatch })))
  assert.equal(await remove('"other"'), '412 PreconditionFailed')
  assert.equal(await remove(ETag, 'none'), '404 NoSuchKey')
  const deletionBySize = client.send(new DeleteObjectCommand({ Bucket, Key: 'k', IfMatchSize: 1 }))
  assert.equal(await getCallError(deletionBySize), '501 NotImplemented')
  assert.equal(await remove(ETag), 'no error')
  assert.equal(await getCallError(client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))), '404 NotFound')
  assert.equal(await getCallError(client.send(new DeleteObjectCommand({ Bucket, Key: 'k' }))), 'no error')
})
