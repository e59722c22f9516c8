import { sumCounts, type UsageCounts } from './counts.ts'
import { listDurations } from './duration-bins.ts'

/** Metrics in the text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/ */

export const prometheusMimeType = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string>>
interface Sample {
  readonly labels?: Labels
  readonly value: number
  /** Suffix of the metric's name, such as `_bucket`. */
  readonly suffix?: string
}

export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

const escapeLabel = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function renderSample(name: string, { labels = {}, value, suffix = '' }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

export const renderMetrics = (families: readonly MetricFamily[]): string =>
  families
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => renderSample(name, sample)),
    ])
    .join('\n')
    .concat('\n')

/** Upper bounds of the buckets for durations of jobs, in seconds. */
const durationBoundsS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

const outcomes = ['completed', 'failed', 'cancelled'] as const
const codePrefix = 'code '

/**
 * Returns the metrics of the jobs that ended today (UTC). Each day the counters start again, which Prometheus treats
 * like a restart.
 */
export function createJobMetrics(
  engineCounts: readonly { readonly engine: string; readonly counts: UsageCounts }[],
): MetricFamily[] {
  const engines = [...Map.groupBy(engineCounts, ({ engine }) => engine)].map(([engine, records]) => ({
    engine,
    counts: sumCounts(records.map(({ counts }) => counts)),
  }))
  return [
    {
      name: 'mutabor_jobs_total',
      type: 'counter',
      help: 'Jobs that ended today (UTC), by the engine that made the result.',
      samples: engines.flatMap(({ engine, counts }) =>
        outcomes.map((outcome) => ({ labels: { engine, outcome }, value: counts[outcome] ?? 0 })),
      ),
    },
    {
      name: 'mutabor_job_errors_total',
      type: 'counter',
      help: 'Jobs that failed today (UTC), by error code.',
      samples: engines.flatMap(({ engine, counts }) =>
        Object.entries(counts)
          .filter(([name]) => name.startsWith(codePrefix))
          .map(([name, value]) => ({ labels: { engine, code: name.slice(codePrefix.length) }, value })),
      ),
    },
    {
      name: 'mutabor_job_duration_seconds',
      type: 'histogram',
      help: 'Time from the start to the end of the jobs that completed today (UTC), accurate to within 2 %.',
      samples: engines.flatMap(({ engine, counts }) => createDurationSamples(engine, counts)),
    },
  ]
}

/** Returns the metrics that Prometheus defines for every process. */
export function createProcessMetrics(): MetricFamily[] {
  const { user, system } = process.cpuUsage()
  return [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time of the service, without its workers.',
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory of the service, without its workers.',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the service started, in seconds since the epoch.',
      samples: [{ value: Math.round(performance.timeOrigin) / 1000 }],
    },
  ]
}

function createDurationSamples(engine: string, counts: UsageCounts): Sample[] {
  const durations = listDurations(counts, 'took').map(({ ms, count }) => ({ seconds: ms / 1000, count }))
  const total = durations.reduce((sum, { count }) => sum + count, 0)
  const countDurationsUpTo = (bound: number) =>
    durations.reduce((sum, { seconds, count }) => sum + (seconds <= bound ? count : 0), 0)
  const bucket = (le: string, value: number) => ({ suffix: '_bucket', labels: { engine, le }, value })
  const sumS = durations.reduce((sum, { seconds, count }) => sum + seconds * count, 0)
  return [
    ...durationBoundsS.map((bound) => bucket(String(bound), countDurationsUpTo(bound))),
    bucket('+Inf', total),
    { suffix: '_sum', labels: { engine }, value: Number(sumS.toFixed(3)) },
    { suffix: '_count', labels: { engine }, value: total },
  ]
}
