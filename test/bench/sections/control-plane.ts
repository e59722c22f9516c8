import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildForm } from '../client.ts'
import { withService } from '../compare-with-engine.ts'
import { startCountedServers } from '../counted-servers.ts'
import { measureRepeatedly, median, p95, runInterleaved } from '../measure.ts'
import { withCpu } from '../process-tree.ts'
import type { BenchContext, Section } from '../section.ts'

/**
 * A job with hardly any work: an image of one pixel passes through form, bucket, table, queue and worker. The time of
 * the engine is subtracted.
 */
export const controlPlane: Section = {
  name: 'control-plane',
  about: 'a job without work: time, CPU time, AWS calls by kind',
  async run(bench) {
    bench.report.title('A job without work')
    await time(bench)
    await calls(bench)
  },
}

const dot = async ({ fixtures }: BenchContext) =>
  buildForm(await fixtures.get('dot.png'), { targetFormat: 'webp' })

async function time(bench: BenchContext): Promise<void> {
  const form = await dot(bench)
  const spentMs: number[] = []
  const runsInARow = 25
  const { times, engine } = await withService(async (client, { pid, dataDir }) => {
    const service = withCpu(
      pid,
      runsInARow,
      measureRepeatedly(runsInARow, () => client.convert(form)),
      spentMs,
    )
    const measuredTimes = await runInterleaved(12, { service })
    return { times: measuredTimes.service, engine: await readEngineMs(dataDir) }
  })
  const { report } = bench
  const remark = `without the engine time of ${engine.toFixed(1)} ms; p95 with it ${p95(times).toFixed(1)} ms`
  report.figure({ what: 'wall', value: median(times) - engine, unit: 'ms', aim: { most: 8 }, remark })
  report.figure({
    what: 'processor',
    value: median(spentMs) - engine,
    unit: 'ms',
    aim: { most: 12 },
    remark: 'without the engine time, during which one core is busy',
  })
}

/** Returns the median engine time of the jobs from the log of the service. */
async function readEngineMs(dataDir: string): Promise<number> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  const lines = log.split('\n').filter((line) => line.includes('"step completed"'))
  return median(lines.map((line) => (JSON.parse(line) as { ms: number }).ms))
}

/** Counts calls in a separate run, because the counting proxies slow them down. */
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
      const perJob = (count: number) => (count / jobs).toFixed(1)
      const remark = kinds
        .map(([kind, count]) => `${kind.slice(service.length + 1)} ${perJob(count)}`)
        .join(', ')
      const value = kinds.reduce((sum, [, count]) => sum + count, 0) / jobs
      bench.report.figure({ what: `calls of ${service}`, value, unit: 'a job', remark })
    }
  } finally {
    await servers.close()
  }
}

const jobs = 100
