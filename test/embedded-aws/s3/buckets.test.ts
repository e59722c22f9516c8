import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteBucketEncryptionCommand,
  DeleteBucketPolicyCommand,
  DeleteBucketReplicationCommand,
  DeleteBucketWebsiteCommand,
  DeleteObjectCommand,
  GetBucketAclCommand,
  GetBucketEncryptionCommand,
  GetBucketLocationCommand,
  GetBucketMetricsConfigurationCommand,
  GetBucketPolicyCommand,
  GetBucketVersioningCommand,
  GetObjectLegalHoldCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  ListBucketMetricsConfigurationsCommand,
  ListBucketsCommand,
  PutBucketAclCommand,
  PutBucketEncryptionCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutBucketWebsiteCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { Bucket, createS3Client, getCallError, send, startS3, startWithBucket } from './start-s3.ts'

test('S3 buckets can be created, listed in pages, and deleted when empty', async (t) => {
  const { client } = await startS3(t)
  for (const name of ['bucket-c', 'bucket-a', 'bucket-b'])
    await client.send(new CreateBucketCommand({ Bucket: name }))
  const allBuckets = await client.send(new ListBucketsCommand({}))
  assert.deepEqual(
    allBuckets.Buckets?.map(({ Name }) => Name),
    ['bucket-a', 'bucket-b', 'bucket-c'],
  )
  assert.ok(allBuckets.Buckets?.[0]?.CreationDate)
  const page = await client.send(new ListBucketsCommand({ MaxBuckets: 2 }))
  const secondPage = await client.send(new ListBucketsCommand({ ContinuationToken: page.ContinuationToken }))
  assert.deepEqual(
    secondPage.Buckets?.map(({ Name }) => Name),
    ['bucket-c'],
  )
  const someBuckets = await client.send(new ListBucketsCommand({ Prefix: 'bucket-b' }))
  assert.deepEqual(
    someBuckets.Buckets?.map(({ Name }) => Name),
    ['bucket-b'],
  )

  await client.send(new PutObjectCommand({ Bucket: 'bucket-a', Key: 'k', Body: 'x' }))
  const remove = () => getCallError(client.send(new DeleteBucketCommand({ Bucket: 'bucket-a' })))
  assert.equal(await remove(), '409 BucketNotEmpty')
  await client.send(new DeleteObjectCommand({ Bucket: 'bucket-a', Key: 'k' }))
  await client.send(new CreateMultipartUploadCommand({ Bucket: 'bucket-a', Key: 'k' }))
  assert.equal(await remove(), 'no error')
  assert.equal(await remove(), '404 NoSuchBucket')
  assert.equal(await getCallError(client.send(new HeadBucketCommand({ Bucket: 'bucket-a' }))), '404 NotFound')
})

test('S3 buckets can be listed under a base path', async (t) => {
  const { client } = await startWithBucket(t, { basePath: '/s3' })
  const { Buckets: found, Owner: owner } = await client.send(new ListBucketsCommand({}))
  assert.deepEqual(
    found?.map(({ Name }) => Name),
    [Bucket],
  )
  assert.ok(owner?.ID)
})

test('S3 rejects bucket names that are invalid on AWS', async (t) => {
  const { client } = await startS3(t)
  const createBucket = (name: string) => getCallError(client.send(new CreateBucketCommand({ Bucket: name })))
  for (const name of [
    'ab',
    'a'.repeat(64),
    'Upper',
    'under_score',
    '-dash',
    'dot.',
    'a..b',
    'a.-b',
    'a-.b',
    '192.168.0.1',
    'xn--x',
    'b-s3alias',
  ])
    assert.equal(await createBucket(name), '400 InvalidBucketName', name)
  for (const name of ['abc', 'a'.repeat(63), 'a.b-c', '1abc'])
    assert.equal(await createBucket(name), 'no error', name)
})

/**
 * Sends CreateBucket with this body instead of the body of the SDK, which would contain its own region. Returns the
 * error.
 */
function createWithoutLocation(body: string, client: S3Client): Promise<string> {
  const command = new CreateBucketCommand({ Bucket: 'other' })
  command.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as { body: unknown }, { body })
      return next(args)
    },
    { step: 'build', priority: 'high' },
  )
  return getCallError(client.send(command))
}

test('creating an existing S3 bucket succeeds in us-east-1 and fails with a conflict in eu-west-1', async (t) => {
  const here = await startWithBucket(t)
  await here.client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  assert.equal(await getCallError(here.client.send(new CreateBucketCommand({ Bucket }))), 'no error')
  const createInRegion = (LocationConstraint: string, client = here.client) =>
    getCallError(
      client.send(
        new CreateBucketCommand({
          Bucket: 'other',
          CreateBucketConfiguration: { LocationConstraint: LocationConstraint as 'EU' },
        }),
      ),
    )
  assert.equal(await createInRegion('eu-west-1'), '400 IllegalLocationConstraintException')
  assert.equal(await createInRegion('nowhere'), '400 InvalidLocationConstraint')

  const otherRegion = await startS3(t, { region: 'eu-west-1' })
  const client = createS3Client(otherRegion.endpoint, { region: 'eu-west-1' })
  assert.equal(await createInRegion('us-west-2', client), '400 IllegalLocationConstraintException')
  for (const body of ['', '<CreateBucketConfiguration/>'])
    assert.equal(await createWithoutLocation(body, client), '400 IllegalLocationConstraintException', body)
  assert.equal(await createInRegion('eu-west-1', client), 'no error')
  assert.equal(await createInRegion('eu-west-1', client), '409 BucketAlreadyOwnedByYou')
  const location = await client.send(new GetBucketLocationCommand({ Bucket: 'other' }))
  assert.equal(location.LocationConstraint, 'eu-west-1')
})

test('an S3 bucket reports its region and an ACL that grants full control', async (t) => {
  const { client } = await startWithBucket(t)
  assert.equal((await client.send(new HeadBucketCommand({ Bucket }))).BucketRegion, 'us-east-1')
  const location = await client.send(new GetBucketLocationCommand({ Bucket }))
  assert.ok(!location.LocationConstraint)
  const acl = await client.send(new GetBucketAclCommand({ Bucket }))
  assert.equal(acl.Grants?.[0]?.Permission, 'FULL_CONTROL')
  assert.equal(acl.Grants?.[0]?.Grantee?.Type, 'CanonicalUser')
})

test('optional features of an S3 bucket are reported as disabled and cannot be enabled', async (t) => {
  const { client } = await startWithBucket(t)
  assert.equal((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status, undefined)
  assert.equal(
    await getCallError(client.send(new GetBucketPolicyCommand({ Bucket }))),
    '404 NoSuchBucketPolicy',
  )
  assert.equal(
    await getCallError(client.send(new GetBucketEncryptionCommand({ Bucket }))),
    '404 ServerSideEncryptionConfigurationNotFoundError',
  )
  const block = await client.send(new GetPublicAccessBlockCommand({ Bucket }))
  assert.equal(block.PublicAccessBlockConfiguration?.BlockPublicAcls, true)
  const invalidNames = [
    new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    new PutBucketPolicyCommand({ Bucket, Policy: '{}' }),
    new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules: [] } }),
    new PutBucketWebsiteCommand({ Bucket, WebsiteConfiguration: {} }),
  ]
  for (const command of invalidNames)
    assert.equal(await getCallError(client.send(command as PutBucketPolicyCommand)), '501 NotImplemented')
  for (const command of [
    new DeleteBucketPolicyCommand({ Bucket }),
    new DeleteBucketEncryptionCommand({ Bucket }),
    new DeleteBucketReplicationCommand({ Bucket }),
    new DeleteBucketWebsiteCommand({ Bucket }),
  ])
    assert.equal((await client.send(command as DeleteBucketPolicyCommand)).$metadata.httpStatusCode, 204)
  const metrics = await client.send(new ListBucketMetricsConfigurationsCommand({ Bucket }))
  assert.equal(metrics.IsTruncated, false)
  assert.equal(
    await getCallError(client.send(new GetBucketMetricsConfigurationCommand({ Bucket, Id: 'a' }))),
    '404 NoSuchConfiguration',
  )
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  const legalHoldRequest = client.send(new GetObjectLegalHoldCommand({ Bucket, Key: 'k' }))
  assert.equal(await getCallError(legalHoldRequest), '400 InvalidRequest')
  const acl = client.send(new PutBucketAclCommand({ Bucket, ACL: 'public-read' }))
  assert.equal(await getCallError(acl), '400 AccessControlListNotSupported')
})

test('S3 refuses a PUT of an unsupported subresource, and a method other than the signed one', async (t) => {
  const { client } = await startWithBucket(t)
  await client.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x' }))
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'k' }))
  const fetchSigned = async (sub: string) => {
    const command = new PutObjectCommand({ Bucket, Key: 'k' })
    command.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as { query: object }).query, { [sub]: '' })
        return next(args)
      },
      { step: 'build' },
    )
    return await send(await getSignedUrl(client, command), { method: 'PUT' })
  }
  for (const sub of ['legal-hold', 'retention', 'torrent', 'restore'])
    assert.equal((await fetchSigned(sub)).code, 'NotImplemented')
  assert.equal((await send(url, { method: 'PATCH' })).code, 'SignatureDoesNotMatch')
})
