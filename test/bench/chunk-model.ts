import type { Report } from './report.ts'

/** Milliseconds of one thing that was done: on the wall, and of processors. */
export interface TimeSpent {
  readonly wall: number
  readonly cpu: number
}

/** What a step took in one run, and what it took in parts, one after the other by one worker. */
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
 * Milliseconds until so many workers have made it in parts. Each is as fast as the one that was measured, and they begin
 * at once: what queue, table and bucket add is measured elsewhere.
 */
export function wallTimeWith(count: number, { cut, parts, join }: ChunkTimes): number {
  const longest = Math.max(...parts.map(({ wall }) => wall))
  return cut.wall + Math.max(longest, sum(parts, 'wall') / count) + join.wall
}

/** Per cent of processor time that parts take more than one run. */
export function overheadPercent({ whole, cut, parts, join }: ChunkTimes): number {
  return 100 * ((cut.cpu + sum(parts, 'cpu') + join.cpu) / whole.cpu - 1)
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** A row of what was measured, and one of what follows for more workers. */
export function reportModel(what: string, measured: ChunkTimes, { print: say }: Report): void {
  const { whole, cut, parts, join } = measured
  const longest = Math.max(...parts.map(({ wall }) => wall))
  const both = ({ wall, cpu }: TimeSpent) => `${seconds(wall)} (${seconds(cpu)})`
  const all = { wall: sum(parts, 'wall'), cpu: sum(parts, 'cpu') }
  say(`  ${what}, seconds on the wall (of processors):`)
  say(
    `    whole ${both(whole)}, cut ${both(cut)}, ${parts.length} parts ${both(all)}, the longest ${seconds(longest)}, join ${both(join)}`,
  )
  const row = workers.map((count) => `${count}: ${seconds(wallTimeWith(count, measured))}`)
  say(`    seconds by workers, one run ${seconds(whole.wall)}: ${row.join(', ')}`)
}
