interface Cost {
  /** Counted from 1. */
  readonly page: number
  readonly seconds: number
}

/** Pages in their order, in so many runs that take about equally long, or fewer where single pages take longer than that. */
export function equalRuns(costs: readonly Cost[], count: number): number[][] {
  const total = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const runs: number[][] = []
  let before = 0
  for (const { page, seconds } of costs) {
    // A page belongs where its middle lies.
    const isOf = Math.min(count, Math.floor(((before + seconds / 2) / total) * count) + 1)
    const run = runs.at(-1)
    if (run && isOf <= runs.length) run.push(page)
    else runs.push([page])
    before += seconds
  }
  return runs
}
