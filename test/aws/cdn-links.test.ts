import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Files } from '../../lib/aws/files.ts'
import { readConfig } from '../../lib/config.ts'
import { createCdnFileResources, createCdnKeysSetting } from '../../lib/deployment/cdn-files.ts'
import { createEdgeResources } from '../../lib/deployment/edge.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'
import { openS3Server } from '../../lib/embedded-aws/s3/server.ts'
import { createFileLink } from '../../lib/links/file-link.ts'
import type { StoredFile } from '../../lib/model/job.ts'
import { fileHeaders } from '../../lib/resources/storage.ts'
import { after, before } from '../hooks.ts'
import { startCloudFront } from '../support/cloudfront.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const createKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
const [oldKeyPair, newKeyPair] = [createKeyPair(), createKeyPair()]
const stage = parseStage('dev', { cdnPublicKeys: [newKeyPair.publicKey, oldKeyPair.publicKey] })
/** The setting as CloudFormation resolves it, if the id of each key were the name of its resource. */
const CDN_KEYS = createCdnKeysSetting(stage)?.CDN_KEYS['Fn::Sub'].replace(/\$\{(\w+)\}/g, '$1') ?? ''

const credentials = { accessKeyId: 'AKIACDN', secretAccessKey: 'cdn' }
const openedResources = new AsyncDisposableStack()
let s3: S3Client
let s3Url: string
let url: string
before(async () => {
  const dir = join(scratchFolder('cdn-links'), 's3')
  const store = await openS3Server({ dir, credentials: [credentials], region: 'eu-central-1' })
  const server = createServer(store.handle)
  s3Url = `http://127.0.0.1:${await listen(server, 0)}`
  openedResources.defer(() => store.close())
  openedResources.defer(() => closeServer(server))
  s3 = new S3Client({ region: 'eu-central-1', endpoint: s3Url, forcePathStyle: true, credentials })
  await s3.send(new CreateBucketCommand({ Bucket: 'mutabor' }))
  const { Distribution } = createEdgeResources(stage)
  const files = createCdnFileResources(stage)
  const cloudFront = await startCloudFront({
    distribution: Distribution,
    files,
    s3Url,
    bucket: 'mutabor',
    credentials,
  })
  url = cloudFront.url
  openedResources.defer(cloudFront.close)
})
after(() => openedResources.disposeAsync())

const file: StoredFile = {
  key: 'jobs/job_1/a1/out.html',
  filename: "Größe (1)*'s+x.html",
  mimeType: 'text/html; charset=utf-8',
  format: 'html',
  size: 10,
  sha256: '0'.repeat(64),
}
const open = (privateKey: string, publicUrl = url) =>
  new Files(
    readConfig({ CDN_KEYS, CDN_PRIVATE_KEY: privateKey, PUBLIC_URL: publicUrl, AWS_ENDPOINT_URL_S3: s3Url }),
  )
const store = (Body = '0123456789') =>
  s3.send(new PutObjectCommand({ Bucket: 'mutabor', Key: file.key, Body }))
const link = (privateKey = newKeyPair.privateKey, options: Parameters<typeof createFileLink>[2] = {}) =>
  createFileLink(file, { files: open(privateKey) }, options)

test('CloudFront serves a result file with its name, type, ranges and ETag, and with headers that forbid scripts', async () => {
  const { ETag } = await store()
  const address = await link()
  assert.ok(address.startsWith(`${url}/${file.key}?`), address)
  const wholeReply = await fetch(address, { headers: { origin: 'https://other.example' } })
  assert.equal(wholeReply.status, 200)
  assert.equal(await wholeReply.text(), '0123456789')
  assert.equal(wholeReply.headers.get('etag'), ETag)
  assert.equal(wholeReply.headers.get('content-type'), file.mimeType)
  assert.equal(
    wholeReply.headers.get('content-disposition'),
    `attachment; filename="Gr??e (1)*'s+x.html"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%281%29%2A%27s%2Bx.html`,
  )
  for (const [name, value] of Object.entries(fileHeaders)) assert.equal(wholeReply.headers.get(name), value)
  const rangeReply = await fetch(address, { headers: { range: 'bytes=2-4' } })
  assert.deepEqual([rangeReply.status, await rangeReply.text()], [206, '234'])
  const notModifiedReply = await fetch(address, { headers: { 'if-none-match': String(ETag) } })
  assert.equal(notModifiedReply.status, 304)
  assert.equal((await fetch(address, { method: 'HEAD' })).headers.get('content-length'), '10')
})

test('a CloudFront link fails without its signature, with a changed expiry, and for another file, name or method', async () => {
  await store()
  const address = await link()
  const getStatus = async (changedUrl: string, method = 'GET') => (await fetch(changedUrl, { method })).status
  assert.equal(await getStatus(address), 200)
  const [, expires = ''] = /Expires=(\d+)/.exec(address) ?? []
  const unsignedUrls = [
    `${url}/${file.key}`,
    address.replace(`Expires=${expires}`, `Expires=${Number(expires) + 1}`),
    address.replace('job_1', 'job_2'),
    address.replace('attachment', 'inline'),
    address.replace(/Key-Pair-Id=\w+/, `Key-Pair-Id=CdnKey${'0'.repeat(16)}`),
    address.replace('&Expires', '&response-cache-control=public&Expires'),
    `${url}/work/job_1/message`,
  ]
  for (const unsignedUrl of unsignedUrls) assert.notEqual(await getStatus(unsignedUrl), 200, unsignedUrl)
  assert.equal(await getStatus(address, 'PUT'), 403)
  const expiredUrl = await link(newKeyPair.privateKey, { lifetimeS: 30 })
  const [, expiresAtS = ''] = /Expires=(\d+)/.exec(expiredUrl) ?? []
  assert.ok(Number(expiresAtS) - Date.now() / 1000 <= 30, expiresAtS)
})

test('CloudFront immediately stops serving a file that is deleted', async () => {
  await store()
  const address = await link()
  assert.equal((await fetch(address)).status, 200)
  await s3.send(new DeleteObjectCommand({ Bucket: 'mutabor', Key: file.key }))
  assert.equal((await fetch(address)).status, 404)
})

test('links signed with any deployed CloudFront key work, and signing with an unknown key fails', async () => {
  await store()
  for (const { privateKey } of [oldKeyPair, newKeyPair])
    assert.equal((await fetch(await link(privateKey))).status, 200)
  await assert.rejects(
    link(createKeyPair().privateKey),
    /CDN_PRIVATE_KEY belongs to none of the deployed public keys/,
  )
})

test('without a CloudFront private key, download links point to the bucket', async () => {
  await store()
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIACDN', AWS_SECRET_ACCESS_KEY: 'cdn' })
  const files = new Files(readConfig({ CDN_KEYS, PUBLIC_URL: url, S3_PUBLIC_ENDPOINT: s3Url }))
  const address = await createFileLink(file, { files })
  assert.ok(address.startsWith(`${s3Url}/`), address)
})
