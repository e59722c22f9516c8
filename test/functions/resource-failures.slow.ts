// Run by `npm run test:slow`: tests the whole service on a full disk, and with a table that does not respond.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { listDescendants } from '../support/processes.ts'
import { Client, type JobData, startService } from '../support/service.ts'
import { makeSmallDisk } from '../support/small-disk.ts'
import { waitUntil } from '../support/wait-until.ts'

const text = { name: 'note.txt', bytes: new Uint8Array(Buffer.from('words')) }
const settings = { MIN_FREE_DISK_GB: '0' }

async function readError(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return {
    status: response.status,
    code: error.code,
    retryAfter: Number(response.headers.get('retry-after')),
  }
}

/** Creates ten minutes of silence, which would be too large for a fixture even as FLAC. */
async function createSilence(path: string) {
  const source = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=stereo', '-t', '600']
  execFileSync('ffmpeg', ['-v', 'error', ...source, path])
  const bytes = new Uint8Array(await readFile(path))
  await rm(path)
  return { name: 'silence.flac', bytes }
}

async function runJob(client: Client): Promise<JobData> {
  const job = await client.accepted(await client.convert(text, { targetFormat: 'html' }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  return job
}

test('on a full disk the service keeps running, reports the reason, and recovers after files are deleted', async (t) => {
  const disk = makeSmallDisk(t, 300)
  if (typeof disk === 'string') return t.skip(disk)
  const dataDir = join(disk.folder, 'data')
  const readReservedBytes = () => statSync(join(dataDir, '.reserve'), { throwIfNoEntry: false })?.size ?? 0
  const firstService = await startService(settings, dataDir)
  t.after(() => firstService.kill())
  const client = new Client(firstService)
  const [kind, deletedJob, laterJob] = [await runJob(client), await runJob(client), await runJob(client)]
  await waitUntil(() => readReservedBytes() > 20e6, 'room is kept')
  disk.fill()

  const expectedError = { status: 503, code: 'INSUFFICIENT_DISK_SPACE', retryAfter: 60 }
  assert.deepEqual(await readError(await client.convert(text, { targetFormat: 'html' })), expectedError)
  const raw = { operation: 'import/raw', file: 'words', filename: 'a.txt' }
  assert.deepEqual(await readError(await client.post('/v1/jobs', { tasks: { raw } })), expectedError)
  assert.equal((await client.fetch(`/v1/status/${kind.jobId}`)).status, 200)
  assert.ok((await client.download(kind.jobId)).length > 0)
  assert.equal((await client.fetch(`/v1/jobs/${deletedJob.jobId}`, { method: 'DELETE' })).status, 204)
  assert.equal((await client.fetch(`/v1/status/${deletedJob.jobId}`)).status, 404)
  assert.ok(readReservedBytes() < 20e6, 'some of the reserve was released')

  await firstService.kill()
  disk.fill()
  const secondService = await startService(settings, dataDir)
  t.after(() => secondService.kill())
  const laterClient = client.at(secondService)
  assert.equal((await laterClient.fetch(`/v1/jobs/${laterJob.jobId}`, { method: 'DELETE' })).status, 204)
  // Another program uses all released space.
  for (let round = 0; readReservedBytes() > 0; round++) {
    assert.ok(round < 50)
    disk.fill()
    await laterClient.fetch('/v1/jobs')
  }
  disk.fill()
  assert.equal((await laterClient.fetch(`/v1/status/${kind.jobId}`)).status, 200)

  await secondService.kill()
  disk.fill()
  await assert.rejects(
    startService(settings, dataDir),
    /^Error: the service did not start: The disk of the data folder \S+ is full\. Delete other files on it, at least 4 MiB, or set another DATA_DIR, then start the service again\.\n$/,
  )

  disk.emptyDisk()
  const thirdService = await startService(settings, dataDir)
  t.after(() => thirdService.kill())
  await runJob(client.at(thirdService))
  assert.equal(
    (await client.at(thirdService).fetch(`/v1/jobs/${kind.jobId}`, { method: 'DELETE' })).status,
    204,
  )
  await waitUntil(() => readReservedBytes() > 20e6, 'the room is taken back', 15)
})

test('a conversion that fills the disk fails with FILE_TOO_LARGE, and the error names the available disk space', async (t) => {
  const disk = makeSmallDisk(t, 120)
  if (typeof disk === 'string') return t.skip(disk)
  const service = await startService(settings, join(disk.folder, 'data'))
  t.after(() => service.kill())
  const client = new Client(service)
  // Ten minutes of silence are a small file as FLAC, but take a hundred megabytes as WAV.
  const audio = await createSilence(join(disk.folder, 'silence.flac'))
  const job = await client.accepted(await client.convert(audio, { targetFormat: 'wav' }))
  // The file fills an otherwise empty disk, so waiting would not help.
  assert.equal(job.error?.code, 'FILE_TOO_LARGE', JSON.stringify(job))
  assert.match(job.error?.message ?? '', /needs more disk space than the 120 MiB that a conversion has/)
  await runJob(client)
})

test('an unresponsive database is reported within 5 s, and the service recovers when the database does', async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const client = new Client(service)
  const { jobId } = await runJob(client)
  const table = listDescendants(service.pid).find(({ command }) => command.includes('dynoxide'))?.pid
  assert.ok(table)
  process.kill(table, 'SIGSTOP')
  const stoppedAtMs = performance.now()
  for (const ask of [
    () => client.fetch(`/v1/status/${jobId}`),
    () => client.convert(text, { targetFormat: 'html' }),
    () => client.convert(text, { targetFormat: 'html' }, { 'idempotency-key': 'hardship' }),
    () => client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' }),
  ]) {
    const requestedAtMs = performance.now()
    const { status, code, retryAfter } = await readError(await ask())
    assert.deepEqual([status, code], [503, 'SERVICE_UNAVAILABLE'])
    assert.ok(retryAfter > 0)
    assert.ok(performance.now() - requestedAtMs < 5000, `it took ${performance.now() - requestedAtMs} ms`)
  }
  await pause(Math.max(0, 20_000 - (performance.now() - stoppedAtMs)))
  process.kill(table, 'SIGCONT')
  await waitUntil(async () => (await fetch(`${service.url}/health`)).ok, 'it is well again')
  assert.equal((await client.fetch(`/v1/status/${jobId}`)).status, 200)
  await runJob(client)
})
