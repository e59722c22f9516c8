import { join } from 'node:path'
import sharp from 'sharp'
import { startService } from '../../service.ts'
import { type Floor, startFloor } from '../bare/floor.ts'
import { formOf, ServiceClient } from '../client.ts'
import type { Fixture } from '../fixtures.ts'
import { inTurns, median, p95, rate, timed } from '../measure.ts'
import { peakMib, withCpu } from '../process-tree.ts'
import type { Report } from '../report.ts'
import type { Section } from '../section.ts'

export const png: Section = {
  name: 'png',
  about: 'a PNG to WebP: one client, fifty at once, eight clients',
  async run({ report, fixtures }) {
    const picture = await fixtures.get('picture.png')
    const result = join(await fixtures.folder('bare'), 'picture.webp')
    const form = formOf(picture, { targetFormat: 'webp' })
    await using stack = new AsyncDisposableStack()
    const floor = await startFloor()
    stack.defer(floor.close)
    const service = await startService()
    stack.defer(service.stop)
    const client = new ServiceClient(service.url)
    stack.defer(() => client.close())
    const rivals: Rivals = {
      ...{ picture, floor, pid: service.pid },
      bare: () => sharp(picture.path).webp().toFile(result),
      service: () => client.convert(form),
    }
    report.title('PNG of 372 kB → WebP')
    await one(rivals, report)
    await fifty(rivals, report)
    await eight(rivals, report)
  },
}

interface Rivals {
  readonly picture: Fixture
  readonly floor: Floor
  /** Of the service. */
  readonly pid: number
  readonly bare: () => Promise<unknown>
  readonly service: () => Promise<unknown>
}

async function one({ picture, floor, bare, service }: Rivals, report: Report): Promise<void> {
  const times = await inTurns(20, {
    bare: timed(5, bare),
    floor: timed(5, () => floor.convert(picture)),
    service: timed(5, service),
  })
  const least = median(times.floor)
  report.figure({
    ...{ what: 'one client', value: median(times.service), unit: 'ms', aim: { most: 1.25 * least } },
    remark: `1.25 × the durable floor, ${ms(least)}; bare ${ms(median(times.bare))}; p95 ${ms(p95(times.service))}`,
  })
}

async function fifty({ bare, service }: Rivals, report: Report): Promise<void> {
  const fiftyOf = (action: () => Promise<unknown>) =>
    timed(1, () => Promise.all(Array.from({ length: 50 }, action)))
  const times = await inTurns(7, { bare: fiftyOf(bare), service: fiftyOf(service) })
  const most = 1.4 * median(times.bare)
  report.figure({
    ...{ what: 'fifty at once', value: median(times.service), unit: 'ms', aim: { most } },
    remark: `1.4 × bare, ${ms(median(times.bare))}`,
  })
}

async function eight({ picture, floor, pid, service }: Rivals, report: Report): Promise<void> {
  const failures: unknown[] = []
  const cpu: number[] = []
  const jobs = 100
  const load = rate(8, jobs, service, failures)
  const rates = await inTurns(6, {
    floor: rate(8, jobs, () => floor.convert(picture)),
    service: withCpu(pid, jobs, load, cpu),
  })
  const most = median(rates.floor)
  report.figure({
    ...{ what: 'eight clients', value: median(rates.service), unit: 'per s', aim: { least: 0.75 * most } },
    remark: `0.75 × the durable floor, ${most.toFixed(1)} per s`,
  })
  report.figure({ what: 'eight clients, processor', value: median(cpu), unit: 'ms a job', aim: { most: 45 } })
  report.figure({ what: 'eight clients, failed', value: failures.length, unit: 'jobs', aim: { most: 0 } })
  const peak = await peakMib(pid, load)
  report.figure({ what: 'eight clients, memory at most', value: peak, unit: 'MiB' })
}

const ms = (value: number) => `${value.toFixed(1)} ms`
