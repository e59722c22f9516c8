import { defined } from '../../lib/validation/defined.ts'
import { type Measurement, measureRate, median, runInterleaved } from './measure.ts'
import { measurePeakMib, withCpu } from './process-tree.ts'
import type { Report } from './report.ts'

/** Eight clients of the service, compared with the engine alone. */
export interface ConcurrentComparison {
  readonly rounds: number
  /** Jobs of all eight clients per round. */
  readonly jobs: number
  readonly service: () => Promise<unknown>
  /** Process id of the service. */
  readonly pid: number
  /** Measures the rate of the engine alone, to compare with. */
  readonly bare: Measurement
  /** Name of the engine. */
  readonly engine: string
  /** Target rate of the service as a share of the engine's rate. */
  readonly share: number
  /** Maximum CPU time per job in milliseconds. */
  readonly maxCpuMs?: number
}

export async function measureEightClients(comparison: ConcurrentComparison, report: Report): Promise<void> {
  const { rounds, jobs, pid, bare, engine, share, maxCpuMs } = comparison
  const failures: unknown[] = []
  const cpu: number[] = []
  const service = measureRate(8, jobs, comparison.service, failures)
  const rates = await runInterleaved(rounds, { bare, service: withCpu(pid, jobs, service, cpu) })
  const bareRate = median(rates.bare)
  report.figure({
    what: 'eight clients',
    value: median(rates.service),
    unit: 'per s',
    aim: { least: share * bareRate },
    remark: `${share} × ${engine}, ${bareRate.toFixed(1)} per s`,
  })
  const aim = maxCpuMs === undefined ? undefined : { most: maxCpuMs }
  report.figure({
    what: 'eight clients, processor',
    value: median(cpu),
    unit: 'ms a job',
    ...defined({ aim }),
  })
  const remark = failures.length > 0 ? `first: ${failures[0]}` : ''
  report.figure({
    what: 'eight clients, failed',
    value: failures.length,
    unit: 'jobs',
    aim: { most: 0 },
    remark,
  })
  const peak = await measurePeakMib(pid, service)
  report.figure({ what: 'eight clients, memory at most', value: peak, unit: 'MiB' })
}
