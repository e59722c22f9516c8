import type { JobEnd } from '../model/terminal-events.ts'
import type { UsageCounts } from './counts.ts'
import { getBin } from './duration-bins.ts'

const getOutcome = (event: JobEnd['event']) => event.slice('job.'.length)

/** Returns the counters that a job adds to its owner's usage. */
export function countForOwner({ event, share }: JobEnd): UsageCounts {
  const { engine, format, key = null, workMs, bytesIn, bytesOut } = share
  const counts = { jobs: 1, [getOutcome(event)]: 1, workMs, bytesIn, bytesOut }
  const nonZeroCounts = Object.entries(counts).filter(([, value]) => value > 0)
  const prefixCounts = (group: string, name: string | null) =>
    name === null ? [] : nonZeroCounts.map(([count, value]) => [`${group} ${name} ${count}`, value])
  return Object.fromEntries([
    ...nonZeroCounts,
    ...prefixCounts('engine', engine),
    ...prefixCounts('format', format),
    ...prefixCounts('key', key),
  ])
}

/** Returns the counters that a job adds to the service's statistics of its engine. */
export function countForService({ event, share, errorCode }: JobEnd): UsageCounts {
  const { durationMs, queueMs } = share
  return {
    jobs: 1,
    [getOutcome(event)]: 1,
    ...(errorCode && { [`code ${errorCode}`]: 1 }),
    // Durations of failed and cancelled jobs are not counted, because they say nothing about the work.
    ...(event === 'job.completed' && durationMs !== undefined && { [`took ${getBin(durationMs)}`]: 1 }),
    ...(queueMs !== undefined && { [`queued ${getBin(queueMs)}`]: 1 }),
  }
}
