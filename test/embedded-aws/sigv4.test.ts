import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { ApiGatewayManagementApiClient, GetConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { type SignatureVerdict, verifySigV4 } from '../../lib/embedded-aws/sigv4.ts'
import type { SignedRequest } from '../../lib/embedded-aws/sigv4-claim.ts'

// The worked examples of the S3 API reference, "Examples: Signature Calculations".
const exampleCredentials = [
  { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
]
const exampleTime = new Date('2013-05-24T00:00:00Z')
const emptyBodyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const identity = { accessKeyId: 'AKLOCAL', secretAccessKey: 'secret/with+signs' }
const credentials = [identity]
const s3 = { service: 's3', region: 'us-east-1' }

function authorization(signedHeaders: string, signature: string): string {
  const scope = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'
  return `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${signedHeaders},Signature=${signature}`
}

function createExampleGet(signature: string): SignedRequest {
  return {
    method: 'GET',
    url: '/test.txt',
    headers: {
      host: 'examplebucket.s3.amazonaws.com',
      range: 'bytes=0-9',
      'x-amz-content-sha256': emptyBodyHash,
      'x-amz-date': '20130524T000000Z',
      authorization: authorization('host;range;x-amz-content-sha256;x-amz-date', signature),
    },
  }
}
const validSignature = 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41'

function reason(verdict: SignatureVerdict): string {
  return verdict.ok ? 'ok' : verdict.reason
}

test('SigV4 accepts the signature example in the headers section of the S3 reference', () => {
  const verdict = verifySigV4(createExampleGet(validSignature), exampleCredentials, {
    ...s3,
    now: exampleTime,
  })
  assert.equal(verdict.ok, true)
})

test('SigV4 accepts the presigned URL example of the S3 reference until it expires', () => {
  const url =
    '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'
  const request = { method: 'GET', url, headers: { host: 'examplebucket.s3.amazonaws.com' } }
  const verifyAt = (now: Date) => reason(verifySigV4(request, exampleCredentials, { ...s3, now }))
  assert.equal(verifyAt(exampleTime), 'ok')
  assert.equal(verifyAt(new Date('2013-05-25T00:00:01Z')), 'expired')
  assert.equal(verifyAt(new Date('2013-05-23T23:00:00Z')), 'expired')
  assert.equal(
    reason(
      verifySigV4(
        { ...request, headers: { ...request.headers, authorization: 'Bearer x' } },
        exampleCredentials,
        s3,
      ),
    ),
    'two-mechanisms',
  )
  assert.equal(
    reason(
      verifySigV4({ ...request, headers: { ...request.headers, 'x-amz-meta-a': '1' } }, exampleCredentials, {
        ...s3,
        now: exampleTime,
      }),
    ),
    'unsigned-headers',
  )
})

test('an invalid SigV4 signature is refused with the reason', () => {
  const verify = (request: SignedRequest, keys = exampleCredentials, options = {}) =>
    reason(verifySigV4(request, keys, { ...s3, now: exampleTime, ...options }))
  const validRequest = createExampleGet(validSignature)
  const withHeaders = (headers: object) => ({
    ...validRequest,
    headers: { ...validRequest.headers, ...headers },
  })

  assert.equal(verify(createExampleGet(validSignature.replace('f', 'e'))), 'bad-signature')
  assert.equal(verify({ ...validRequest, method: 'PUT' }), 'bad-signature')
  assert.equal(verify({ ...validRequest, url: '/test.txt?acl' }), 'bad-signature')
  assert.equal(verify(withHeaders({ range: 'bytes=0-10' })), 'bad-signature')
  assert.equal(verify(validRequest, credentials), 'unknown-key')
  assert.equal(verify(validRequest, exampleCredentials, { region: 'eu-west-1' }), 'foreign-scope')
  assert.equal(verify(validRequest, exampleCredentials, { now: new Date('2013-05-24T00:15:01Z') }), 'skewed')
  assert.equal(verify(withHeaders({ 'x-amz-security-token': 'abc' })), 'bad-token')
  assert.equal(verify({ ...validRequest, headers: { host: 'a' } }), 'missing')
  assert.equal(verify(withHeaders({ authorization: 'AWS AKIAIOSFODNN7EXAMPLE:abc=' })), 'old-signature')
  assert.equal(verify(withHeaders({ authorization: 'Bearer abc' })), 'unsupported')
  assert.equal(verify(withHeaders({ authorization: 'AWS4-HMAC-SHA256 Credential=a/b' })), 'malformed')
  assert.equal(verify({ ...validRequest, url: '/%ff' }), 'malformed')
  const createPresignedRequest = (expires: string) =>
    `/a?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=${expires}&X-Amz-SignedHeaders=host&X-Amz-Signature=00`
  for (const expires of ['0', '-1', '604801', 'soon', ''])
    assert.equal(
      verify({ method: 'GET', url: createPresignedRequest(expires), headers: { host: 'a' } }),
      'malformed',
      expires,
    )
  assert.equal(
    verify({ method: 'GET', url: createPresignedRequest('604800'), headers: { host: 'a' } }),
    'bad-signature',
  )
})

test('requests signed by the AWS SDK are accepted, even with unusual characters in the object key', async (t) => {
  const verdicts: string[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    verdicts.push(reason(verifySigV4(toSignedRequest(request, body), credentials, getOptions(request))))
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const commonConfig = { endpoint, region: 'us-east-1', credentials: identity }
  const client = new S3Client({ ...commonConfig, forcePathStyle: true })
  const keys = ['plain', 'a b', 'a+b', '../up', 'x//y', '/lead', 'é😀', 'q?#&=', "~*()!'", 'new\nline', '%41']
  for (const Key of keys) {
    await client.send(
      new PutObjectCommand({ Bucket: 'b', Key, Body: 'x', Metadata: { note: 'a  b', name: 'é' } }),
    )
    await getRaw(await getSignedUrl(client, new GetObjectCommand({ Bucket: 'b', Key })))
  }
  await getRaw(
    await getSignedUrl(
      client,
      new GetObjectCommand({
        Bucket: 'b',
        Key: 'k',
        ResponseContentDisposition: 'attachment; filename="a+b c.txt"',
      }),
    ),
  )
  const sqs = new SQSClient({ ...commonConfig, md5: false })
  await sqs.send(new SendMessageCommand({ QueueUrl: `${endpoint}/1/q`, MessageBody: 'hé' }))
  const gateway = new ApiGatewayManagementApiClient(commonConfig)
  await gateway.send(new GetConnectionCommand({ ConnectionId: 'a b+c.é' }))
  assert.deepEqual(new Set(verdicts), new Set(['ok']))
  assert.equal(verdicts.length, keys.length * 2 + 3)
})

/** Sends a GET request without fetch, which would resolve the `..` in a path. */
async function getRaw(url: string) {
  const [, host = '', port = '', path = ''] = /^http:\/\/([^:]+):(\d+)(.*)$/.exec(url) ?? []
  const [response] = await once(get({ host, port, path }), 'response')
  response.resume()
}

function toSignedRequest(request: IncomingMessage, body: Buffer): SignedRequest {
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    bodySha256: createHash('sha256').update(body).digest('hex'),
  }
}

function getOptions(request: IncomingMessage) {
  const service = /\/us-east-1\/([a-z0-9-]+)\//.exec(`${request.headers.authorization}`)?.[1] ?? 's3'
  return { service, region: 'us-east-1' }
}
