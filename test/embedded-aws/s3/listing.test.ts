import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import { Bucket, getCallError, startWithBucket } from './start-s3.ts'

async function putKeys(client: S3Client, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((Key) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))))
}

test('S3 lists keys in the order of their UTF-8 bytes', async (t) => {
  const { client } = await startWithBucket(t)
  // U+FF5E sorts after U+1F600 in UTF-16 and before it in UTF-8.
  const keys = ['a', 'B', 'é', '～', '😀', 'a/b', 'a b', 'Z', '_', '0']
  await putKeys(client, keys)
  const listedObjects = await client.send(new ListObjectsV2Command({ Bucket }))
  const expectedKeys = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  assert.deepEqual(
    listedObjects.Contents?.map(({ Key }) => Key),
    expectedKeys,
  )
})

test('pages of an S3 listing have no gaps and no repetitions', async (t) => {
  const { client } = await startWithBucket(t)
  const keys = Array.from({ length: 25 }, (_, index) => `k${`${index}`.padStart(2, '0')}`)
  await putKeys(client, keys)
  const seenKeys: (string | undefined)[] = []
  const sizes: (number | undefined)[] = []
  for await (const page of paginateListObjectsV2({ client, pageSize: 10 }, { Bucket })) {
    seenKeys.push(...(page.Contents ?? []).map(({ Key }) => Key))
    sizes.push(page.KeyCount)
  }
  assert.deepEqual(seenKeys, keys)
  assert.deepEqual(sizes, [10, 10, 5])
  const exactPage = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 25 }))
  assert.equal(exactPage.IsTruncated, false)
  const emptyPage = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }))
  assert.deepEqual([emptyPage.KeyCount, emptyPage.IsTruncated], [0, false])
  const cappedPage = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 5000 }))
  assert.equal(cappedPage.MaxKeys, 1000)
  const afterPage = await client.send(new ListObjectsV2Command({ Bucket, StartAfter: 'k22' }))
  assert.deepEqual(
    afterPage.Contents?.map(({ Key }) => Key),
    ['k23', 'k24'],
  )
  assert.equal(afterPage.StartAfter, 'k22')
  const emptyTokenPage = await client.send(new ListObjectsV2Command({ Bucket, ContinuationToken: '' }))
  assert.equal(emptyTokenPage.KeyCount, 25)
})

test('the delimiter of an S3 listing groups keys, and each group counts as an entry of the page', async (t) => {
  const { client } = await startWithBucket(t)
  await putKeys(client, ['a', 'b/1', 'b/2', 'b/c/3', 'd/', 'd/4', 'e'])
  const list = (options: object) => client.send(new ListObjectsV2Command({ Bucket, ...options }))
  const listNames = async (options: object) => {
    const page = await list(options)
    return [
      page.Contents?.map(({ Key }) => Key) ?? [],
      page.CommonPrefixes?.map(({ Prefix }) => Prefix) ?? [],
    ]
  }
  assert.deepEqual(await listNames({ Delimiter: '/' }), [
    ['a', 'e'],
    ['b/', 'd/'],
  ])
  assert.deepEqual(await listNames({ Delimiter: '/', Prefix: 'b/' }), [['b/1', 'b/2'], ['b/c/']])
  assert.deepEqual(await listNames({ Delimiter: '/', Prefix: 'd' }), [[], ['d/']])
  assert.deepEqual(await listNames({ Delimiter: '/', Prefix: 'd/' }), [['d/', 'd/4'], []])
  assert.deepEqual(await listNames({ Delimiter: 'c/' }), [['a', 'b/1', 'b/2', 'd/', 'd/4', 'e'], ['b/c/']])
  assert.deepEqual(await listNames({ Prefix: 'none' }), [[], []])
  assert.deepEqual(await listNames({ Delimiter: '/', StartAfter: 'b/1' }), [['e'], ['d/']])
  const pages: unknown[] = []
  for await (const page of paginateListObjectsV2({ client, pageSize: 1 }, { Bucket, Delimiter: '/' }))
    pages.push(page.Contents?.[0]?.Key ?? page.CommonPrefixes?.[0]?.Prefix)
  assert.deepEqual(pages, ['a', 'b/', 'd/', 'e'])
})

test('S3 ListObjects version 1 continues a listing after the marker', async (t) => {
  const { client } = await startWithBucket(t)
  await putKeys(client, ['a', 'b/1', 'b/2', 'c', 'd'])
  const list = (options: object) => client.send(new ListObjectsCommand({ Bucket, ...options }))
  const firstPage = await list({ MaxKeys: 2 })
  assert.deepEqual(
    firstPage.Contents?.map(({ Key }) => Key),
    ['a', 'b/1'],
  )
  assert.deepEqual([firstPage.IsTruncated, firstPage.NextMarker], [true, undefined])
  assert.ok(firstPage.Contents?.[0]?.Owner?.ID)
  const groupedPage = await list({ MaxKeys: 2, Delimiter: '/' })
  assert.equal(groupedPage.NextMarker, 'b/')
  const secondPage = await list({ Marker: 'b/', Delimiter: '/' })
  assert.deepEqual(
    secondPage.Contents?.map(({ Key }) => Key),
    ['c', 'd'],
  )
  assert.equal(secondPage.CommonPrefixes, undefined)
})

test('S3 percent-encodes listed keys on request', async (t) => {
  const { client } = await startWithBucket(t)
  await putKeys(client, ['foo+1/bar', 'foo/bar/xyz', 'quux ab/thud', 'asdf+b', 'a\u0001'])
  const page = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: '/', EncodingType: 'url' }))
  assert.deepEqual(
    page.Contents?.map(({ Key }) => Key),
    ['a%01', 'asdf%2Bb'],
  )
  assert.deepEqual(
    page.CommonPrefixes?.map(({ Prefix }) => Prefix),
    ['foo%2B1/', 'foo/', 'quux%20ab/'],
  )
  assert.equal(page.EncodingType, 'url')
})

test('S3 refuses invalid listing parameters', async (t) => {
  const { client } = await startWithBucket(t)
  const list = (options: object) =>
    getCallError(client.send(new ListObjectsV2Command({ Bucket, ...options })))
  assert.equal(await list({ MaxKeys: -1 }), '400 InvalidArgument')
  assert.equal(await list({ MaxKeys: 'many' }), '400 InvalidArgument')
  assert.equal(await list({ ContinuationToken: '@@' }), '400 InvalidArgument')
  assert.equal(await list({ EncodingType: 'morse' }), '400 InvalidArgument')
  assert.equal(await list({ Bucket: 'nobox' }), '404 NoSuchBucket')
})
