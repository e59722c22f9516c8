import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { listDescendants } from '../support/processes.ts'
import { Client, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

/** An image that takes long to encode. */
async function createNoise(width: number, height: number): Promise<Buffer<ArrayBuffer>> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width, height, channels: 3, background: '#888', noise } })
  return Buffer.from(await image.png({ compressionLevel: 1 }).toBuffer())
}

interface LogLine {
  readonly msg: string
  readonly jobId?: string
  readonly attempt?: number
}

const readLog = async (dataDir: string): Promise<LogLine[]> =>
  (await readFile(join(dataDir, 'service.log'), 'utf8'))
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

const listWorkers = (pid: number) =>
  listDescendants(pid).filter(({ command }) => command.includes('worker.ts convert'))

test('tasks whose worker crashed run alone, and only the one that crashes again fails', {
  timeout: 300_000,
}, async (t) => {
  const service = await startService({ PARALLEL: '2' })
  const { dataDir } = service
  t.after(async () => {
    await service.kill()
    await rm(dataDir, { recursive: true, force: true })
  })
  const client = new Client(service)
  await client.fetch('/v1')
  const create = async (bytes: Buffer<ArrayBuffer>) => {
    const response = await client.convert({ name: 'a.png', bytes }, { targetFormat: 'avif' })
    return ((await response.json()) as { jobId: string }).jobId
  }
  const listClaims = async (jobId: string) =>
    (await readLog(dataDir)).filter((line) => line.msg === 'task claimed' && line.jobId === jobId)
  // Creates both images first, because the neighbor must still be running when its worker is killed.
  const images = [await createNoise(3200, 2400), await createNoise(4000, 3000)] as const
  const neighborJob = await create(images[0])
  await waitUntil(async () => (await listClaims(neighborJob)).length === 1, 'the neighbor runs', 60)
  const crashingJob = await create(images[1])
  await waitUntil(async () => (await listClaims(crashingJob)).length === 1, 'both tasks run', 60)
  const [sharedWorker, ...otherWorkers] = listWorkers(service.pid)
  assert.ok(sharedWorker && otherWorkers.length === 0, 'both run in the same worker')
  process.kill(sharedWorker.pid, 'SIGKILL')
  await waitUntil(async () => (await listClaims(neighborJob)).length === 2, 'the neighbor runs again', 60)
  assert.equal((await client.finishedJob(neighborJob)).status, 'completed')
  // From now on, only the task of the crashing job runs, in a worker of its own.
  for (let claims = 2; claims <= 4; claims++) {
    await waitUntil(async () => (await listClaims(crashingJob)).length === claims, `claim ${claims}`, 60)
    for (const { pid } of listWorkers(service.pid)) process.kill(pid, 'SIGKILL')
  }
  const { status, error } = await client.finishedJob(crashingJob)
  assert.equal(status, 'failed')
  assert.match(String(error?.message), /crashed in all three attempts/)
  const log = await readLog(dataDir)
  const isolationLines = log.filter(({ msg }) => msg === 'task is sent to a worker of its own')
  assert.deepEqual(new Set(isolationLines.map(({ jobId }) => jobId)), new Set([neighborJob, crashingJob]))
})
