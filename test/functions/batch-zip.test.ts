import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js'
import { after, before } from '../hooks.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

/** Tests the download of a batch: a ZIP of all results, which is packed at the first request. */

const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

type BatchResult = Omit<NonNullable<JobData['result']>, 'size' | 'sha256'> & {
  readonly size: number | null
  readonly sha256: string | null
  readonly files: readonly {
    readonly filename: string
    readonly downloadUrl: string
    readonly size: number
  }[]
}

async function convertBatch(files: readonly Buffer<ArrayBuffer>[], fields: Record<string, string> = {}) {
  const form = new FormData()
  for (const [at, bytes] of files.entries()) form.append('file', new Blob([bytes]), `image-${at}.png`)
  for (const [name, value] of Object.entries({ targetFormat: 'webp', ...fields })) form.set(name, value)
  const job = await client.accepted(await client.fetch('/v1/convert/batch', { method: 'POST', body: form }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  return { job, result: job.result as unknown as BatchResult } // of a completed batch
}

/** Follows redirects as long as they lead to a download of the service, and returns the last reply. */
async function locateResult(url: string, init: RequestInit = {}): Promise<Response> {
  for (let location = url; ; ) {
    const response = await fetch(new URL(location, service.url), { redirect: 'manual', ...init })
    const next = response.headers.get('location')
    if (!next?.startsWith('/v1/download/')) return response
    location = next
  }
}

const listEntries = async (zip: ArrayBuffer) =>
  (await new ZipReader(new BlobReader(new Blob([zip]))).getEntries()).filter((entry) => !entry.directory)

test('the download URL of a batch returns one ZIP of its results, and the manifest and warnings name failed items', async () => {
  const { job, result } = await convertBatch([png, Buffer.from('not an image\n'), png])
  assert.deepEqual(
    [result.filename, result.mimeType, result.size, result.sha256],
    ['results.zip', 'application/zip', null, null],
  )
  assert.deepEqual(
    job.warnings.filter(({ code }) => code === 'ITEM_FAILED').map(({ field }) => field),
    ['item-002'],
  )
  // A client without credentials needs only the signature.
  const response = await fetch(result.downloadUrl)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-disposition') ?? '', /attachment; filename="?results\.zip/)
  const zip = await response.arrayBuffer()
  const entries = await listEntries(zip)
  assert.deepEqual(
    entries.map(({ filename }) => filename),
    ['image-0.webp', 'image-2.webp', 'manifest.json'],
  )
  const manifest = JSON.parse((await entries[2]?.getData?.(new TextWriter())) ?? '') as {
    status: string
    task: string | null
  }[]
  assert.deepEqual(
    manifest.map(({ status, task }) => [status, task]),
    [
      ['completed', null],
      ['completed', null],
      ['failed', 'item-002'],
    ],
  )
  // Each file is still available on its own.
  const firstDownload = await fetch(result.files[1]?.downloadUrl ?? '')
  assert.equal((await firstDownload.arrayBuffer()).byteLength, result.files[1]?.size)
  for (const query of ['file=image-2.webp', 'task=item-003']) {
    const selectedDownload = await client.fetch(`/v1/download/${job.jobId}?${query}`, { redirect: 'follow' })
    assert.match(selectedDownload.headers.get('content-disposition') ?? '', /image-2\.webp/, query)
  }
})

test('the ZIP of a batch is packed once, and supports range, conditional and HEAD requests', async () => {
  const { job, result } = await convertBatch([png, png])
  const [first, second, head] = await Promise.all([
    locateResult(result.downloadUrl),
    locateResult(`/v1/download/${job.jobId}`),
    locateResult(result.downloadUrl, { method: 'HEAD' }),
  ])
  const getPath = (response: Response) => new URL(response.headers.get('location') ?? '').pathname
  assert.deepEqual([getPath(second), getPath(head)], [getPath(first), getPath(first)])
  const address = first.headers.get('location') ?? ''
  const wholeDownload = await fetch(address)
  const zip = Buffer.from(await wholeDownload.arrayBuffer())
  const digest = createHash('sha256').update(zip).digest('base64')
  assert.equal(first.headers.get('repr-digest'), `sha-256=:${digest}:`)
  const range = await fetch(address, { headers: { range: 'bytes=4-9' } })
  assert.deepEqual([range.status, Buffer.from(await range.arrayBuffer())], [206, zip.subarray(4, 10)])
  const etag = wholeDownload.headers.get('etag') ?? ''
  assert.equal((await fetch(address, { headers: { 'if-none-match': etag } })).status, 304)
  const headReply = await fetch(head.headers.get('location') ?? '', { method: 'HEAD' })
  assert.equal(headReply.headers.get('content-length'), String(zip.length))
})

test('a signed link without a file name returns the ZIP of a batch', async () => {
  const { job } = await convertBatch([png, png])
  const reply = await client.post('/v1/download/signed', { jobId: job.jobId, maxDownloads: 1 })
  const { data } = (await reply.json()) as { data: { url: string } }
  const zip = await fetch((await locateResult(data.url)).headers.get('location') ?? '')
  assert.equal((await listEntries(await zip.arrayBuffer())).length, 3)
  assert.equal((await locateResult(data.url)).status, 410, 'the one download is used up')
})

test('a batch with a single result returns the file itself, but a batch with failFast returns a ZIP', async () => {
  const { result: single } = await convertBatch([png])
  assert.deepEqual([single.filename, single.mimeType], ['image-0.webp', 'image/webp'])
  assert.equal((await (await fetch(single.downloadUrl)).arrayBuffer()).byteLength, single.size)
  const { result } = await convertBatch([png, png], { failFast: 'true' })
  assert.equal((await listEntries(await (await fetch(result.downloadUrl)).arrayBuffer())).length, 3)
})

test('the ZIP of a batch is deleted with the batch, and packed again if only the ZIP was deleted', async () => {
  const { job, result } = await convertBatch([png, png])
  const getZipUrl = async () => (await locateResult(result.downloadUrl)).headers.get('location') ?? ''
  const findZipJobId = (address: string) => /job_\w+/.exec(new URL(address).pathname)?.[0] ?? ''
  const firstUrl = await getZipUrl()
  await client.fetch(`/v1/jobs/${findZipJobId(firstUrl)}`, { method: 'DELETE' })
  const address = await getZipUrl()
  assert.equal((await fetch(address)).status, 200)
  await client.fetch(`/v1/jobs/${job.jobId}`, { method: 'DELETE' })
  assert.equal((await fetch(result.downloadUrl)).status, 410)
  assert.equal((await fetch(address)).status, 404)
  assert.equal((await client.fetch(`/v1/jobs/${findZipJobId(address)}`)).status, 404)
})
