import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { hashZipEntries } from '../engines/support/inspect-result.ts'
import { createLongBook } from '../engines/support/pdf-maker.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const folder = scratchFolder('parts')
const book = { name: 'book.pdf', bytes: new Uint8Array(createLongBook(400)) }

interface ConversionOutcome {
  readonly job: JobData
  /** Names and hashes of the files in the result, in order. */
  readonly entries: readonly string[]
  readonly seconds: number
  readonly percents: readonly number[]
}

const send = async (client: Client) => {
  // An unknown option, so that the plan has a warning.
  const response = await client.convert(book, { targetFormat: 'jpg', unknown: '1' })
  const { data } = (await response.json()) as { data: { jobId: string } }
  return data.jobId
}

async function convert(client: Client): Promise<ConversionOutcome> {
  const startedAtMs = performance.now()
  const jobId = await send(client)
  const percents: number[] = []
  for (;;) {
    const response = await client.fetch(`/v1/status/${jobId}`)
    const { data: job } = (await response.json()) as { data: JobData }
    percents.push(job.progress.percent)
    if (['completed', 'failed'].includes(job.status)) {
      const seconds = (performance.now() - startedAtMs) / 1000
      return { job, entries: await hashZipEntries(await client.saved(job, folder)), seconds, percents }
    }
    await pause(50)
  }
}

const readLog = ({ dataDir }: TestService) => readFile(join(dataDir, 'service.log'), 'utf8')
/** Returns the number of chunks of each task that was split. */
const countChunks = async (service: TestService) =>
  (await readLog(service))
    .split('\n')
    .filter((line) => line.includes('"task split into chunks"'))
    .map((line) => (JSON.parse(line) as { chunks: number }).chunks)

const getResult = ({ result, warnings, error }: JobData) => ({
  warnings,
  error,
  ...(result && { ...result, downloadUrl: '', files: [], sha256: '', size: 0 }),
})

test('400 PDF pages rendered by several workers are identical to those rendered by one worker', {
  timeout: 300_000,
}, async (t) => {
  const singleTaskService = await startService({ PARALLEL: '1' })
  t.after(() => singleTaskService.stop())
  const wholeResult = await convert(new Client(singleTaskService))
  assert.deepEqual(await countChunks(singleTaskService), [])
  await singleTaskService.stop()

  const parallelService = await startService({ PARALLEL: '8' })
  t.after(() => parallelService.stop())
  const chunkedResult = await convert(new Client(parallelService))
  assert.deepEqual(await countChunks(parallelService), [4])

  assert.equal(chunkedResult.entries.length, 401)
  assert.deepEqual(chunkedResult.entries, wholeResult.entries)
  assert.deepEqual(getResult(chunkedResult.job), getResult(wholeResult.job))
  assert.equal(chunkedResult.job.warnings[0]?.code, 'UNKNOWN_PARAMETER')
  assert.deepEqual(
    chunkedResult.percents,
    chunkedResult.percents.toSorted((a, b) => a - b),
  )
  assert.ok(chunkedResult.percents.some((percent) => percent > 0 && percent < 100))
  t.diagnostic(
    `in one piece ${wholeResult.seconds.toFixed(1)} s, in parts ${chunkedResult.seconds.toFixed(1)} s`,
  )
})

/** Counts how often a worker claimed the whole task, and how often one of its chunks. */
async function countClaims(service: TestService): Promise<{ whole: number; parts: number }> {
  const lines = (await readLog(service)).split('\n').filter((line) => line.includes('"task claimed"'))
  const chunkClaimCount = lines.filter((line) => line.includes('"part":')).length
  return { whole: lines.length - chunkClaimCount, parts: chunkClaimCount }
}

/** Conditions on which the service is killed: chunks are being rendered, and chunks are being joined. */
const killConditions: Readonly<Record<string, (service: TestService) => Promise<boolean>>> = {
  'parts are drawn': async (service) => (await countClaims(service)).parts > 0,
  'parts are joined': async (service) => (await countClaims(service)).whole > 1,
}

test('400 PDF pages rendered in chunks equal those of an undisturbed run even if the service is killed twice', {
  timeout: 600_000,
}, async (t) => {
  let service = await startService({ PARALLEL: '8' })
  t.after(() => service.stop())
  let client = new Client(service)
  const wholeResult = await convert(client)
  await service.stop()
  service = await startService({ PARALLEL: '8' })
  client = new Client(service)
  const jobId = await send(client)
  const { dataDir } = service
  for (const [name, isTimeToKill] of Object.entries(killConditions)) {
    await waitUntil(() => isTimeToKill(service), name, 120)
    await service.kill()
    service = await startService({ PARALLEL: '8' }, dataDir)
    client = client.at(service)
  }
  const job = await client.finishedJob(jobId)
  assert.deepEqual(await hashZipEntries(await client.saved(job, folder)), wholeResult.entries)
  assert.deepEqual(getResult(job), getResult(wholeResult.job))
})
