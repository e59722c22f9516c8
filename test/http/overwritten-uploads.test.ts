// Anyone who has the URL of an upload can overwrite the file until the URL expires: content that was not checked must
// never be used. See test/functions/uploads.test.ts for workers.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import { openBucketClients } from '../../lib/aws/bucket-clients.ts'
import type { Files } from '../../lib/aws/files.ts'
import { receiveStoredFile } from '../../lib/conversion/receive-upload.ts'
import { newId } from '../../lib/ids.ts'
import type { Jobs } from '../../lib/jobs/jobs.ts'
import { after, before } from '../hooks.ts'

import { scratchFolder } from '../support/scratch-folder.ts'
import type { Presigned } from '../support/service.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'
import { once, runBefore } from './fault-injection.ts'

const png = readFileSync(new URL('../fixtures/alpha.png', import.meta.url))
/** Differs from `png` in one byte. */
const otherPng = Buffer.from(png.map((byte, at) => (at === png.length - 20 ? byte ^ 1 : byte)))

const folder = scratchFolder('overwritten')
let app: EmbeddedApp
let headers: Record<string, string>
before(async () => {
  app = await openApp()
  headers = { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
})
after(() => app.close())

interface PresignedUpload extends Presigned {
  readonly key: string
}

/** Sends content to the URL without any authentication. */
const put = async (
  { url, headers: signedHeaders }: PresignedUpload,
  body: Buffer,
  changedHeaders: Record<string, string> = {},
) => (await fetch(url, { method: 'PUT', headers: { ...signedHeaders, ...changedHeaders }, body })).status

async function createUpload(): Promise<PresignedUpload> {
  const announcedFile = { filename: 'a.png', contentType: 'image/png', size: png.length }
  const { json } = await app.send('POST', '/v1/uploads/presign', { headers, body: announcedFile })
  assert.equal(await put(json.data, png), 200)
  return json.data
}

const convert = (uploadId: string, on = app) =>
  on.send('POST', '/v1/convert', { headers, body: { uploadId, targetFormat: 'webp' } })

/** Fetches the file of a job as a worker would. */
async function fetchAsWorker(jobId: string): Promise<Buffer> {
  const state = await app.services.jobs.store.getState(jobId)
  const [file] = state?.fixed.flatMap(({ files = [] }) => files) ?? []
  assert.ok(file, 'the job has the file')
  await app.services.files.getFile(file, join(folder, jobId), AbortSignal.timeout(10_000))
  return readFileSync(join(folder, jobId))
}
/** Keys of all files of an upload. */
async function listStoredKeys(uploadId: string): Promise<string[]> {
  const { config } = app.services
  const { s3, paginateListObjectsV2 } = await openBucketClients(config)
  const keys: string[] = []
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: config.BUCKET_NAME }))
    keys.push(...Contents.map(({ Key = '' }) => Key))
  return keys.filter((key) => key.includes(uploadId))
}

test('a presigned upload accepts only content of the declared size and type, and may be overwritten before a conversion', async () => {
  const presignedUpload = await createUpload()
  assert.equal(await put(presignedUpload, Buffer.concat([png, png])), 403)
  assert.equal(await put(presignedUpload, png, { 'Content-Type': 'text/html' }), 403)
  assert.equal(await put(presignedUpload, otherPng), 200)
  const { status, json } = await convert(presignedUpload.uploadId)
  assert.equal(status, 202)
  await fetchAsWorker(json.jobId)
})

test('an upload that changes while it is checked is refused and creates no job', async () => {
  const presignedUpload = await createUpload()
  const files: Files = runBefore(
    app.services.files,
    'read',
    once(() => put(presignedUpload, otherPng)),
  )
  const reply = await convert(presignedUpload.uploadId, app.with({ files }))
  assert.deepEqual([reply.status, reply.json.error.code], [409, 'CONFLICT'])
  const repeatedReply = await convert(presignedUpload.uploadId)
  assert.equal(repeatedReply.status, 202, 'the new content can be used now')
})

test('an upload that changes after it was checked does not affect its job', async () => {
  const presignedUpload = await createUpload()
  const jobs: Jobs = runBefore(app.services.jobs, 'create', () => put(presignedUpload, otherPng))
  const { status, json } = await convert(presignedUpload.uploadId, app.with({ jobs }))
  assert.equal(status, 202)
  assert.deepEqual(await fetchAsWorker(json.jobId), png)
  const keys = await listStoredKeys(presignedUpload.uploadId)
  assert.deepEqual([keys.length, keys.includes(presignedUpload.key)], [1, false], 'the URL leads nowhere')
})

test('an upload that changes after its job ended is not used by a retry', async () => {
  const presignedUpload = await createUpload()
  const { json } = await convert(presignedUpload.uploadId)
  await app.send('POST', `/v1/jobs/${json.jobId}/cancel`, { headers })
  assert.equal(await put(presignedUpload, otherPng), 200)
  const retryReply = await app.send('POST', `/v1/jobs/${json.jobId}/retry`, { headers })
  assert.equal(retryReply.status, 202, retryReply.text)
  assert.deepEqual(await fetchAsWorker(retryReply.json.jobId), png)
})

for (const stage of ['head', 'read', 'copy', 'create'] as const) {
  test(`an upload that another job claims just before the call of ${stage}() belongs to that job`, async () => {
    const presignedUpload = await createUpload()
    let winningReply: Awaited<ReturnType<typeof convert>> | undefined
    const convertOnce = once(async () => {
      winningReply = await convert(presignedUpload.uploadId)
    })
    const { files, jobs } = app.services
    const changedServices =
      stage === 'create'
        ? { jobs: runBefore(jobs, stage, convertOnce) }
        : { files: runBefore(files, stage, convertOnce) }
    const lateReply = await convert(presignedUpload.uploadId, app.with(changedServices))
    assert.deepEqual([lateReply.status, lateReply.json.error?.code], [409, 'CONFLICT'], lateReply.text)
    assert.equal(winningReply?.status, 202)
    assert.deepEqual(await fetchAsWorker(winningReply.json.jobId), png)
    await app.services.jobs.delete(winningReply.json.jobId)
    assert.deepEqual(await listStoredKeys(presignedUpload.uploadId), [], 'neither job leaves a file')
  })
}

test('a damaged upload in a batch is deleted, and so is content that is sent to its URL later', async () => {
  const [validUpload, overwrittenUpload] = [await createUpload(), await createUpload()]
  assert.equal(await put(overwrittenUpload, Buffer.alloc(png.length)), 200)
  const items = [validUpload, overwrittenUpload].map(({ uploadId }) => ({ uploadId, targetFormat: 'webp' }))
  const { status, text } = await app.send('POST', '/v1/convert/batch', { headers, body: { items } })
  assert.equal(status, 202, text)
  assert.deepEqual(await listStoredKeys(overwrittenUpload.uploadId), [])
  assert.equal(await put(overwrittenUpload, png), 200)
  await receiveStoredFile(
    { uploadId: overwrittenUpload.uploadId, key: overwrittenUpload.key, createdAt: new Date() },
    app.services,
  )
  assert.deepEqual(await listStoredKeys(overwrittenUpload.uploadId), [])
})

test('a presigned upload URL cannot be used to read or delete the file, or to write another file', async () => {
  const presignedUpload = await createUpload()
  for (const method of ['GET', 'HEAD', 'DELETE', 'POST']) {
    const { status } = await fetch(presignedUpload.url, { method, headers: { ...presignedUpload.headers } })
    assert.equal(status, 403, method)
  }
  const otherTarget = {
    ...presignedUpload,
    url: presignedUpload.url.replace(presignedUpload.uploadId, newId('upl')),
  }
  assert.equal(await put(otherTarget, png), 403)
  const otherClientReply = await app.send('POST', '/v1/convert', {
    body: { uploadId: presignedUpload.uploadId, targetFormat: 'webp' },
  })
  assert.deepEqual([otherClientReply.status, otherClientReply.json.error.code], [404, 'UPLOAD_NOT_FOUND'])
  assert.equal((await convert(presignedUpload.uploadId)).status, 202)
})

test('a merge that names an upload by its id and again by its key is rejected, and the error names the field', async () => {
  const { uploadId, key } = await createUpload()
  const body = { uploadIds: [uploadId, key], mergeType: 'image' }
  const { status, json } = await app.send('POST', '/v1/convert/merge', { headers, body })
  assert.deepEqual([status, json.error.code, json.error.details.field], [400, 'INVALID_INPUT', 'uploadIds'])
})
