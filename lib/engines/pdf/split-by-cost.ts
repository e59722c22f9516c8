interface PageCost {
  /** Number of the page, counted from 1. */
  readonly page: number
  readonly seconds: number
}

/**
 * Splits pages, in order, into `runCount` runs of about equal duration, or into fewer runs when a single page takes
 * longer than that.
 */
export function splitByCost(costs: readonly PageCost[], runCount: number): number[][] {
  const totalSeconds = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const runs: number[][] = []
  let elapsedSeconds = 0
  for (const { page, seconds } of costs) {
    // A page belongs to the run that contains the middle of its processing time.
    const runNumber = Math.min(
      runCount,
      Math.floor(((elapsedSeconds + seconds / 2) / totalSeconds) * runCount) + 1,
    )
    const run = runs.at(-1)
    if (run && runNumber <= runs.length) run.push(page)
    else runs.push([page])
    elapsedSeconds += seconds
  }
  return runs
}
