// Run by `npm run test:slow -- test/local/flood.slow.ts`: one owner sends hundreds of jobs. FLOOD sets their number.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const floodSize = Number(process.env['FLOOD'] ?? 500)
const otherOwnerCount = 10
const senderCount = 8

interface Workload {
  readonly name: string
  readonly bytes: Buffer<ArrayBuffer>
  readonly to: string
}

type FinishedJob = JobData & { readonly startedAt: string; readonly endedAt: string }

/** Creates a short conversion for each of three container images. */
async function createWork(): Promise<readonly Workload[]> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width: 700, height: 500, channels: 3, background: '#888', noise } })
  const report = await readFile(new URL('../fixtures/office/report.docx', import.meta.url))
  return [
    { name: 'a.png', bytes: Buffer.from(await image.png().toBuffer()), to: 'avif' },
    { name: 'a.md', bytes: Buffer.from('# Title\n\nSome words.\n'.repeat(50)), to: 'html' },
    { name: 'a.docx', bytes: Buffer.from(report), to: 'pdf' },
  ]
}

async function send(client: Client, { to, ...file }: Workload): Promise<string> {
  const response = await client.convert(file, { targetFormat: to })
  const body = (await response.json()) as { jobId: string }
  assert.equal(response.status, 202, JSON.stringify(body))
  return body.jobId
}

/** Lets ten owners send one job each at the same time. Returns the seconds until each of them had the result. */
async function measure(service: TestService, workloads: readonly Workload[]): Promise<number[]> {
  return Promise.all(
    Array.from({ length: otherOwnerCount }, async (_, at) => {
      const startedAt = performance.now()
      const client = new Client(service)
      const id = await send(client, workloads[at % workloads.length] as Workload) // the list is not empty
      const { status, error } = await client.finishedJob(id)
      assert.equal(status, 'completed', JSON.stringify(error))
      return (performance.now() - startedAt) / 1000
    }),
  )
}

test(`ten owners wait at most twice as long, plus one task, while another owner has ${floodSize} jobs`, {
  timeout: 1_800_000,
}, async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const workloads = await createWork()
  await measure(service, workloads)
  const idleDurationsS = await measure(service, workloads)
  const flooder = new Client(service)
  await flooder.fetch('/v1')
  const ids: string[] = []
  let sentCount = 0
  const sendAll = async () => {
    while (sentCount < floodSize)
      ids.push(await send(flooder, workloads[sentCount++ % workloads.length] as Workload))
  }
  await Promise.all(Array.from({ length: senderCount }, sendAll))
  const { data } = (await (await flooder.fetch('/v1/jobs?status=queued&limit=100')).json()) as {
    data: { jobs: unknown[] }
  }
  assert.equal(data.jobs.length, Math.min(100, floodSize), 'the flood has not ended')
  const floodDurationsS = await measure(service, workloads)
  const formatSeconds = (times: readonly number[]) => times.map((time) => time.toFixed(1)).join(', ')
  t.diagnostic(
    `on an empty service ${formatSeconds(idleDurationsS)} s, during the flood ${formatSeconds(floodDurationsS)} s`,
  )
  let maxTaskS = 0
  for (const id of ids) {
    const { status, error, startedAt, endedAt } = (await flooder.finishedJob(id)) as FinishedJob
    assert.equal(status, 'completed', JSON.stringify(error))
    maxTaskS = Math.max(maxTaskS, (Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
    await pause(0)
  }
  t.diagnostic(`the longest task of the flood took ${maxTaskS.toFixed(1)} s`)
  // A task waits for at most one task of the flood, and then shares the processors with others.
  assert.ok(
    Math.max(...floodDurationsS) <= 2 * Math.max(...idleDurationsS) + maxTaskS,
    formatSeconds(floodDurationsS),
  )
})
