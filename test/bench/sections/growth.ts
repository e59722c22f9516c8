import { buildForm, type ServiceClient } from '../client.ts'
import { measureRepeatedly, p95, runInterleaved } from '../measure.ts'
import type { Report } from '../report.ts'
import type { BenchContext, Section } from '../section.ts'
import { withStoredJobs } from '../with-stored-jobs.ts'

/** Enough jobs for full pages of lists, so that both services read the same amount. */
const smallJobCount = 100

export const growth: Section = {
  name: 'growth',
  about: 'a new job, its status and lists with 20,000 stored jobs, or a million with --million',
  async run(bench) {
    const largeJobCount = bench.flags.has('million') ? 1_000_000 : 20_000
    bench.report.title(`With ${largeJobCount.toLocaleString('en')} stored jobs`)
    await withStoredJobs(smallJobCount, bench, (small) =>
      withStoredJobs(largeJobCount, bench, (large) => compare(small, large, bench)),
    )
  },
}

async function compare(
  smallService: ServiceClient,
  largeService: ServiceClient,
  bench: BenchContext,
): Promise<void> {
  const { report } = bench
  const form = buildForm(await bench.fixtures.get('dot.png'), { targetFormat: 'webp' })
  const headers = { 'content-type': form.type }
  const create = (client: ServiceClient) =>
    measureRepeatedly(
      10,
      () => client.send('/v1/convert', { method: 'POST', headers, body: form.body }),
      (answer) => client.waitForJob(answer),
    )
  figure(
    'a new job',
    await runInterleaved(15, { small: create(smallService), large: create(largeService) }),
    report,
  )
  const getStatus = async (client: ServiceClient) => {
    const ids = await listJobIds(client)
    let nextNumber = 0
    return measureRepeatedly(20, () => client.send(`/v1/status/${ids[nextNumber++ % ids.length]}`))
  }
  figure(
    'a status',
    await runInterleaved(10, { small: await getStatus(smallService), large: await getStatus(largeService) }),
    report,
  )
  for (const [label, query] of Object.entries(lists)) {
    const list = (client: ServiceClient) => measureRepeatedly(10, () => client.send(`/v1/jobs?${query}`))
    figure(label, await runInterleaved(20, { small: list(smallService), large: list(largeService) }), report)
  }
}

const lists = {
  'a list': 'limit=20',
  'a list of what is not there': 'limit=20&status=failed',
}

async function listJobIds(client: ServiceClient): Promise<string[]> {
  const { body } = await client.send('/v1/jobs?limit=50')
  const { data } = JSON.parse(body.toString()) as { data: { jobs: { jobId: string }[] } }
  return data.jobs.map(({ jobId }) => jobId)
}

type Times = Readonly<Record<'small' | 'large', readonly number[]>>

function figure(label: string, { small, large }: Times, report: Report): void {
  const maxMs = 1.2 * p95(small)
  const remark = `1.2 × the p95 with ${smallJobCount} jobs, ${p95(small).toFixed(1)} ms`
  report.figure({ what: `${label}, p95`, value: p95(large), unit: 'ms', aim: { most: maxMs }, remark })
}
