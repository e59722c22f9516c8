// Tests multipart uploads by malicious or concurrent clients: each call gets the right error code, and an upload that
// is finally refused leaves nothing in the bucket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import type { Files } from '../../lib/aws/files.ts'
import { newId } from '../../lib/ids.ts'
import { createServices } from '../../lib/services/create-services.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'
import { once, replaceMembers, runBefore } from './fault-injection.ts'

const mib = 1024 ** 2
const largeBytes = Buffer.alloc(5 * mib, 'words ')

let app: EmbeddedApp
let headers: Record<string, string>
before(async () => {
  app = await openApp()
  headers = { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
})
after(() => app.close())

interface StartedUpload {
  readonly uploadId: string
  readonly key: string
}
interface Part {
  readonly PartNumber: number
  readonly ETag: string
}

async function startUpload(announcedFile: object = {}, on = app): Promise<StartedUpload> {
  const body = { filename: 'a.txt', type: 'text/plain', ...announcedFile }
  const { status, json } = await on.send('POST', '/v1/uploads/multipart', { headers, body })
  assert.equal(status, 201)
  return json.data
}

const createPath = ({ uploadId }: StartedUpload, suffix = '') => `/v1/uploads/multipart/${uploadId}${suffix}`

async function sendPart(upload: StartedUpload, PartNumber: number, body: Buffer | string): Promise<Part> {
  const { json } = await app.send('GET', createPath(upload, `/${PartNumber}`), { headers })
  const response = await fetch(json.data.url, { method: 'PUT', body: Uint8Array.from(Buffer.from(body)) })
  assert.equal(response.status, 200)
  return { PartNumber, ETag: response.headers.get('etag') ?? '' }
}

const complete = (upload: StartedUpload, parts: readonly Part[], on = app) =>
  on.send('POST', createPath(upload, '/complete'), { headers, body: { parts } })
const abort = (upload: StartedUpload) => app.send('DELETE', createPath(upload), { headers })
const describeReply = ({ status, json }: Awaited<ReturnType<EmbeddedApp['send']>>) =>
  status < 300 ? String(status) : `${status} ${json.error.code}`

/** Returns an app that runs `action` before it completes an upload. */
function runBeforeCompleting(action: () => Promise<unknown>): EmbeddedApp {
  const { files } = app.services
  const changedFiles: Partial<Files> = { multipart: runBefore(files.multipart, 'complete', once(action)) }
  return app.with({ files: replaceMembers(files, changedFiles) })
}

async function assertNothingIsLeft({ key, uploadId }: StartedUpload): Promise<void> {
  const record = await app.services.uploads.get(uploadId)
  assert.equal(record, undefined)
  assert.equal(await app.services.files.head(key), undefined)
}

test('completing a multipart upload fails with a conflict if a part is replaced meanwhile', async () => {
  const upload = await startUpload()
  const firstPart = await sendPart(upload, 1, 'words')
  let secondPart = firstPart
  const appWithRace = runBeforeCompleting(async () => {
    secondPart = await sendPart(upload, 1, 'other')
  })
  const { status, json } = await complete(upload, [firstPart], appWithRace)
  assert.deepEqual([status, json.error.code], [409, 'CONFLICT'])
  assert.match(json.error.message, /sent again while the parts were being joined/)
  assert.equal(describeReply(await complete(upload, [firstPart])), '400 INVALID_REQUEST')
  assert.equal(describeReply(await complete(upload, [secondPart])), '200')
})

test('a multipart upload that is aborted while it is being completed is deleted', async () => {
  const upload = await startUpload()
  const part = await sendPart(upload, 1, 'words')
  const appWithRace = runBeforeCompleting(() => abort(upload))
  assert.equal(describeReply(await complete(upload, [part], appWithRace)), '409 CONFLICT')
  assert.equal(describeReply(await complete(upload, [part])), '404 UPLOAD_NOT_FOUND')
  await assertNothingIsLeft(upload)
})

test('a multipart upload that is aborted after it was completed is deleted', async () => {
  const upload = await startUpload()
  const part = await sendPart(upload, 1, 'words')
  assert.equal(describeReply(await complete(upload, [part])), '200')
  assert.equal(describeReply(await abort(upload)), '200')
  assert.equal(describeReply(await complete(upload, [part])), '404 UPLOAD_NOT_FOUND')
  await assertNothingIsLeft(upload)
})

test('the error for completing a multipart upload names the part that is missing, out of order, too small or changed', async () => {
  const upload = await startUpload()
  const [one, two] = [await sendPart(upload, 1, largeBytes), await sendPart(upload, 2, 'end')]
  const smallPart = await sendPart(upload, 3, 'x')
  const wrongParts: readonly (readonly [
    caseName: string,
    parts: readonly Part[],
    part: number | undefined,
  ])[] = [
    ['none', [], undefined],
    ['part 0', [{ ...one, PartNumber: 0 }], undefined],
    ['part 10001', [{ ...one, PartNumber: 10_001 }], undefined],
    ['another tag', [one, { ...two, ETag: one.ETag }], 2],
    ['a tag that is none', [one, { ...two, ETag: '"' }], 2],
    ['out of order', [two, one], 1],
    ['one twice', [one, one], 1],
    ['one that did not arrive', [one, { ...two, PartNumber: 9 }], 9],
    ['a small one that is not the last', [one, two, smallPart], 2],
    ['more than there can be', Array.from({ length: 10_001 }, () => one), undefined],
  ]
  for (const [caseName, parts, part] of wrongParts) {
    const { status, json } = await complete(upload, parts)
    assert.deepEqual([caseName, status, json.error.details.part], [caseName, 400, part])
  }
  const wholeReply = await complete(upload, [one, two])
  assert.deepEqual([wholeReply.status, wholeReply.json.data.size], [200, largeBytes.length + 3])
  assert.equal(describeReply(await app.send('GET', createPath(upload, '/1'), { headers })), '409 CONFLICT')
})

test('invalid part numbers of a multipart upload are rejected in the URL path and in the partNumbers parameter', async () => {
  const upload = await startUpload()
  for (const number of ['0', '10001', '-1', '1.5', 'x'])
    assert.equal(
      describeReply(await app.send('GET', createPath(upload, `/${number}`), { headers })),
      '400 INVALID_INPUT',
    )
  const lastReply = await app.send('GET', createPath(upload, '/10000'), { headers })
  assert.deepEqual([lastReply.status, lastReply.json.data.url.includes('partNumber=10000')], [200, true])
  const lastPartsRequest = { headers, query: { partNumbers: '9999,10000' } }
  assert.equal((await app.send('GET', createPath(upload, '/batch'), lastPartsRequest)).status, 200)
  const tooManyPartNumbers = Array.from({ length: 1001 }, (_, at) => at + 1).join(',')
  for (const partNumbers of ['', '0', '1,10001', '1,,2', '1,x', '1e2', tooManyPartNumbers]) {
    const { status, json } = await app.send('GET', createPath(upload, '/batch'), {
      headers,
      query: { partNumbers },
    })
    assert.equal(status, 400, partNumbers)
    assert.match(
      json.error.message,
      /^partNumbers: expected at most 1000 numbers from 1 to 10000, separated by commas/,
    )
  }
})

test('a multipart upload cannot be accessed by another identity, even with the key of the upload', async () => {
  const upload = await startUpload()
  const otherUpload = await startUpload()
  const part = await sendPart(upload, 1, 'words')
  const strangerHeaders = { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
  const requests = [
    ['GET', '', {}, strangerHeaders],
    ['GET', '/1', { key: upload.key }, strangerHeaders],
    ['POST', '/complete', {}, strangerHeaders],
    ['DELETE', '', { key: upload.key }, strangerHeaders],
    ['GET', '', { key: otherUpload.key }, headers],
    ['DELETE', '', { key: '' }, headers],
  ] as const
  for (const [method, suffix, query, who] of requests) {
    const body = method === 'POST' ? { body: { parts: [part] } } : {}
    const refusal = await app.send(method, createPath(upload, suffix), { headers: who, query, ...body })
    assert.equal(describeReply(refusal), '404 UPLOAD_NOT_FOUND', `${method} ${suffix}`)
  }
  // Uploads that need no identity use other endpoints, which cannot access this upload.
  const open = `/v1/uploads/s3/multipart/${upload.uploadId}`
  const replyByKey = await app.send('GET', open, { headers: strangerHeaders, query: { key: upload.key } })
  assert.equal(describeReply(replyByKey), '404 UPLOAD_NOT_FOUND')
  assert.equal(describeReply(await complete(upload, [part])), '200')
})

test('a multipart upload above the plan limit is rejected when it is declared, at the next part, and on completion', async () => {
  const smallApp = app.with({ config: { ...app.services.config, MAX_FILE_MB: 6 } })
  const announcedFile = { filename: 'a', size: 6 * mib + 1 }
  const atOnce = await smallApp.send('POST', '/v1/uploads/multipart', { headers, body: announcedFile })
  assert.equal(describeReply(atOnce), '413 FILE_TOO_LARGE')

  const nextUpload = await startUpload({}, smallApp)
  await sendPart(nextUpload, 1, Buffer.alloc(6 * mib))
  assert.equal(
    describeReply(await app.send('GET', createPath(nextUpload, '/2'), { headers })),
    '413 FILE_TOO_LARGE',
  )
  await assertNothingIsLeft(nextUpload)

  const lastUpload = await startUpload({}, smallApp)
  const parts = [
    await sendPart(lastUpload, 1, largeBytes),
    await sendPart(lastUpload, 2, Buffer.alloc(mib + 1)),
  ]
  assert.equal(describeReply(await complete(lastUpload, parts)), '413 FILE_TOO_LARGE')
  await assertNothingIsLeft(lastUpload)
})

test('POST /v1/uploads/presign refuses a file over 5 GiB with a hint to use a multipart upload', async () => {
  const body = { filename: 'a', contentType: 'video/mp4', size: 5 * 1024 * mib + 1 }
  const { status, json } = await app.send('POST', '/v1/uploads/presign', { headers, body })
  assert.deepEqual([status, json.error.code, json.error.details.field], [413, 'FILE_TOO_LARGE', 'size'])
  assert.match(json.error.message, /at most 5 GiB .* POST \/v1\/uploads\/multipart/)
})

test('without a bucket, POST /v1/convert and multipart uploads fail with STORAGE_NOT_CONFIGURED', async () => {
  const config = { ...app.services.config, BUCKET_NAME: 'elsewhere' }
  const appWithoutBucket = app.with(createServices(config))
  const form = new FormData()
  form.set('file', new Blob(['# Hi']), 'hi.md')
  form.set('targetFormat', 'html')
  for (const [path, body] of [
    ['/v1/uploads/multipart', { filename: 'a' }],
    ['/v1/uploads/s3/multipart', { filename: 'a' }],
    ['/v1/convert', form],
  ] as const) {
    const listedReply = await appWithoutBucket.send('POST', path, { headers, body })
    assert.deepEqual([listedReply.status, listedReply.json.error.code], [503, 'STORAGE_NOT_CONFIGURED'], path)
    assert.match(listedReply.json.error.message, /The operator of the service has to fix this\.$/)
    assert.equal(listedReply.headers['retry-after'], '10')
  }
})
