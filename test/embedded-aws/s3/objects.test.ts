import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectTaggingCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Bucket, getCallError, send, startWithBucket } from './start-s3.ts'

const UNUSUAL_KEYS = [
  'plain',
  'a b',
  'a+b',
  '../../up',
  'in/../side',
  '.',
  '..',
  './x',
  'x//y',
  '/lead',
  'trail/',
  '//',
  'é😀日本',
  'q?#&=%',
  "~*()!'",
  'new\nline',
  'tab\tcr\r',
  'back\\slash',
  '%41%2F',
  '<xml>&"',
  'x.meta.json',
  'x',
  'k'.repeat(1024),
  `${'s'.repeat(300)}/${'t'.repeat(300)}`,
]

test('S3 stores objects with unusual keys separately, and no key becomes a file name in the data folder', async (t) => {
  const { client, dir } = await startWithBucket(t)
  for (const Key of UNUSUAL_KEYS) await client.send(new PutObjectCommand({ Bucket, Key, Body: `of ${Key}` }))
  for (const Key of UNUSUAL_KEYS) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
    assert.equal(await Body?.transformToString(), `of ${Key}`)
    await client.send(
      new CopyObjectCommand({
        Bucket,
        Key: `c${Key}`.slice(0, 1024),
        CopySource: encodeURIComponent(`box/${Key}`),
      }),
    )
  }
  const listedObjects = await client.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }))
  const names = listedObjects.Contents?.map(({ Key = '' }) => decodeURIComponent(Key)) ?? []
  for (const key of UNUSUAL_KEYS) assert.ok(names.includes(key), JSON.stringify(key))
  for (const Key of UNUSUAL_KEYS) await client.send(new DeleteObjectCommand({ Bucket, Key }))
  const entries = await readdir(dir, { recursive: true })
  for (const entry of entries)
    assert.match(entry, /^(blobs(\/[0-9a-f]{2}(\/[0-9a-f]{32})?)?|lock\.sqlite.*|objects\.sqlite.*)$/)
})

test('S3 lists keys with control characters as character references', async (t) => {
  const { client } = await startWithBucket(t)
  const keys = ['a\rb', 'a\nb', 'a\tb', 'a\u0001b']
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key }))
  const listedReply = await send(await getSignedUrl(client, new ListObjectsV2Command({ Bucket })))
  for (const reference of ['a&#xd;b', 'a&#xa;b', 'a&#x9;b', 'a&#x1;b'])
    assert.ok(listedReply.body.includes(reference))
})

test('S3 refuses a key of more than 1024 bytes', async (t) => {
  const { client } = await startWithBucket(t)
  const put = client.send(new PutObjectCommand({ Bucket, Key: 'é'.repeat(513) }))
  assert.equal(await getCallError(put), '400 KeyTooLongError')
})

test('S3 returns object headers unchanged, MIME-encodes non-ASCII metadata and refuses metadata over 2 KB', async (t) => {
  const { client } = await startWithBucket(t)
  await client.send(
    new PutObjectCommand({
      Bucket,
      Key: 'k',
      Body: 'text',
      ContentType: 'text/plain; charset=utf-8',
      CacheControl: 'max-age=5',
      ContentDisposition: 'attachment; filename="a.txt"',
      ContentEncoding: 'identity',
      ContentLanguage: 'de',
      Expires: new Date('2030-01-01T00:00:00Z'),
      Metadata: { one: '1', spaced: 'a  b', accent: 'ÄMÄZÕÑ S3' },
    }),
  )
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))
  assert.equal(head.ContentType, 'text/plain; charset=utf-8')
  assert.equal(head.CacheControl, 'max-age=5')
  assert.equal(head.ContentDisposition, 'attachment; filename="a.txt"')
  assert.equal(head.ContentEncoding, 'identity')
  assert.equal(head.ContentLanguage, 'de')
  assert.equal(head.ExpiresString, 'Tue, 01 Jan 2030 00:00:00 GMT')
  // The example of the S3 user guide: each UTF-8 byte counts as a separate character.
  const accent = '=?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?='
  assert.deepEqual(head.Metadata, { one: '1', spaced: 'a  b', accent })
  assert.equal(head.ContentLength, 4)
  const put = client.send(new PutObjectCommand({ Bucket, Key: 'k', Metadata: { big: 'x'.repeat(2048) } }))
  assert.equal(await getCallError(put), '400 MetadataTooLarge')
})

test('S3 accepts and returns AES256 encryption, and rejects encryption with KMS keys', async (t) => {
  const { client } = await startWithBucket(t)
  const sse = { ServerSideEncryption: 'AES256' } as const
  const put = await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ...sse }))
  const copy = await client.send(
    new CopyObjectCommand({
      Bucket,
      Key: 'copy',
      CopySource: `${Bucket}/k`,
      MetadataDirective: 'REPLACE',
      ...sse,
    }),
  )
  const { UploadId, ...created } = await client.send(
    new CreateMultipartUploadCommand({ Bucket, Key: 'parts', ...sse }),
  )
  const part = await client.send(
    new UploadPartCommand({ Bucket, Key: 'parts', UploadId, PartNumber: 1, Body: 'y' }),
  )
  const Parts = [{ PartNumber: 1, ETag: part.ETag }]
  const completedUpload = await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key: 'parts', UploadId, MultipartUpload: { Parts } }),
  )
  const heads = ['k', 'copy', 'parts'].map((Key) => client.send(new HeadObjectCommand({ Bucket, Key })))
  for (const response of [put, copy, created, part, completedUpload, ...(await Promise.all(heads))])
    assert.equal(response.ServerSideEncryption, 'AES256')
  const kmsPut = client.send(new PutObjectCommand({ Bucket, Key: 'k', ServerSideEncryption: 'aws:kms' }))
  assert.equal(await getCallError(kmsPut), '501 NotImplemented')
})

test('an empty S3 object without a content type is stored as binary/octet-stream', async (t) => {
  const { client } = await startWithBucket(t)
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'k' }), {
    unsignableHeaders: new Set(['content-type']),
  })
  assert.equal(
    (
      await send(url.replace(/x-amz-checksum-crc32=[^&]*&|x-amz-sdk-checksum-algorithm=[^&]*&/g, ''), {
        method: 'PUT',
        headers: { 'content-length': '0' },
      })
    ).code,
    'SignatureDoesNotMatch',
  )
  assert.equal((await send(url, { method: 'PUT', headers: { 'content-length': '0' } })).status, 200)
  const object = await client.send(new GetObjectCommand({ Bucket, Key: 'k' }))
  assert.equal(object.ContentType, 'binary/octet-stream')
  assert.equal(object.ContentLength, 0)
  assert.equal(await object.Body?.transformToString(), '')
  assert.equal(object.ETag, '"d41d8cd98f00b204e9800998ecf8427e"')
})

test('S3 DeleteObjects reports each deleted or failed object, but no deleted objects in quiet mode', async (t) => {
  const { client } = await startWithBucket(t)
  const keys = Array.from({ length: 25 }, (_, index) => `k${index}`)
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }))
  const Objects = [
    ...keys.slice(0, 20).map((Key) => ({ Key })),
    { Key: 'missing' },
    { Key: 'k20', ETag: '"other"' },
  ]
  const firstDeletion = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
  assert.equal(firstDeletion.Deleted?.length, 21)
  assert.deepEqual(
    firstDeletion.Errors?.map(({ Key, Code }) => [Key, Code]),
    [['k20', 'PreconditionFailed']],
  )
  const remainingKeys = keys.slice(20).map((Key) => ({ Key, VersionId: 'null' }))
  const secondDeletion = await client.send(
    new DeleteObjectsCommand({ Bucket, Delete: { Objects: remainingKeys, Quiet: true } }),
  )
  assert.equal(secondDeletion.Deleted, undefined)
  assert.equal((await client.send(new ListObjectsV2Command({ Bucket }))).KeyCount, 0)
  const tooMany = Array.from({ length: 1001 }, (_, index) => ({ Key: `${index}` }))
  const call = client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: tooMany } }))
  assert.equal(await getCallError(call), '400 MalformedXML')
})

test('a copied S3 object shares its file data with the source and stays readable after the source is deleted', async (t) => {
  const { client, dir } = await startWithBucket(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'from', Body: 'abc' }))
  const copy = (Key: string, options: object = {}) =>
    client.send(new CopyObjectCommand({ Bucket, Key, CopySource: 'box/from', ...options }))
  const countFiles = async () => {
    const entries = await readdir(join(dir, 'blobs'), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const inodes = files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).ino)
    return { files: files.length, inodes: new Set(await Promise.all(inodes)).size }
  }
  await copy('one')
  assert.deepEqual(await countFiles(), { files: 2, inodes: 1 })
  await copy('two', { ChecksumAlgorithm: 'SHA256' })
  assert.deepEqual(await countFiles(), { files: 3, inodes: 2 }, 'another checksum is computed')
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'from' }))
  const copiedObject = await client.send(new GetObjectCommand({ Bucket, Key: 'one' }))
  assert.equal(await copiedObject.Body?.transformToString(), 'abc')
})

test('copying an S3 object keeps or replaces headers and tags, and checks conditions on the source', async (t) => {
  const { client } = await startWithBucket(t)
  const { ETag } = await client.send(
    new PutObjectCommand({
      Bucket,
      Key: 'from me',
      Body: 'abc',
      ContentType: 'text/x',
      Metadata: { a: '1' },
      Tagging: 't=1',
    }),
  )
  const CopySource = 'box/from%20me'
  const copy = (options: object) =>
    client.send(new CopyObjectCommand({ Bucket, Key: 'to', CopySource, ...options }))
  const head = () => client.send(new HeadObjectCommand({ Bucket, Key: 'to' }))
  const tags = async () => (await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'to' }))).TagSet

  assert.equal((await copy({})).CopyObjectResult?.ETag, ETag)
  assert.deepEqual([(await head()).ContentType, (await head()).Metadata], ['text/x', { a: '1' }])
  assert.deepEqual(await tags(), [{ Key: 't', Value: '1' }])
  await copy({
    MetadataDirective: 'REPLACE',
    ContentType: 'text/y',
    Metadata: { b: '2' },
    TaggingDirective: 'REPLACE',
    Tagging: 'u=2',
  })
  assert.deepEqual([(await head()).ContentType, (await head()).Metadata], ['text/y', { b: '2' }])
  assert.deepEqual(await tags(), [{ Key: 'u', Value: '2' }])
  assert.equal(
    (await copy({ ChecksumAlgorithm: 'SHA256' })).CopyObjectResult?.ChecksumSHA256,
    'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=',
  )

  const past = new Date(0)
  assert.equal(await getCallError(copy({ CopySourceIfMatch: '"other"' })), '412 PreconditionFailed')
  assert.equal(await getCallError(copy({ CopySourceIfNoneMatch: ETag })), '412 PreconditionFailed')
  assert.equal(await getCallError(copy({ CopySourceIfUnmodifiedSince: past })), '412 PreconditionFailed')
  assert.equal(
    await getCallError(copy({ CopySourceIfMatch: ETag, CopySourceIfUnmodifiedSince: past })),
    'no error',
  )
  assert.equal(await getCallError(copy({ CopySource: 'box/none' })), '404 NoSuchKey')
  assert.equal(await getCallError(copy({ CopySource: 'nobox/none' })), '404 NoSuchBucket')
  assert.equal(await getCallError(copy({ CopySource: 'nokey' })), '400 InvalidArgument')
  assert.equal(await getCallError(copy({ CopySource: 'box/to' })), '400 InvalidRequest')
  await copy({ CopySource: '/box/to?versionId=null', MetadataDirective: 'REPLACE', Metadata: { c: '3' } })
  assert.deepEqual((await head()).Metadata, { c: '3' })
  const readRedirect = async () => (await head()).WebsiteRedirectLocation
  await copy({ CopySource: 'box/to', WebsiteRedirectLocation: '/there' })
  assert.deepEqual([await readRedirect(), (await head()).Metadata], ['/there', { c: '3' }])
  await copy({ CopySource: 'box/to', StorageClass: 'STANDARD' })
  assert.equal(await readRedirect(), undefined)
})

test('S3 object tags can be set, read, counted and deleted, and are validated', async (t) => {
  const { client } = await startWithBucket(t)
  const Key = 'k'
  await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
  const put = (TagSet: { Key: string; Value: string }[]) =>
    client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet } }))
  const manyTags = Array.from({ length: 11 }, (_, index) => ({ Key: `${index}`, Value: '' }))
  await put(manyTags.slice(1))
  assert.equal((await client.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet?.length, 10)
  assert.equal((await client.send(new GetObjectCommand({ Bucket, Key }))).TagCount, 10)
  assert.equal(await getCallError(put(manyTags)), '400 BadRequest')
  assert.equal(await getCallError(put([{ Key: 'aws:k', Value: '1' }])), '400 InvalidTag')
  assert.equal(
    await getCallError(
      put([
        { Key: 'a', Value: '1' },
        { Key: 'a', Value: '2' },
      ]),
    ),
    '400 InvalidTag',
  )
  assert.equal(await getCallError(put([{ Key: 'k'.repeat(129), Value: '1' }])), '400 InvalidTag')
  assert.equal(await getCallError(put([{ Key: 'k', Value: 'v'.repeat(257) }])), '400 InvalidTag')
  await client.send(new DeleteObjectTaggingCommand({ Bucket, Key }))
  assert.deepEqual((await client.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet, [])
  assert.equal(
    await (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString(),
    'x',
  )
  const missingObject = client.send(new GetObjectTaggingCommand({ Bucket, Key: 'none' }))
  assert.equal(await getCallError(missingObject), '404 NoSuchKey')
})

test('unsupported S3 features are refused', async (t) => {
  const { client } = await startWithBucket(t)
  const put = (options: object) =>
    getCallError(client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ...options })))
  assert.equal(await put({ ServerSideEncryption: 'aws:kms' }), '501 NotImplemented')
  assert.equal(await put({ ObjectLockLegalHoldStatus: 'ON' }), '501 NotImplemented')
  assert.equal(await put({ ACL: 'public-read' }), '400 AccessControlListNotSupported')
  assert.equal(await put({ ACL: 'private' }), 'no error')
  assert.equal(await put({ StorageClass: 'GLACIER' }), '400 InvalidStorageClass')
  assert.equal(await put({ StorageClass: 'STANDARD' }), 'no error')
  assert.equal(await put({ ExpectedBucketOwner: '123456789012' }), '403 AccessDenied')
  assert.equal(await put({ ExpectedBucketOwner: '000000000000' }), 'no error')
  const get = (options: object) =>
    getCallError(client.send(new GetObjectCommand({ Bucket, Key: 'k', ...options })))
  assert.equal(await get({ VersionId: 'abc' }), '400 InvalidArgument')
  const remove = client.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: 'abc' }))
  assert.equal(await getCallError(remove), '400 InvalidArgument')
  assert.equal(await get({ VersionId: 'null' }), 'no error')
  assert.equal(await get({ Key: 'none' }), '404 NoSuchKey')
  assert.equal(await get({ Bucket: 'nobox' }), '404 NoSuchBucket')
})
