import assert from 'node:assert/strict'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { estimateFromHistory } from '../../lib/conversion/estimate.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const readFixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

type LogLine = Readonly<Record<string, unknown>>

/** Waits for the log line of a metric of a job. */
async function readMetric(jobId: string, name: string): Promise<LogLine> {
  const path = join(service.dataDir, 'service.log')
  const timeoutSignal = AbortSignal.timeout(60_000)
  const changes = watch(path, { signal: timeoutSignal })
  const closedEvent = once(changes, 'close')
  for (;;) {
    const changedEvent = Promise.race([once(changes, 'change'), closedEvent])
    // The text after the last newline is a line that is still being written.
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
    const line = lines
      .filter((text) => text.includes('"metric"'))
      .map((text): LogLine => JSON.parse(text))
      .find((record) => record['jobId'] === jobId && name in record)
    if (line) {
      changes.close()
      return line
    }
    assert.ok(!timeoutSignal.aborted, `no ${name} of ${jobId} in time`)
    await changedEvent
  }
}

const listMetrics = (line: LogLine) =>
  (line['_aws'] as { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] })
    .CloudWatchMetrics

test('the duration of a job is recorded as a metric of its engine', async () => {
  const bytes = await readFixture('corners.png')
  const response = await client.convert({ name: 'a.png', bytes }, { targetFormat: 'webp' })
  const { jobId, status } = await client.accepted(response)
  assert.equal(status, 'completed')
  const line = await readMetric(jobId, 'Duration')
  assert.equal(line['Engine'], 'vips')
  assert.ok(Number(line['Duration']) > 0, `it took ${line['Duration']} ms`)
  const [metric] = listMetrics(line)
  assert.deepEqual(metric?.Dimensions, [['Engine']])
  assert.deepEqual(metric?.Metrics, [{ Name: 'Duration', Unit: 'Milliseconds' }])
})

interface Estimated {
  readonly jobId: string
  readonly estimate: { readonly queueMs: number; readonly runMs: number; readonly basis: string } | null
}

test('the estimate for a new conversion is based on the durations of earlier ones', async () => {
  const bytes = await readFixture('corners.png')
  const convert = async (headers: Record<string, string> = {}) => {
    const response = await client.convert({ name: 'a.png', bytes }, { targetFormat: 'tiff' }, headers)
    const { data } = (await response.json()) as { data: Estimated }
    const job = await client.finishedJob(data.jobId)
    assert.equal(job.status, 'completed')
    return data.estimate
  }
  const firstConversion = await convert()
  assert.equal(firstConversion?.basis, 'planned')
  assert.ok(
    (firstConversion?.runMs ?? 0) > 0 && (firstConversion?.queueMs ?? -1) >= 0,
    JSON.stringify(firstConversion),
  )
  await waitUntil(async () => (await convert())?.basis === 'recorded', 'what the first took is known')
  assert.equal(await convert({ prefer: 'wait=25' }), null, 'a finished job has no estimate')
})

test('the estimated duration grows less than proportionally with the size of the file', () => {
  const pastDurations = { runs: 4, ms: 4000, bytes: 400 }
  assert.deepEqual(
    [50, 100, 200, 1e9].map((size) => estimateFromHistory(pastDurations, size)),
    [650, 1000, 1700, 70_300],
  )
  assert.equal(estimateFromHistory({ runs: 2, ms: 10, bytes: 0 }, 5), 5)
})

test('a failed job is counted by its error code in the metrics', async () => {
  const bytes = await readFixture('three-pages.pdf')
  const fields = { toolOperation: 'remove-pdf-pages', pages: '7' }
  const response = await client.convert({ name: 'a.pdf', bytes }, fields)
  const job = await client.accepted(response)
  assert.equal(job.status, 'failed')
  const line = await readMetric(job.jobId, 'Failures')
  assert.equal(line['Failures'], 1)
  assert.equal(line['ErrorCode'], job.error?.code)
})

test('a deleted file is counted by the reason in the metrics', async () => {
  const bytes = await readFixture('corners.png')
  const response = await client.convert({ name: 'a.png', bytes }, { targetFormat: 'gif' })
  const { jobId } = await client.accepted(response)
  assert.equal((await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status, 204)
  const line = await readMetric(jobId, 'DeletedFiles')
  assert.equal(line['DeletedFiles'], 1)
  assert.equal(line['Reason'], 'request')
})
