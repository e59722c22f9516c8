import type { Report } from './report.ts'

/** Wall time and CPU time of a step in milliseconds. */
export interface TimeSpent {
  readonly wall: number
  readonly cpu: number
}

/** Times of a conversion step: as a whole, and in chunks that one worker ran one after another. */
export interface ChunkTimes {
  readonly whole: TimeSpent
  readonly cut: TimeSpent
  readonly chunkTimes: readonly TimeSpent[]
  readonly join: TimeSpent
}

export const workers = [1, 2, 8, 32, 128, 300] as const

const sum = (spent: readonly TimeSpent[], clock: keyof TimeSpent) =>
  spent.reduce((total, time) => total + time[clock], 0)

/**
 * Returns the wall time with several workers in milliseconds. Assumes that all workers are as fast as the measured
 * one and start at the same time; the overhead of queue, table and bucket is measured elsewhere.
 */
export function calculateWallMs(count: number, { cut, chunkTimes, join }: ChunkTimes): number {
  const maxWallMs = Math.max(...chunkTimes.map(({ wall }) => wall))
  return cut.wall + Math.max(maxWallMs, sum(chunkTimes, 'wall') / count) + join.wall
}

/** Returns how much more CPU time chunks take than one run, in per cent. */
export function calculateOverheadPercent({ whole, cut, chunkTimes, join }: ChunkTimes): number {
  return 100 * ((cut.cpu + sum(chunkTimes, 'cpu') + join.cpu) / whole.cpu - 1)
}

const formatSeconds = (ms: number) => (ms / 1000).toFixed(1)

/** Reports the measured times and the calculated times for more workers. */
export function reportChunkTimes(label: string, measuredTimes: ChunkTimes, { print: say }: Report): void {
  const { whole, cut, chunkTimes, join } = measuredTimes
  const maxWallMs = Math.max(...chunkTimes.map(({ wall }) => wall))
  const formatTimes = ({ wall, cpu }: TimeSpent) => `${formatSeconds(wall)} (${formatSeconds(cpu)})`
  const total = { wall: sum(chunkTimes, 'wall'), cpu: sum(chunkTimes, 'cpu') }
  say(`  ${label}, seconds on the wall (of processors):`)
  say(
    `    whole ${formatTimes(whole)}, cut ${formatTimes(cut)}, ${chunkTimes.length} parts ${formatTimes(total)}, the longest ${formatSeconds(maxWallMs)}, join ${formatTimes(join)}`,
  )
  const row = workers.map((count) => `${count}: ${formatSeconds(calculateWallMs(count, measuredTimes))}`)
  say(`    seconds by workers, one run ${formatSeconds(whole.wall)}: ${row.join(', ')}`)
}
