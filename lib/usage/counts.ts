import { DDSketch } from '@datadog/sketches-js'
import type { JobEnd } from './terminal-events.ts'

/**
 * Figures are numbers in flat records, by name, so that any number of writers can add to them. Those of an engine begin
 * with `engine`, its name and a space between; those of a format with `format`, those of a key with `key`. How long jobs
 * took is kept as how many fell into each bin of a sketch (https://arxiv.org/abs/1908.10693): bins of many records add up
 * to those of all.
 */
export type UsageCounts = Readonly<Record<string, number>>

export function sumCounts(all: readonly UsageCounts[]): UsageCounts {
  const sum: Record<string, number> = {}
  for (const counts of all)
    for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

const outcomeOf = (event: JobEnd['event']) => event.slice('job.'.length)

/** What one owner has used. */
export function countForOwner({ event, share }: JobEnd): UsageCounts {
  const { engine, format, key = null, workMs, bytesIn, bytesOut } = share
  const counts = { jobs: 1, [outcomeOf(event)]: 1, workMs, bytesIn, bytesOut }
  const nonZero = Object.entries(counts).filter(([, value]) => value > 0)
  const countsUnder = (group: string, name: string | null) =>
    name === null ? [] : nonZero.map(([count, value]) => [`${group} ${name} ${count}`, value])
  return Object.fromEntries([
    ...nonZero,
    ...countsUnder('engine', engine),
    ...countsUnder('format', format),
    ...countsUnder('key', key),
  ])
}

/** What the service did with an engine. */
export function countForService({ event, share, errorCode }: JobEnd): UsageCounts {
  const { durationMs, queueMs } = share
  return {
    jobs: 1,
    [outcomeOf(event)]: 1,
    ...(errorCode && { [`code ${errorCode}`]: 1 }),
    // How long it took to fail, or until somebody had enough, says nothing about the work.
    ...(event === 'job.completed' && durationMs !== undefined && { [`took ${binOf(durationMs)}`]: 1 }),
    ...(queueMs !== undefined && { [`queued ${binOf(queueMs)}`]: 1 }),
  }
}

/** A percentile is right within this share of itself. */
const relativeAccuracy = 0.02
const newSketch = () => new DDSketch({ relativeAccuracy })
const { mapping } = newSketch()
/** Less is no time. */
const minMs = 1

const binOf = (ms: number): number => mapping.key(Math.max(minMs, ms))

export type Percentiles = (share: number) => number | null

/** Of the bins of one kind; null where nothing was measured. */
export function createPercentiles(counts: UsageCounts, kind: 'took' | 'queued'): Percentiles {
  const sketch = newSketch()
  for (const [name, count] of Object.entries(counts)) {
    const bin = name.startsWith(`${kind} `) ? Number(name.slice(kind.length + 1)) : undefined
    if (bin !== undefined) sketch.accept(mapping.value(bin), count)
  }
  return (share) => (sketch.count > 0 ? Math.round(sketch.getValueAtQuantile(share)) : null)
}

/** Counts by what stands between a group and the name of a count, as `engine vips jobs`. */
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
