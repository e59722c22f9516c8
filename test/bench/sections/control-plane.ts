import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildForm } from '../client.ts'
import { withService } from '../compare-with-engine.ts'
import { startCountedServers } from '../counted-servers.ts'
import { median, p95, runInterleaved, timed } from '../measure.ts'
import { withCpu } from '../process-tree.ts'
import type { BenchContext, Section } from '../section.ts'

/**
 * A job with hardly any work: a picture of one pixel goes the whole way through form, bucket, table, queue, worker and
 * back. What its engine takes is no part of it.
 */
export const controlPlane: Section = {
  name: 'control-plane',
  about: 'a job with no work: time, processor, calls of AWS by kind',
  async run(bench) {
    bench.report.title('A job with no work')
    await time(bench)
    await calls(bench)
  },
}

const dot = async ({ fixtures }: BenchContext) =>
  buildForm(await fixtures.get('dot.png'), { targetFormat: 'webp' })

async function time(bench: BenchContext): Promise<void> {
  const form = await dot(bench)
  const spent: number[] = []
  const inARow = 25
  const { times, engine } = await withService(async (client, { pid, dataDir }) => {
    const service = withCpu(
      pid,
      inARow,
      timed(inARow, () => client.convert(form)),
      spent,
    )
    const measured = await runInterleaved(12, { service })
    return { times: measured.service, engine: await engineMs(dataDir) }
  })
  const { report } = bench
  const remark = `beside its engine, ${engine.toFixed(1)} ms; with it p95 ${p95(times).toFixed(1)} ms`
  report.figure({ what: 'wall', value: median(times) - engine, unit: 'ms', aim: { most: 8 }, remark })
  report.figure({
    ...{ what: 'processor', value: median(spent) - engine, unit: 'ms', aim: { most: 12 } },
    remark: 'beside its engine, which keeps one core busy',
  })
}

/** The time of the step of each job, from the log of the service; the middle one. */
async function engineMs(dataDir: string): Promise<number> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  const lines = log.split('\n').filter((line) => line.includes('"step completed"'))
  return median(lines.map((line) => (JSON.parse(line) as { ms: number }).ms))
}

/** Beside the timing: to be counted, calls have to take connections that they do not take otherwise. */
async function calls(bench: BenchContext): Promise<void> {
  const form = await dot(bench)
  const servers = await startCountedServers()
  try {
    await withService(async (client) => {
      await client.convert(form)
      servers.calls.clear()
      for (let job = 0; job < jobs; job++) await client.convert(form)
    }, servers.env)
    for (const service of ['DynamoDB', 'S3', 'SQS', 'EventBridge']) {
      const kinds = [...servers.calls].filter(([kind]) => kind.startsWith(`${service} `))
      const of = (count: number) => (count / jobs).toFixed(1)
      const remark = kinds.map(([kind, count]) => `${kind.slice(service.length + 1)} ${of(count)}`).join(', ')
      const value = kinds.reduce((sum, [, count]) => sum + count, 0) / jobs
      bench.report.figure({ what: `calls of ${service}`, value, unit: 'a job', remark })
    }
  } finally {
    await servers.close()
  }
}

const jobs = 100
