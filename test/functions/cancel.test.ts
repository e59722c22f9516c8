import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { after, before } from '../hooks.ts'
import { listDescendants, readProportionalBytes } from '../support/processes.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const run = promisify(execFile)

let service: TestService
let client: Client
let video: { name: string; bytes: Buffer<ArrayBuffer> }
before(async () => {
  service = await startService({ WORKER_IDLE_S: '1' })
  client = new Client(service)
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-cancel-'))
  const path = join(dir, 'long.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25:duration=60']
  await run('ffmpeg', ['-v', 'error', ...source, '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', path])
  video = { name: 'long.mp4', bytes: Buffer.from(await readFile(path)) }
  await rm(dir, { recursive: true })
})
after(() => service.stop())

const fetchStatus = async (jobId: string) =>
  ((await (await client.fetch(`/v1/status/${jobId}`)).json()) as { data: JobData }).data

const isFfmpegRunning = () =>
  listDescendants(service.pid).some(({ command }) => /(^|\/|\s)ffmpeg\s/.test(command))

test('cancelling a long conversion stops the engine and deletes the work folder of the task', async () => {
  const createdReply = await client.convert(video, { targetFormat: 'webm' })
  const { jobId } = (await createdReply.json()) as { jobId: string }
  const seenPercents: number[] = []
  await waitUntil(
    async () => {
      seenPercents.push((await fetchStatus(jobId)).progress.percent)
      return new Set(seenPercents).size >= 3
    },
    'three different percentages',
    60,
  )
  assert.deepEqual(
    seenPercents,
    seenPercents.toSorted((a, b) => a - b),
    'progress never decreases',
  )
  assert.ok(
    (seenPercents.at(-1) ?? 0) < 100,
    `the job finished before it could be cancelled: ${seenPercents}`,
  )
  assert.ok(isFfmpegRunning(), 'ffmpeg does not run while the job is processing')

  const cancelReply = await client.fetch(`/v1/jobs/${jobId}/cancel`, { method: 'POST' })
  assert.equal(cancelReply.status, 200)
  assert.equal((await fetchStatus(jobId)).status, 'cancelled')
  await waitUntil(() => !isFfmpegRunning(), 'the engine stops', 6)
  await waitUntil(
    () => !readdirSync(join(service.dataDir, 'work')).some((name) => name.startsWith('task-')),
    'its work folder is gone',
    5,
  )
  const secondCancelReply = await client.fetch(`/v1/jobs/${jobId}/cancel`, { method: 'POST' })
  assert.equal(secondCancelReply.status, 409)
  const download = await client.fetch(`/v1/download/${jobId}`)
  assert.equal(download.status, 409)
})

test('the idle service uses at most 170 MiB after its workers have exited', async () => {
  await waitUntil(
    () => !listDescendants(service.pid).some(({ command }) => command.includes('worker.ts')),
    'idle workers exit',
    20,
  )
  const allPids = [service.pid, ...listDescendants(service.pid).map(({ pid }) => pid)]
  const total = allPids.reduce((sum, pid) => sum + readProportionalBytes(pid), 0)
  assert.ok(total <= 170 * 1024 ** 2, `${Math.round(total / 1024 ** 2)} MiB`)
})
