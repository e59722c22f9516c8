import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { findPidsWithEnvironment, listDescendants } from '../support/processes.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const run = promisify(execFile)

interface Input {
  readonly name: string
  readonly bytes: Buffer<ArrayBuffer>
  readonly to: string
}

/** Inputs for three images, each long enough to be killed in the middle. */
async function createInputs(): Promise<Input[]> {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-kill-'))
  const video = join(dir, 'v.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=480x270:rate=25:duration=3']
  await run('ffmpeg', ['-v', 'error', ...source, '-pix_fmt', 'yuv420p', video])
  const mp4 = Buffer.from(await readFile(video))
  await rm(dir, { recursive: true })
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width: 1000, height: 700, channels: 3, background: '#888', noise } })
  const png = Buffer.from(await image.png({ compressionLevel: 1 }).toBuffer())
  const html = Buffer.from(
    `<html><body>${'<p>Words of a long document, page after page.</p>'.repeat(3000)}</body></html>`,
  )
  const repeatInput = (count: number, input: Input) => Array.from({ length: count }, () => input)
  return [
    ...repeatInput(2, { name: 'v.mp4', bytes: mp4, to: 'webm' }),
    ...repeatInput(2, { name: 'i.png', bytes: png, to: 'avif' }),
    ...repeatInput(2, { name: 'd.html', bytes: html, to: 'pdf' }),
  ]
}

async function countProcessing(client: Client, ids: readonly string[]): Promise<number> {
  const states = await Promise.all(
    ids.map(
      async (id) => ((await (await client.fetch(`/v1/status/${id}`)).json()) as { status: string }).status,
    ),
  )
  return states.filter((status) => status === 'processing').length
}

test('six jobs survive SIGKILL of every process of the service and each completes once', {
  timeout: 240_000,
}, async () => {
  const inputs = await createInputs()
  let service: TestService = await startService()
  const { dataDir } = service
  try {
    const client = new Client(service)
    await client.fetch('/v1')
    const ids: string[] = []
    for (const { name, bytes, to } of inputs) {
      const response = await client.convert({ name, bytes }, { targetFormat: to })
      assert.equal(response.status, 202)
      ids.push(((await response.json()) as { jobId: string }).jobId)
    }
    await waitUntil(async () => (await countProcessing(client, ids)) >= 3, 'several jobs are processing', 30)
    const workers = listDescendants(service.pid).filter(({ command }) => command.includes('worker.ts'))
    assert.ok(workers.length >= 2, 'each image with tasks has a worker')
    for (const worker of workers) process.kill(worker.pid, 'SIGKILL')
    const database = listDescendants(service.pid).find(({ command }) => command.includes('dynoxide'))
    assert.ok(database, 'the database is running')
    process.kill(database.pid, 'SIGKILL')
    await waitUntil(
      () =>
        countProcessing(client, ids).then(
          (count) => count >= 1,
          () => false,
        ),
      'the service works again after its workers and its database were killed',
      30,
    )
    await service.kill()
    const { port } = new URL(service.url)
    const leftoverProcesses = findPidsWithEnvironment(`DATA_DIR=${dataDir}`)
    assert.deepEqual(leftoverProcesses, [], 'no process outlives the service')

    service = await startService({ PORT: port }, dataDir)
    const jobs = await Promise.all(ids.map((id) => client.finishedJob(id)))
    assert.deepEqual(
      jobs.map(({ status, error }) => [status, error]),
      ids.map(() => ['completed', null]),
    )
    const results = await Promise.all(ids.map((id) => client.download(id)))
    assert.deepEqual(
      results.map(({ length }) => length),
      jobs.map(({ result }) => result?.size),
    )
    const listedJobs = (await (await client.fetch('/v1/jobs?limit=100')).json()) as {
      data: { jobs: unknown[] }
    }
    assert.equal(listedJobs.data.jobs.length, ids.length)
  } finally {
    await service.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
})
