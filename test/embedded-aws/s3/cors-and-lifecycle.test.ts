import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CreateMultipartUploadCommand,
  DeleteBucketCorsCommand,
  DeleteBucketLifecycleCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type LifecycleRule,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Bucket, getCallError, listBlobFiles, send, startWithBucket } from './start-s3.ts'

const DAY_MS = 86_400_000

const CORSRules = [
  {
    ID: 'app',
    AllowedOrigins: ['https://app.example', 'https://*.test.example'],
    AllowedMethods: ['GET', 'PUT'],
    AllowedHeaders: ['Content-*', 'x-amz-meta-a'],
    ExposeHeaders: ['ETag', 'x-amz-request-id'],
    MaxAgeSeconds: 600,
  },
  { AllowedOrigins: ['*'], AllowedMethods: ['GET'] },
]

test('S3 returns CORS rules unchanged and refuses invalid ones', async (t) => {
  const { client } = await startWithBucket(t)
  const get = () => client.send(new GetBucketCorsCommand({ Bucket }))
  assert.equal(await getCallError(get()), '404 NoSuchCORSConfiguration')
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
  assert.deepEqual((await get()).CORSRules, CORSRules)
  await client.send(new DeleteBucketCorsCommand({ Bucket }))
  assert.equal(await getCallError(get()), '404 NoSuchCORSConfiguration')
  const put = (rule: object) =>
    getCallError(
      client.send(
        new PutBucketCorsCommand({
          Bucket,
          CORSConfiguration: { CORSRules: [{ AllowedOrigins: ['*'], AllowedMethods: ['GET'], ...rule }] },
        }),
      ),
    )
  assert.equal(await put({ AllowedMethods: ['PATCH'] }), '400 InvalidRequest')
  assert.equal(await put({ AllowedOrigins: ['https://*.*'] }), '400 InvalidRequest')
  assert.equal(await put({ ExposeHeaders: ['*'] }), '400 InvalidRequest')
  assert.equal(await put({ ExposeHeaders: ['a\nb'] }), '400 InvalidRequest')
  assert.equal(await put({ AllowedMethods: [] }), '400 MalformedXML')
})

test('a CORS preflight to S3 succeeds only if a rule allows the origin, the method and all requested headers', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const ask = (origin: string, method: string, headers = '') =>
    send(`${endpoint}/box/some/key?any=thing`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        ...(headers && { 'access-control-request-headers': headers }),
      },
    })
  assert.equal((await ask('https://app.example', 'PUT')).code, 'AccessForbidden')
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))

  const allowedReply = await ask('https://app.example', 'PUT', 'content-type, X-Amz-Meta-A')
  assert.equal(allowedReply.status, 200)
  assert.equal(allowedReply.headers['access-control-allow-origin'], 'https://app.example')
  assert.equal(allowedReply.headers['access-control-allow-methods'], 'GET, PUT')
  assert.equal(allowedReply.headers['access-control-allow-headers'], 'content-type, x-amz-meta-a')
  assert.equal(allowedReply.headers['access-control-max-age'], '600')
  assert.equal(allowedReply.headers['access-control-expose-headers'], 'ETag, x-amz-request-id')
  assert.equal(allowedReply.headers['access-control-allow-credentials'], 'true')
  assert.match(allowedReply.headers.vary ?? '', /Origin/)
  assert.equal((await ask('https://deep.test.example', 'PUT')).status, 200)
  const anyOriginReply = await ask('https://evil.example', 'GET')
  assert.equal(anyOriginReply.headers['access-control-allow-origin'], '*')
  assert.equal(anyOriginReply.headers['access-control-allow-credentials'], undefined)

  assert.deepEqual(
    [(await ask('https://evil.example', 'PUT')).status, (await ask('https://evil.example', 'PUT')).code],
    [403, 'AccessForbidden'],
  )
  assert.equal((await ask('https://app.example', 'PUT', 'x-other')).code, 'AccessForbidden')
  assert.equal((await ask('https://app.example', 'DELETE')).code, 'AccessForbidden')
  assert.equal((await ask('https://app.example', 'PATCH')).code, 'BadRequest')
  assert.equal((await send(`${endpoint}/box/k`, { method: 'OPTIONS' })).code, 'BadRequest')
  assert.equal(
    (
      await send(`${endpoint}/nobox/k`, {
        method: 'OPTIONS',
        headers: { origin: 'https://a', 'access-control-request-method': 'GET' },
      })
    ).code,
    'AccessForbidden',
  )
})

test('S3 responses to an allowed origin have CORS headers, including error responses', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  await client.send(
    new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: CORSRules.slice(0, 1) } }),
  )
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'k' }))
  const response = await send(url, { headers: { origin: 'https://app.example' } })
  assert.equal(response.headers['access-control-allow-origin'], 'https://app.example')
  assert.match(response.headers['access-control-expose-headers'] ?? '', /ETag/)
  const refusedReply = await send(`${endpoint}/box/k`, { headers: { origin: 'https://app.example' } })
  assert.deepEqual(
    [refusedReply.code, refusedReply.headers['access-control-allow-origin']],
    ['AccessDenied', 'https://app.example'],
  )
  const otherOriginReply = await send(url, { headers: { origin: 'https://evil.example' } })
  assert.deepEqual(
    [otherOriginReply.body, otherOriginReply.headers['access-control-allow-origin']],
    ['x', undefined],
  )
})

test('S3 returns lifecycle rules unchanged and refuses invalid ones', async (t) => {
  const { client } = await startWithBucket(t)
  const get = () => client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
  const put = (Rules: LifecycleRule[]) =>
    client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
  assert.equal(await getCallError(get()), '404 NoSuchLifecycleConfiguration')
  const Rules: LifecycleRule[] = [
    { ID: 'a', Status: 'Enabled', Filter: { Prefix: 'tmp/' }, Expiration: { Days: 1 } },
    {
      ID: 'b',
      Status: 'Disabled',
      Filter: { Tag: { Key: 'k', Value: 'v' } },
      Expiration: { Date: new Date('2030-01-01') },
    },
    {
      ID: 'c',
      Status: 'Enabled',
      Filter: { And: { Prefix: 'p', Tags: [{ Key: 'k', Value: 'v' }], ObjectSizeGreaterThan: 5 } },
      Expiration: { Days: 2 },
    },
    {
      ID: 'd',
      Status: 'Enabled',
      Filter: { Prefix: '' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 3 },
    },
    { ID: 'e', Status: 'Enabled', Prefix: 'old', Expiration: { Days: 4 } },
  ]
  await put(Rules)
  assert.deepEqual((await get()).Rules, Rules)
  await put([{ Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } }])
  assert.ok((await get()).Rules?.[0]?.ID)
  await client.send(new DeleteBucketLifecycleCommand({ Bucket }))
  assert.equal(await getCallError(get()), '404 NoSuchLifecycleConfiguration')

  const putInvalidRule = (rule: object) =>
    getCallError(put([{ Status: 'Enabled', Filter: { Prefix: '' }, ...rule }]))
  assert.equal(await putInvalidRule({ Expiration: { Days: 0 } }), '400 InvalidArgument')
  assert.equal(
    await putInvalidRule({ Expiration: { Date: new Date('2030-01-01T12:00:00Z') } }),
    '400 InvalidArgument',
  )
  assert.equal(await putInvalidRule({}), '400 InvalidRequest')
  assert.equal(await putInvalidRule({ Status: 'enabled', Expiration: { Days: 1 } }), '400 MalformedXML')
  assert.equal(
    await putInvalidRule({ Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }),
    '501 NotImplemented',
  )
  const repeatedRules = Rules.slice(0, 1)
  assert.equal(await getCallError(put([...repeatedRules, ...repeatedRules])), '400 InvalidArgument')
})

test('S3 lifecycle rules select objects by prefix, tag and size, and delete them at midnight after the given days', async (t) => {
  const { client, s3, dir } = await startWithBucket(t)
  const Rules: LifecycleRule[] = [
    { ID: 'tmp', Status: 'Enabled', Filter: { Prefix: 'tmp/' }, Expiration: { Days: 1 } },
    {
      ID: 'tag',
      Status: 'Enabled',
      Filter: { And: { Prefix: 'doc/', Tags: [{ Key: 'keep', Value: 'no' }], ObjectSizeLessThan: 100 } },
      Expiration: { Days: 1 },
    },
    { ID: 'off', Status: 'Disabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } },
  ]
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
  const put = (Key: string, Tagging = '', size = 1) =>
    client.send(new PutObjectCommand({ Bucket, Key, Body: 'x'.repeat(size), Tagging }))
  const { Expiration } = await put('tmp/a')
  await put('doc/untagged')
  await put('doc/tagged', 'keep=no')
  await put('doc/big', 'keep=no', 200)
  await put('other')
  const listKeys = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket }))).Contents?.map(({ Key }) => Key)

  const midnight = Math.ceil((Date.now() + DAY_MS) / DAY_MS) * DAY_MS
  assert.equal(Expiration, `expiry-date="${new Date(midnight).toUTCString()}", rule-id="tmp"`)
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'tmp/a' }))
  assert.equal(head.Expiration, Expiration)
  await s3.expire(new Date(midnight - 1))
  assert.equal((await listKeys())?.length, 5)
  await s3.expire(new Date(midnight))
  assert.deepEqual(await listKeys(), ['doc/big', 'doc/untagged', 'other'])
  assert.equal((await listBlobFiles(dir)).length, 3)
})

test('S3 aborts multipart uploads older than a lifecycle rule allows', async (t) => {
  const { client, s3, dir } = await startWithBucket(t)
  const Rules: LifecycleRule[] = [
    {
      Status: 'Enabled',
      Filter: { Prefix: 'tmp/' },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    },
  ]
  await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }))
  for (const Key of ['tmp/a', 'keep']) {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'x' }))
  }
  const uploads = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.map(({ Key }) => Key)
  await s3.expire(new Date(Date.now() + DAY_MS / 2))
  assert.deepEqual(await uploads(), ['keep', 'tmp/a'])
  await s3.expire(new Date(Date.now() + 2 * DAY_MS))
  assert.deepEqual(await uploads(), ['keep'])
  assert.equal((await listBlobFiles(dir)).length, 1)
})
