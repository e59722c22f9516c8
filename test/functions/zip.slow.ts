// Opens large ZIPs of results with common tools.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { after, before } from '../hooks.ts'
import { python3 } from '../support/python.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const mib = 1024 ** 2
const folder = scratchFolder('mutabor-zip')

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
  // Gets an identity first, because concurrent requests would each get a different identity.
  await client.presign({ filename: 'a.mp4', size: 1 })
})
after(() => service.stop())

/** Creates a playable video followed by zeros: a sparse file, which needs no space until it is uploaded. */
async function writeVideo(name: string, bytes: number, blockContent?: Buffer): Promise<string> {
  const start = await readFile(new URL('../fixtures/video.mp4', import.meta.url))
  const box = Buffer.alloc(16)
  box.writeUInt32BE(1, 0)
  box.write('free', 4)
  box.writeBigUInt64BE(BigInt(bytes - start.length), 8)
  const path = join(folder, name)
  const file = await open(path, 'w')
  await file.write(Buffer.concat([start, box, blockContent ?? Buffer.alloc(0)]))
  await file.truncate(bytes)
  await file.close()
  return path
}

/** Creates a job whose result is this file, unchanged. */
async function createJobFor(path: string, bytes: number, filename: string): Promise<string> {
  const { url, uploadId } = await client.presign({ filename, size: bytes, contentType: 'video/mp4' })
  await run('curl', ['-sSf', '-H', 'Content-Type: video/mp4', '-T', path, url])
  const tasks = {
    in: { operation: 'import/upload', upload_id: uploadId },
    out: { operation: 'export/url', input: 'in' },
  }
  const job = await client.accepted(await client.post('/v1/jobs', { tasks }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  return job.jobId
}

/** Downloads the ZIP of these jobs to a file. */
async function downloadZip(jobIds: readonly string[]): Promise<string> {
  const begin = performance.now()
  const job = await client.accepted(await client.post('/v1/download/zip?async=true', { jobIds }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  console.info(`# a ZIP of ${job.result?.size} bytes took ${Math.round(performance.now() - begin)} ms`)
  const path = join(folder, 'results.zip')
  const response = await client.fetch(`/v1/download/${job.jobId}`, { redirect: 'follow' })
  assert.ok(response.body)
  // Node and the web standard have different types for the same stream.
  await pipeline(
    Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
    createWriteStream(path),
  )
  return path
}

const pythonScript = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(len(archive.namelist()), sum(one.file_size for one in archive.infolist() if one.filename != 'manifest.json'))
`

/** Asserts with three ZIP programs that a ZIP is intact and has these totals. */
async function assertZipOpens(path: string, fileCount: number, bytes: number): Promise<void> {
  const { stdout: listedMembers } = await run('unzip', ['-tqq', path])
  assert.equal(listedMembers, '')
  const { stdout: countedMembers } = await run(python3, ['-c', pythonScript, path])
  assert.equal(countedMembers.trim(), `${fileCount + 1} ${bytes}`)
  const { stdout: tested } = await run('7zz', ['t', path])
  assert.match(tested, /Everything is Ok/)
}

test('a hundred results of 20 MB are downloaded as one ZIP', async () => {
  const bytes = 20 * mib
  const path = await writeVideo('twenty.mp4', bytes, randomBytes(19 * mib))
  const jobIds: string[] = []
  await forEachConcurrently(
    Array.from({ length: 100 }, (_, at) => at),
    4,
    async () => {
      jobIds.push(await createJobFor(path, bytes, 'same.mp4'))
    },
  )
  await assertZipOpens(await downloadZip(jobIds), 100, 100 * bytes)
  for (const jobId of jobIds) await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })
})

test('a ZIP of results with five gigabytes is intact according to unzip, Python and 7-Zip', async () => {
  const bytes = 4900 * mib
  const path = await writeVideo('large.mp4', bytes)
  const jobId = await createJobFor(path, bytes, 'large.mp4')
  await rm(path)
  const smallJob = await createJobFor(await writeVideo('small.mp4', mib), mib, 'after.mp4')
  await assertZipOpens(await downloadZip([jobId, smallJob]), 2, bytes + mib)
})
