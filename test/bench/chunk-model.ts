import type { Report } from './report.ts'

/** Wall time and CPU time of a step in milliseconds. */
export interface TimeSpent {
  readonly wall: number
  readonly cpu: number
}

/** Times of a step in one run and in chunks, which one worker ran one after another. */
export interface ChunkTimes {
  readonly whole: TimeSpent
  readonly cut: TimeSpent
  readonly parts: readonly TimeSpent[]
  readonly join: TimeSpent
}

export const workers = [1, 2, 8, 32, 128, 300] as const

const sum = (spent: readonly TimeSpent[], clock: keyof TimeSpent) =>
  spent.reduce((all, one) => all + one[clock], 0)

/**
 * Returns the wall time with several workers in milliseconds. Assumes that all are as fast as the measured one and
 * start at the same time; the overhead of queue, table and bucket is measured elsewhere.
 */
export function wallTimeWith(count: number, { cut, parts, join }: ChunkTimes): number {
  const maxWallMs = Math.max(...parts.map(({ wall }) => wall))
  return cut.wall + Math.max(maxWallMs, sum(parts, 'wall') / count) + join.wall
}

/** Returns how much more CPU time chunks take than one run, in per cent. */
export function overheadPercent({ whole, cut, parts, join }: ChunkTimes): number {
  return 100 * ((cut.cpu + sum(parts, 'cpu') + join.cpu) / whole.cpu - 1)
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** Reports the measured times and the calculated times for more workers. */
export function reportModel(what: string, measuredTimes: ChunkTimes, { print: say }: Report): void {
  const { whole, cut, parts, join } = measuredTimes
  const maxWallMs = Math.max(...parts.map(({ wall }) => wall))
  const formatTimes = ({ wall, cpu }: TimeSpent) => `${seconds(wall)} (${seconds(cpu)})`
  const total = { wall: sum(parts, 'wall'), cpu: sum(parts, 'cpu') }
  say(`  ${what}, seconds on the wall (of processors):`)
  say(
    `    whole ${formatTimes(whole)}, cut ${formatTimes(cut)}, ${parts.length} parts ${formatTimes(total)}, the longest ${seconds(maxWallMs)}, join ${formatTimes(join)}`,
  )
  const row = workers.map((count) => `${count}: ${seconds(wallTimeWith(count, measuredTimes))}`)
  say(`    seconds by workers, one run ${seconds(whole.wall)}: ${row.join(', ')}`)
}
