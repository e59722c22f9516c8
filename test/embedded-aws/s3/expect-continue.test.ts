import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { closeServer, listen } from '../../../lib/embedded-aws/listen.ts'
import { createGateway } from '../../../lib/local/runtime/gateway.ts'
import { s3Credentials } from './credentials.ts'
import { createS3Client, startWithBucket } from './start-s3.ts'

/** Sends a body only after 100 Continue, like curl, boto3 and the Java SDK. */
async function putWithExpectContinue(url: string, headers: Record<string, string> = {}) {
  const body = 'hello'
  const sentRequest = request(url, {
    method: 'PUT',
    headers: { expect: '100-continue', 'content-length': body.length, ...headers },
  })
  let continueCount = 0
  sentRequest.on('continue', () => {
    continueCount++
    sentRequest.end(body)
  })
  sentRequest.flushHeaders()
  const [response] = await once(sentRequest, 'response')
  const code = /<Code>(.*?)<\/Code>/.exec(await text(response))?.[1]
  sentRequest.destroy()
  return { continueCount, status: response.statusCode, code }
}

const createSigner = (endpoint: string, secretAccessKey = s3Credentials.secretAccessKey) =>
  createS3Client(endpoint, {
    credentials: { ...s3Credentials, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })

test('an S3 client that sends Expect: 100-continue receives a rejection before it sends the body', async (t) => {
  const { endpoint } = await startWithBucket(t)
  const sign = (Bucket: string, client = createSigner(endpoint)) =>
    getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'k' }))
  const goodUrl = await sign('box')
  assert.deepEqual(await putWithExpectContinue(goodUrl), { continueCount: 1, status: 200, code: undefined })
  assert.deepEqual(await putWithExpectContinue(goodUrl, { 'if-none-match': '*' }), {
    continueCount: 0,
    status: 412,
    code: 'PreconditionFailed',
  })
  assert.deepEqual(await putWithExpectContinue(goodUrl, { 'content-md5': 'bad' }), {
    continueCount: 0,
    status: 400,
    code: 'InvalidDigest',
  })
  assert.deepEqual(await putWithExpectContinue(await sign('nobox')), {
    continueCount: 0,
    status: 404,
    code: 'NoSuchBucket',
  })
  const forgedUrl = await sign('box', createSigner(endpoint, 'wrong'))
  assert.deepEqual(await putWithExpectContinue(forgedUrl), {
    continueCount: 0,
    status: 403,
    code: 'SignatureDoesNotMatch',
  })
})

test('the gateway sends 100 Continue to API requests, and to S3 uploads only if S3 needs the body', async (t) => {
  const { s3 } = await startWithBucket(t, { basePath: '/s3' })
  const gateway = createGateway({
    s3: s3.handle,
    http: (incoming, response) => void text(incoming).then((body) => response.end(body)),
  })
  const origin = `http://127.0.0.1:${await listen(gateway, 0)}`
  t.after(() => closeServer(gateway))
  const sign = (Bucket: string) =>
    getSignedUrl(createSigner(`${origin}/s3`), new PutObjectCommand({ Bucket, Key: 'k' }))
  assert.equal((await putWithExpectContinue(await sign('box'))).continueCount, 1)
  assert.deepEqual(await putWithExpectContinue(await sign('nobox')), {
    continueCount: 0,
    status: 404,
    code: 'NoSuchBucket',
  })
  assert.deepEqual(await putWithExpectContinue(`${origin}/v1/anything`), {
    continueCount: 1,
    status: 200,
    code: undefined,
  })
})
