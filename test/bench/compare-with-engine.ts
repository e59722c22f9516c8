import { startService, type TestService } from '../support/service.ts'
import { buildForm, ServiceClient } from './client.ts'
import type { FixtureName } from './fixture-makers.ts'
import { measureRepeatedly, median, p95, runInterleaved } from './measure.ts'
import { measurePeakMib, reaperCommand, withCpu } from './process-tree.ts'
import type { BenchContext } from './section.ts'

/** A conversion by the service, compared with the same conversion by the engine alone. */
export interface EngineComparison {
  readonly fixture: FixtureName
  /** Form fields, including the target format. */
  readonly fields: Readonly<Record<string, string>>
  readonly rounds: number
  /** Runs of the service, and of the engine, in each round. */
  readonly runsPerRound: number
  /** Allowed time of the service as a multiple of the engine's. */
  readonly most: number
  readonly engine: string
}

export interface ComparedServices {
  readonly pid: number
  readonly service: () => Promise<unknown>
  readonly bare: () => Promise<unknown>
}

/** Starts a service for `run` and stops it afterwards. */
export async function withService<T>(
  run: (client: ServiceClient, service: TestService) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const service = await startService(env, undefined, reaperCommand)
  const client = new ServiceClient(service.url)
  try {
    return await run(client, service)
  } finally {
    client.close()
    await service.stop()
  }
}

/** Starts the service and the engine for a comparison. */
export async function withComparedServices(
  { fixture, fields }: Pick<EngineComparison, 'fixture' | 'fields'>,
  { fixtures }: BenchContext,
  bare: (path: string) => Promise<unknown>,
  run: (services: ComparedServices) => Promise<void>,
): Promise<void> {
  const source = await fixtures.get(fixture)
  const form = buildForm(source, fields)
  await withService((client, { pid }) =>
    run({ pid, service: () => client.convert(form), bare: () => bare(source.path) }),
  )
}

export async function measureOneClient(
  { rounds, runsPerRound, most, engine }: EngineComparison,
  { pid, bare, service }: ComparedServices,
  { report }: BenchContext,
): Promise<void> {
  const spentMs: number[] = []
  const times = await runInterleaved(rounds, {
    bare: measureRepeatedly(runsPerRound, bare),
    service: withCpu(pid, runsPerRound, measureRepeatedly(runsPerRound, service), spentMs),
  })
  const engineMs = median(times.bare)
  const remark = `${most} × ${engine}, ${engineMs.toFixed(1)} ms; p95 ${p95(times.service).toFixed(1)} ms`
  const value = median(times.service)
  report.figure({ what: 'one client', value, unit: 'ms', aim: { most: most * engineMs }, remark })
  report.figure({ what: 'one client, processor', value: median(spentMs), unit: 'ms a job' })
  const peak = await measurePeakMib(pid, service)
  report.figure({ what: 'one client, memory at most', value: peak, unit: 'MiB' })
}
