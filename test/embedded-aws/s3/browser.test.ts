// A browser page of another origin that sends requests directly to the server, as pages do with S3.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { type Browser, chromium, type Page } from 'playwright-core'
import { Bucket, createS3Client, startWithBucket } from './start-s3.ts'

const PART_BYTES = 5 << 20

let browser: Browser
let origin: string
const pages = createServer(async (request, response) => {
  const isScript = request.url === '/upload-page.js'
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
  response.end(
    isScript
      ? await readFile(join(import.meta.dirname, 'upload-page.js'))
      : '<!doctype html><script src="/upload-page.js"></script>',
  )
})

before(async () => {
  pages.listen(0, '127.0.0.1')
  await once(pages, 'listening')
  // A TCP server's address is an AddressInfo.
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
})
after(async () => {
  await browser.close()
  pages.close().closeAllConnections()
})

/** Creates a bucket that pages of our origin may use, and opens such a page. */
async function openPage(t: TestContext, host = origin): Promise<{ client: S3Client; page: Page }> {
  const { endpoint } = await startWithBucket(t)
  // Otherwise the SDK would sign the checksum of an empty body, as it has no body yet when it signs.
  const client = createS3Client(endpoint, { requestChecksumCalculation: 'WHEN_REQUIRED' })
  t.after(() => client.destroy())
  const rule = { AllowedOrigins: [origin], AllowedMethods: ['GET', 'PUT', 'POST'], AllowedHeaders: ['*'] }
  const CORSRules = [{ ...rule, ExposeHeaders: ['ETag'] }]
  await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }))
  const page = await browser.newPage()
  t.after(() => page.close())
  await page.goto(host)
  return { client, page }
}

interface Upload {
  readonly url: string
  readonly type: string
  readonly size: number
  readonly fields?: Record<string, string>
}

interface Answer {
  readonly status: number
  readonly code?: string
  readonly etag?: string
}

// Calls the upload function of the page. The call is sent as text, because code in the page has other globals than this
// file.
const upload = (page: Page, uploadRequest: Upload): Promise<Answer> =>
  page.evaluate(`upload(${JSON.stringify(uploadRequest)})`)

/** Returns a URL that only accepts a PUT of 1,000 bytes of PNG. */
function signPut(client: S3Client, signedAt = new Date()): Promise<string> {
  const command = new PutObjectCommand({
    Bucket,
    Key: 'a b.png',
    ContentType: 'image/png',
    ContentLength: 1000,
  })
  const signableHeaders = new Set(['host', 'content-type', 'content-length'])
  return getSignedUrl(client, command, { expiresIn: 60, signingDate: signedAt, signableHeaders })
}

async function listKeys(client: S3Client): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }))
  return Contents.map(({ Key = '' }) => Key)
}

function createBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at++) bytes[at] = at * 31 + (at >> 8)
  return bytes
}

async function readContent(client: S3Client, Key: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

test('a page of another origin can upload a file to a presigned S3 URL and read the ETag', async (t) => {
  const { client, page } = await openPage(t)
  const result = await upload(page, { url: await signPut(client), type: 'image/png', size: 1000 })
  assert.equal(result.status, 200)
  assert.match(result.etag ?? '', /^"[0-9a-f]{32}"$/)
  assert.deepEqual(await readContent(client, 'a b.png'), createBytes(1000))
})

test('a presigned S3 upload that is expired or has a wrong type, size or signature fails with a readable error code', async (t) => {
  const { client, page } = await openPage(t)
  const url = await signPut(client)
  const validForm = { url, type: 'image/png', size: 1000 }
  const alteredUrl = url.replace(
    /X-Amz-Signature=./,
    (start) => start.slice(0, -1) + (start.endsWith('0') ? '1' : '0'),
  )
  const expiredUrl = await signPut(client, new Date(Date.now() - 120_000))
  const mismatch = { status: 403, code: 'SignatureDoesNotMatch', etag: null }
  assert.deepEqual(await upload(page, { ...validForm, type: 'text/html' }), mismatch)
  assert.deepEqual(await upload(page, { ...validForm, size: 1001 }), mismatch)
  assert.deepEqual(await upload(page, { ...validForm, url: alteredUrl }), mismatch)
  assert.deepEqual(await upload(page, { ...validForm, url: expiredUrl }), {
    ...mismatch,
    code: 'AccessDenied',
  })
  assert.deepEqual(await listKeys(client), [])
})

test('an S3 form upload that violates its policy is rejected', async (t) => {
  const { client, page } = await openPage(t)
  const type = 'image/png'
  const sign = (Expires: number) =>
    createPresignedPost(client, {
      Bucket,
      Key: 'posted',
      Expires,
      Fields: { 'Content-Type': type },
      Conditions: [['content-length-range', 1000, 1000]],
    })
  const { url, fields } = await sign(60)
  const refusal = async (uploadRequest: Partial<Upload>) => {
    const { status, code } = await upload(page, { url, type, size: 1000, fields, ...uploadRequest })
    return `${status} ${code}`
  }
  assert.equal(await refusal({ fields: { ...fields, 'Content-Type': 'text/html' } }), '403 AccessDenied')
  assert.equal(await refusal({ size: 1001 }), '400 EntityTooLarge')
  assert.equal(await refusal({ size: 999 }), '400 EntityTooSmall')
  const forgedFields = { ...fields, 'X-Amz-Signature': '0'.repeat(64) }
  assert.equal(await refusal({ fields: forgedFields }), '403 SignatureDoesNotMatch')
  const expiredPost = await sign(-1)
  assert.equal(await refusal({ fields: expiredPost.fields }), '403 AccessDenied')
  assert.deepEqual(await listKeys(client), [])

  assert.equal((await upload(page, { url, type, size: 1000, fields })).status, 204)
  assert.deepEqual(await readContent(client, 'posted'), createBytes(1000))
})

test('a page of an origin without a CORS rule cannot upload to S3', async (t) => {
  const { client, page } = await openPage(t, origin.replace('127.0.0.1', 'localhost'))
  const result = await upload(page, { url: await signPut(client), type: 'image/png', size: 1000 })
  assert.equal(result.status, 0)
  assert.deepEqual(await listKeys(client), [])
})

test('an S3 multipart upload continues with the missing parts after a reload of the page', {
  timeout: 60_000,
}, async (t) => {
  const { client, page } = await openPage(t)
  const size = 3 * PART_BYTES + 1
  const target = { Bucket, Key: 'in parts' }
  const sign = async (action: string, UploadId: string, PartNumber: number) => {
    const upload = { ...target, UploadId }
    if (action === 'list') return getSignedUrl(client, new ListPartsCommand(upload))
    if (action === 'part') return getSignedUrl(client, new UploadPartCommand({ ...upload, PartNumber }))
    if (action === 'complete') return getSignedUrl(client, new CompleteMultipartUploadCommand(upload))
    return (await client.send(new CreateMultipartUploadCommand(target))).UploadId
  }
  let resolveThirdPart: () => void = () => undefined
  const thirdPartStartedEvent = new Promise<void>((resolve) => {
    resolveThirdPart = resolve
  })
  await page.exposeFunction('sign', sign)
  await page.exposeFunction('progress', (partNumber: number) => partNumber === 3 && resolveThirdPart())
  const sentParts: number[] = []
  page.on('request', (request) => {
    const partNumber = new URL(request.url()).searchParams.get('partNumber')
    if (partNumber !== null && request.method() === 'PUT') sentParts.push(Number(partNumber))
  })

  // Slow enough for the reload to happen during a part.
  const cdpSession = await page.context().newCDPSession(page)
  const slowNetwork = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 6 << 20 }
  await cdpSession.send('Network.enable')
  await cdpSession.send('Network.emulateNetworkConditions', slowNetwork)
  const upload = page.evaluate(`uploadInParts(${size})`)
  await Promise.race([thirdPartStartedEvent, upload])
  await Promise.all([assert.rejects(upload, /navigation|destroyed/), page.reload()])
  assert.deepEqual(sentParts, [1, 2, 3])
  await cdpSession.send('Network.emulateNetworkConditions', { ...slowNetwork, uploadThroughput: -1 })

  sentParts.length = 0
  assert.deepEqual(await page.evaluate(`uploadInParts(${size})`), { status: 200, already: [1, 2] })
  assert.deepEqual(sentParts, [3, 4])
  assert.ok((await readContent(client, target.Key)).equals(createBytes(size)))
})
