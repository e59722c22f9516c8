import { DDSketch } from '@datadog/sketches-js'
import type { JobEnd } from '../model/terminal-events.ts'

/**
 * Counters by name in flat records, so that any number of writers can add to them. Counters of an engine, format or API
 * key start with `engine`, `format` or `key` and its name, separated by spaces. Durations are stored as the bin counts
 * of a DDSketch (https://arxiv.org/abs/1908.10693), so that the sketches of several records can be added up.
 */
export type UsageCounts = Readonly<Record<string, number>>

export function sumCounts(allCounts: readonly UsageCounts[]): UsageCounts {
  const sum: Record<string, number> = {}
  for (const counts of allCounts)
    for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

const getOutcome = (event: JobEnd['event']) => event.slice('job.'.length)

/** Counters that a job adds to its owner's usage. */
export function countForOwner({ event, share }: JobEnd): UsageCounts {
  const { engine, format, key = null, workMs, bytesIn, bytesOut } = share
  const counts = { jobs: 1, [getOutcome(event)]: 1, workMs, bytesIn, bytesOut }
  const nonZero = Object.entries(counts).filter(([, value]) => value > 0)
  const prefixCounts = (group: string, name: string | null) =>
    name === null ? [] : nonZero.map(([count, value]) => [`${group} ${name} ${count}`, value])
  return Object.fromEntries([
    ...nonZero,
    ...prefixCounts('engine', engine),
    ...prefixCounts('format', format),
    ...prefixCounts('key', key),
  ])
}

/** Counters that a job adds to the service's statistics of its engine. */
export function countForService({ event, share, errorCode }: JobEnd): UsageCounts {
  const { durationMs, queueMs } = share
  return {
    jobs: 1,
    [getOutcome(event)]: 1,
    ...(errorCode && { [`code ${errorCode}`]: 1 }),
    // The duration of failed and cancelled jobs says nothing about the work.
    ...(event === 'job.completed' && durationMs !== undefined && { [`took ${getBin(durationMs)}`]: 1 }),
    ...(queueMs !== undefined && { [`queued ${getBin(queueMs)}`]: 1 }),
  }
}

/** Relative accuracy of percentiles. */
const relativeAccuracy = 0.02
const createSketch = () => new DDSketch({ relativeAccuracy })
const { mapping } = createSketch()
/** The sketch needs positive values. */
const minMs = 1

const getBin = (ms: number): number => mapping.key(Math.max(minMs, ms))

type GetPercentile = (share: number) => number | null

/** Returns the durations of one kind with how often each was measured. */
export const listDurations = (counts: UsageCounts, kind: 'took' | 'queued') =>
  Object.entries(counts)
    .filter(([name]) => name.startsWith(`${kind} `))
    .map(([name, count]) => ({ ms: mapping.value(Number(name.slice(kind.length + 1))), count }))

/** Computes percentiles from the bins of one kind; null when nothing was measured. */
export function createGetPercentile(counts: UsageCounts, kind: 'took' | 'queued'): GetPercentile {
  const sketch = createSketch()
  for (const { ms, count } of listDurations(counts, kind)) sketch.accept(ms, count)
  return (share) => (sketch.count > 0 ? Math.round(sketch.getValueAtQuantile(share)) : null)
}

/** Groups counters by the middle part of their names, such as `vips` in `engine vips jobs`. */
export function groupCounts(
  counts: UsageCounts,
  group: 'engine' | 'format' | 'key',
): ReadonlyMap<string, UsageCounts> {
  const groups = new Map<string, Record<string, number>>()
  for (const [name, value] of Object.entries(counts)) {
    const [kind, key, count] = name.split(' ')
    if (kind !== group || key === undefined || count === undefined) continue
    groups.set(key, { ...groups.get(key), [count]: value })
  }
  return groups
}
