// 200 clients upload at the same time, and half of them disconnect: none of their data may remain.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { test } from 'node:test'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { readStoredData, type StoredData } from '../support/stored-data.ts'
import { waitUntil } from '../support/wait-until.ts'

const png = readFileSync(new URL('../fixtures/alpha.png', import.meta.url))
const count = 200
/** Seconds after which nothing of an interrupted upload may be left. */
const maxCleanupS = 60

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
  // The first request creates the identity that all other requests use.
  await client.post('/v1/ws/tickets', {})
})
after(() => service.stop())

/** Sends the beginning of a body, waits until the service has it, and disconnects. */
async function disconnectDuringBody(
  url: string,
  method: string,
  headers: Record<string, string>,
  head: Buffer,
) {
  const sentRequest = request(url, {
    method,
    headers: { ...headers, 'content-length': String(head.length * 50) },
  })
  sentRequest.on('error', () => {})
  sentRequest.write(head)
  await once(sentRequest, 'socket')
  await new Promise((resolve) => setTimeout(resolve, 200))
  sentRequest.destroy()
}

const boundary = 'boundary'
const formHead = Buffer.concat([
  Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="targetFormat"\r\n\r\nwebp\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n`,
  ),
  Buffer.alloc(200_000, 1),
])

const multipart = '/v1/uploads/multipart'
interface Started {
  readonly uploadId: string
}
const readData = async <T>(response: Response) => ((await response.json()) as { data: T }).data

async function startMultipart(): Promise<{ path: string; url: string }> {
  const { uploadId } = await readData<Started>(await client.post(multipart, { filename: 'a.png' }))
  const path = `${multipart}/${uploadId}`
  const { url } = await readData<{ url: string }>(await client.fetch(`${path}/1`))
  return { path, url }
}

/** Functions that each upload in a different way, and return the id of the job if there is one. */
const uploads: readonly (() => Promise<string | undefined>)[] = [
  async () => {
    const file = { name: 'a.png', bytes: new Uint8Array(png) }
    return (await readData<{ jobId: string }>(await client.convert(file, { targetFormat: 'webp' }))).jobId
  },
  async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    await disconnectDuringBody(`${service.url}/v1/convert`, 'POST', headers, formHead)
    return undefined
  },
  async () => {
    const presignedUpload = await client.presign({
      filename: 'a.png',
      contentType: 'image/png',
      size: png.length,
    })
    await fetch(presignedUpload.url, { method: 'PUT', headers: { ...presignedUpload.headers }, body: png })
    const body = { uploadId: presignedUpload.uploadId, targetFormat: 'webp' }
    return (await readData<{ jobId: string }>(await client.post('/v1/convert', body))).jobId
  },
  async () => {
    const { path, url } = await startMultipart()
    await fetch(url, { method: 'PUT', body: png })
    await disconnectDuringBody(url, 'PUT', {}, Buffer.alloc(200_000, 1))
    assert.equal((await client.fetch(path, { method: 'DELETE' })).status, 200)
    return undefined
  },
]

/** Returns what uploads left behind: omits data that every service has or that belongs to the client's identity. */
const pickLeftovers = ({ records, objects, openUploads, blobs, work }: StoredData) => ({
  records: [...new Set(records.map((pk) => pk.split('#')[0] ?? ''))].filter((kind) =>
    ['JOB', 'UPLOAD', 'IDEM'].includes(kind),
  ),
  objects,
  openUploads,
  blobs,
  // A decoder process that waits for the next file has a folder, and workers have one for compiled code.
  work: work.filter((name) => !name.startsWith('mutabor-decoder-') && name !== 'compile-cache'),
})

test('200 concurrent uploads, half of them interrupted, leave no data after their jobs are deleted', async () => {
  const jobIds: string[] = []
  const allUploads = Array.from({ length: count }, (_, at) => uploads[at % uploads.length])
  await forEachConcurrently(allUploads, count, async (upload) => {
    const jobId = await upload?.()
    if (jobId !== undefined) jobIds.push(jobId)
  })
  assert.equal(jobIds.length, count / 2)
  await forEachConcurrently(jobIds, 8, async (jobId) => {
    assert.equal((await client.finishedJob(jobId)).status, 'completed')
    assert.equal((await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status, 204)
  })
  const noData = { records: [], objects: [], openUploads: [], blobs: 0, work: [] }
  const isGone = async () =>
    JSON.stringify(pickLeftovers(await readStoredData(service))) === JSON.stringify(noData)
  await waitUntil(isGone, 'nothing is left', maxCleanupS).catch(async () => {
    assert.deepEqual(pickLeftovers(await readStoredData(service)), noData)
  })
})
