// Run by `npm run test:slow -- test/local/many-jobs.slow.ts`: the memory and the descriptors of each process do not
// grow while the service runs thousands of jobs of mixed kinds. MANY_JOBS sets the number of jobs, MINUTES the maximum
// duration.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { listDescendants } from '../support/processes.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const jobs = Number(process.env['MANY_JOBS'] ?? 3000)
const maxMinutes = Number(process.env['MINUTES'] ?? 60)
const senderCount = 6
/** Jobs that run before measuring starts, to fill caches and pools. */
const warmUpJobs = Math.min(500, Math.floor(jobs / 3))
const sampleEvery = 20
/** Share by which the median of the last samples may exceed the median of the first samples. */
const maxGrowthRatio = 0.1
/** Smaller growth is noise of the garbage collector in a small process, or a connection that is opened again. */
const minGrowth = { memoryMib: 8, descriptors: 6 } as const

interface Sample {
  readonly memoryMib: number
  readonly descriptors: number
}
type Measure = keyof Sample

function sampleProcess(pid: number): Sample | undefined {
  try {
    const anonymousKb = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return { memoryMib: Number(anonymousKb ?? 0) / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    // The process has ended.
    return undefined
  }
}

/** Lists the service, its workers and its database, but not engines and decoders, which are replaced all the time. */
function listLongLivedProcesses(service: TestService): { pid: number; name: string }[] {
  const getName = (command: string) => {
    if (command.includes('dynoxide')) return 'dynoxide'
    return /worker\.ts (\w+)/.exec(command)?.[1]
  }
  return [
    { pid: service.pid, name: 'service' },
    ...listDescendants(service.pid).flatMap(({ pid, command }) => {
      const name = command.startsWith('bwrap') ? undefined : getName(command)
      return name === undefined ? [] : [{ pid, name: `${name} ${pid}` }]
    }),
  ]
}

/** Repeats a request until it succeeds, as a client does: on a busy machine, the service may answer with 503. */
async function repeat<T>(request: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await request()
    if (result !== undefined) return result
    await pause(2000)
  }
}

async function finish(
  client: Client,
  file: { readonly name: string; readonly bytes: Buffer<ArrayBuffer> },
  to: string,
  key: string,
): Promise<JobData> {
  const id = await repeat(async () => {
    const response = await client.convert(file, { targetFormat: to }, { 'idempotency-key': key })
    const body = (await response.json()) as { jobId?: string }
    if (response.status === 503 || response.status === 409) return undefined
    assert.equal(response.status, 202, JSON.stringify(body))
    return body.jobId ?? ''
  })
  return repeat(async () => {
    const response = await client.fetch(`/v1/status/${id}`, { headers: { prefer: 'wait=25' } })
    const { data } = (await response.json()) as { data?: JobData }
    return data && ['completed', 'failed', 'cancelled'].includes(data.status) ? data : undefined
  })
}

const computeMedian = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

test(`the memory and file descriptors of each process do not grow from job ${warmUpJobs} to job ${jobs}`, {
  timeout: (maxMinutes + 10) * 60_000,
}, async (t) => {
  const service = await startService()
  t.after(() => service.stop())
  const fixture = async (name: string) =>
    Buffer.from(await readFile(new URL(`../fixtures/${name}`, import.meta.url)))
  const png = Buffer.from(
    await sharp({ create: { width: 300, height: 200, channels: 3, background: '#58a' } })
      .png()
      .toBuffer(),
  )
  const work = [
    { name: 'a.png', bytes: png, to: 'webp' },
    { name: 'a.md', bytes: Buffer.from('# Title\n\nSome words.\n'.repeat(20)), to: 'html' },
    { name: 'a.png', bytes: png, to: 'pdf' },
    { name: 'a.mp3', bytes: await fixture('cover.mp3'), to: 'wav' },
    { name: 'a.docx', bytes: await fixture('letter.docx'), to: 'pdf' },
    { name: 'a.pdf', bytes: await fixture('three-pages.pdf'), to: 'txt' },
    { name: 'a.csv', bytes: Buffer.from('a,b\n1,2\n'.repeat(50)), to: 'xlsx' },
    { name: 'a.svg', bytes: await fixture('corners.svg'), to: 'png' },
  ]
  const samples = new Map<string, Sample[]>()
  let startedCount = 0
  let endedCount = 0
  const failures: string[] = []
  const endAt = performance.now() + maxMinutes * 60_000
  const sampleAll = () => {
    for (const { pid, name } of listLongLivedProcesses(service)) {
      const sample = sampleProcess(pid)
      if (sample) samples.set(name, [...(samples.get(name) ?? []), sample])
    }
  }
  const run = async () => {
    const client = new Client(service)
    while (startedCount < jobs && performance.now() < endAt) {
      const { to, ...file } = work[startedCount++ % work.length] as (typeof work)[number] // the list is not empty
      const job = await finish(client, file, to, `job-${startedCount}`)
      if (job.status !== 'completed') failures.push(`${file.name} to ${to}: ${JSON.stringify(job.error)}`)
      endedCount++
      if (endedCount > warmUpJobs && endedCount % sampleEvery === 0) sampleAll()
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: senderCount }, run))
  t.diagnostic(`${endedCount} jobs in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  const grownMeasures: string[] = []
  for (const [name, allSamples] of samples) {
    const thirdOfSamples = Math.floor(allSamples.length / 3)
    if (thirdOfSamples < 3) continue
    const [firstThird, lastThird] = [allSamples.slice(0, thirdOfSamples), allSamples.slice(-thirdOfSamples)]
    for (const measure of ['memoryMib', 'descriptors'] as const satisfies readonly Measure[]) {
      const getMedian = (selectedSamples: readonly Sample[]) =>
        computeMedian(selectedSamples.map((sample) => sample[measure]))
      const [medianBefore, medianAfter] = [getMedian(firstThird), getMedian(lastThird)]
      const line = `${name}: ${measure} ${medianBefore.toFixed(1)}, later ${medianAfter.toFixed(1)} (${allSamples.length} samples)`
      t.diagnostic(line)
      if (
        medianAfter > medianBefore * (1 + maxGrowthRatio) &&
        medianAfter - medianBefore > minGrowth[measure]
      )
        grownMeasures.push(line)
    }
  }
  assert.deepEqual(failures.slice(0, 5), [])
  assert.deepEqual(grownMeasures, [])
})
