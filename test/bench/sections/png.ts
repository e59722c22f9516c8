import { join } from 'node:path'
import sharp from 'sharp'
import { startDurableFloor } from '../bare/floor.ts'
import { withComparedServices } from '../compare-with-engine.ts'
import { measureEightClients } from '../concurrent-clients.ts'
import { measureRate, measureRepeatedly, median, p95, runInterleaved } from '../measure.ts'
import { withCpu } from '../process-tree.ts'
import type { Report } from '../report.ts'
import type { Section } from '../section.ts'

type Action = () => Promise<unknown>

export const png: Section = {
  name: 'png',
  about: 'PNG to WebP: one client, fifty at once, eight clients',
  async run(bench) {
    const { report, fixtures } = bench
    const image = await fixtures.get('picture.png')
    const result = join(await fixtures.folder('bare-png'), 'picture.webp')
    const inProcess = (path: string) => sharp(path).webp().toFile(result)
    const server = await startDurableFloor()
    const floor = () => server.convert(image)
    const conversion = { fixture: 'picture.png', fields: { targetFormat: 'webp' } } as const
    report.title('PNG of 372 kB → WebP')
    try {
      await withComparedServices(conversion, bench, inProcess, async ({ pid, bare, service }) => {
        await measureOneClient({ pid, bare, floor, service }, report)
        await measureFiftyClients({ bare, service }, report)
        const aims = { engine: 'the durable floor', share: 0.75, maxCpuMs: 45 }
        const comparison = { rounds: 6, jobs: 100, pid, service, bare: measureRate(8, 100, floor) }
        await measureEightClients({ ...comparison, ...aims }, report)
      })
    } finally {
      await server.close()
    }
  },
}

interface ComparedActions {
  /** Process id of the service. */
  readonly pid: number
  readonly bare: Action
  readonly floor: Action
  readonly service: Action
}

async function measureOneClient(compared: ComparedActions, report: Report): Promise<void> {
  const spentMs: number[] = []
  const times = await runInterleaved(20, {
    bare: measureRepeatedly(5, compared.bare),
    floor: measureRepeatedly(5, compared.floor),
    service: withCpu(compared.pid, 5, measureRepeatedly(5, compared.service), spentMs),
  })
  const referenceMs = median(times.floor)
  report.figure({
    what: 'one client',
    value: median(times.service),
    unit: 'ms',
    aim: { most: 1.25 * referenceMs },
    remark: `1.25 × the durable floor, ${ms(referenceMs)}; bare ${ms(median(times.bare))}; p95 ${ms(p95(times.service))}`,
  })
  report.figure({ what: 'one client, processor', value: median(spentMs), unit: 'ms a job' })
}

async function measureFiftyClients(
  compared: Pick<ComparedActions, 'bare' | 'service'>,
  report: Report,
): Promise<void> {
  const measureFifty = (action: Action) =>
    measureRepeatedly(1, () => Promise.all(Array.from({ length: 50 }, action)))
  const times = await runInterleaved(7, {
    bare: measureFifty(compared.bare),
    service: measureFifty(compared.service),
  })
  const referenceMs = median(times.bare)
  report.figure({
    what: 'fifty at once',
    value: median(times.service),
    unit: 'ms',
    aim: { most: 1.4 * referenceMs },
    remark: `1.4 × bare, ${ms(referenceMs)}`,
  })
}

const ms = (value: number) => `${value.toFixed(1)} ms`
