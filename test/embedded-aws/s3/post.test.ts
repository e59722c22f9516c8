import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import {
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3'
import { createPresignedPost, type PresignedPostOptions } from '@aws-sdk/s3-presigned-post'
import { Bucket, getCallError, listBlobFiles, startWithBucket } from './start-s3.ts'

interface Form {
  readonly sign?: Partial<PresignedPostOptions>
  /** Fields changed or added after signing; undefined removes a field. */
  readonly change?: Record<string, string | undefined>
  readonly body?: string
}

async function post(client: S3Client, { sign = {}, change = {}, body = 'hello' }: Form = {}) {
  const { url, fields } = await createPresignedPost(client, { Bucket, Key: 'k', ...sign })
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...fields, ...change }))
    if (value !== undefined) form.append(name, value)
  form.append('file', new Blob([body], { type: 'text/plain' }), 'näme.txt')
  const reply = await fetch(url, { method: 'POST', body: form, redirect: 'manual' })
  const text = await reply.text()
  return {
    status: reply.status,
    headers: reply.headers,
    body: text,
    code: /<Code>(.*?)<\/Code>/.exec(text)?.[1],
    message: /<Message>(.*?)<\/Message>/.exec(text)?.[1],
  }
}

test('a signed S3 form uploads its file with the fields that its policy allows', async (t) => {
  const { client } = await startWithBucket(t)
  const sign: Partial<PresignedPostOptions> = {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: S3's placeholder looks like one
    Key: 'up/${filename}',
    Conditions: [
      ['starts-with', '$Content-Type', 'image/'],
      ['eq', '$x-amz-meta-a', '1'],
      ['content-length-range', 1, 10],
    ],
    Fields: {
      'x-amz-meta-a': '1',
      tagging: '<Tagging><TagSet><Tag><Key>t</Key><Value>v</Value></Tag></TagSet></Tagging>',
    },
  }
  const signedUpload = await post(client, {
    sign,
    change: { 'Content-Type': 'image/png', 'x-ignore-me': '1' },
  })
  assert.equal(signedUpload.status, 204, signedUpload.body)
  assert.equal(signedUpload.headers.get('etag'), '"5d41402abc4b2a76b9719d911017c592"')
  assert.match(signedUpload.headers.get('location') ?? '', /\/box\/up\/n%C3%A4me\.txt$/)
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'up/näme.txt' }))
  assert.deepEqual([head.ContentType, head.Metadata, head.ContentLength], ['image/png', { a: '1' }, 5])
  const tags = await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'up/näme.txt' }))
  assert.deepEqual(tags.TagSet, [{ Key: 't', Value: 'v' }])
})

test('non-ASCII fields of an S3 form are returned as UTF-8, and line breaks in fields are refused', async (t) => {
  const { client } = await startWithBucket(t)
  const namedHeaders = { 'Content-Disposition': 'attachment; filename="日本.txt"', 'x-amz-meta-a': 'é' }
  assert.equal((await post(client, { sign: { Fields: namedHeaders } })).status, 204)
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))
  assert.equal(
    Buffer.from(head.ContentDisposition ?? '', 'latin1').toString(),
    namedHeaders['Content-Disposition'],
  )
  assert.deepEqual(head.Metadata, { a: '=?UTF-8?B?w4PCqQ==?=' })
  const brokenUpload = await post(client, { sign: { Fields: { 'x-amz-meta-a': 'a\r\nSet-Cookie: b=c' } } })
  assert.equal(brokenUpload.code, 'InvalidArgument')
  assert.equal(
    (await post(client, { sign: { Fields: { acl: 'public-read' } } })).code,
    'AccessControlListNotSupported',
  )
})

test('success_action_status and success_action_redirect of an S3 form determine the response to the upload', async (t) => {
  const { client } = await startWithBucket(t)
  const createdUpload = await post(client, { sign: { Fields: { success_action_status: '201' } } })
  assert.equal(createdUpload.status, 201)
  assert.match(createdUpload.body, /<Bucket>box<\/Bucket><Key>k<\/Key><ETag>&quot;5d41/)
  assert.equal((await post(client, { sign: { Fields: { success_action_status: '200' } } })).status, 200)
  const redirectedUpload = await post(client, {
    sign: { Fields: { success_action_redirect: 'https://app.example/done?x=1' } },
  })
  assert.equal(redirectedUpload.status, 303)
  assert.match(
    redirectedUpload.headers.get('location') ?? '',
    /^https:\/\/app\.example\/done\?x=1&bucket=box&key=k&etag=%225d41/,
  )
})

test('an S3 form that violates its policy is refused', async (t) => {
  const { client, dir } = await startWithBucket(t)
  const range: Partial<PresignedPostOptions> = { Conditions: [['content-length-range', 3, 10]] }
  assert.equal((await post(client, { sign: range, body: 'x'.repeat(11) })).code, 'EntityTooLarge')
  assert.equal((await post(client, { sign: range, body: 'xx' })).code, 'EntityTooSmall')
  const otherUpload = await post(client, { change: { key: 'other' } })
  assert.deepEqual([otherUpload.status, otherUpload.code], [403, 'AccessDenied'])
  assert.match(otherUpload.message ?? '', /Policy Condition failed/)
  const extraUpload = await post(client, { change: { 'x-amz-meta-b': '1' } })
  assert.match(extraUpload.message ?? '', /Extra input fields: x-amz-meta-b/)
  const typeCondition: Partial<PresignedPostOptions> = {
    Conditions: [['starts-with', '$Content-Type', 'image/']],
  }
  assert.equal(
    (await post(client, { sign: typeCondition, change: { 'Content-Type': 'text/html' } })).code,
    'AccessDenied',
  )
  const expiredUpload = await post(client, { sign: { Expires: -5 } })
  assert.match(expiredUpload.message ?? '', /Policy expired/)
  assert.equal((await post(client, { change: { 'X-Amz-Signature': '00' } })).code, 'SignatureDoesNotMatch')
  assert.equal(
    (await post(client, { change: { Policy: Buffer.from('{}').toString('base64') } })).code,
    'SignatureDoesNotMatch',
  )
  assert.equal((await post(client, { change: { Policy: undefined } })).code, 'AccessDenied')
  assert.equal((await post(client, { change: { 'X-Amz-Credential': undefined } })).code, 'InvalidArgument')
  assert.equal(
    (await post(client, { change: { 'X-Amz-Credential': 'AKOTHER/20260101/us-east-1/s3/aws4_request' } }))
      .code,
    'InvalidArgument',
  )
  assert.equal((await post(client, { sign: { Bucket: 'nobox' } })).code, 'NoSuchBucket')
  const emptyList = await client.send(new ListObjectsV2Command({ Bucket }))
  assert.equal(emptyList.KeyCount, 0)
  assert.deepEqual(await listBlobFiles(dir), [])
})

test('S3 refuses malformed forms', async (t) => {
  const { client, endpoint } = await startWithBucket(t)
  const postRaw = async (contentType: string, body: string) => {
    const reply = await fetch(`${endpoint}/box`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    })
    return `${reply.status} ${/<Code>(.*?)<\/Code>/.exec(await reply.text())?.[1]}`
  }
  const type = 'multipart/form-data; boundary=b'
  assert.equal(await postRaw('multipart/form-data', ''), '400 MalformedPOSTRequest')
  assert.equal(
    await postRaw(type, '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk'),
    '400 MalformedPOSTRequest',
  )
  assert.equal(
    await postRaw(type, '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n--b--\r\n'),
    '400 InvalidArgument',
  )
  const long = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(70_000)}\r\n--b--\r\n`
  assert.equal(await postRaw(type, long), '400 MaxPostPreDataLengthExceeded')
  assert.equal(await getCallError(client.send(new GetObjectCommand({ Bucket, Key: 'k' }))), '404 NoSuchKey')
})

test('an S3 form upload interrupted within its file leaves no file', async (t) => {
  const { client, endpoint, dir } = await startWithBucket(t)
  const { fields } = await createPresignedPost(client, { Bucket, Key: 'k' })
  const formParts = Object.entries(fields).map(
    ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const start = `${formParts.join('')}--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(200_000)}`
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /box HTTP/1.1\r\nHost: ${new URL(endpoint).host}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n${start}`,
  )
  while ((await listBlobFiles(dir)).length === 0) await client.send(new ListObjectsV2Command({ Bucket }))
  socket.destroy()
  while ((await listBlobFiles(dir)).length > 0) await client.send(new ListObjectsV2Command({ Bucket }))
  assert.equal(await getCallError(client.send(new HeadObjectCommand({ Bucket, Key: 'k' }))), '404 NotFound')
})
