import { DDSketch } from '@datadog/sketches-js'
import type { UsageCounts } from './counts.ts'

/** Relative accuracy of percentiles. */
const relativeAccuracy = 0.02
const createSketch = () => new DDSketch({ relativeAccuracy })
const { mapping } = createSketch()
/** Minimum duration, because the sketch needs positive values. */
const minMs = 1

/** Returns the bin in which a duration is counted. */
export const getBin = (ms: number): number => mapping.key(Math.max(minMs, ms))

type GetPercentile = (share: number) => number | null

/** Returns the durations of one kind, and the number of times each was measured. */
export const listDurations = (counts: UsageCounts, kind: 'took' | 'queued') =>
  Object.entries(counts)
    .filter(([name]) => name.startsWith(`${kind} `))
    .map(([name, count]) => ({ ms: mapping.value(Number(name.slice(kind.length + 1))), count }))

/** Returns a function that computes percentiles from the bins of one kind; null if nothing was measured. */
export function createGetPercentile(counts: UsageCounts, kind: 'took' | 'queued'): GetPercentile {
  const sketch = createSketch()
  for (const { ms, count } of listDurations(counts, kind)) sketch.accept(ms, count)
  return (share) => (sketch.count > 0 ? Math.round(sketch.getValueAtQuantile(share)) : null)
}
