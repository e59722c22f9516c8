export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Runs one after the other, the first few not counted; milliseconds of the middle one. */
export async function sequential(runs: number, action: () => Promise<unknown>, warmUp = 3): Promise<number> {
  for (let at = 0; at < warmUp; at++) await action()
  const times: number[] = []
  for (let at = 0; at < runs; at++) {
    const start = performance.now()
    await action()
    times.push(performance.now() - start)
  }
  return median(times)
}

export interface Load {
  readonly perSecond: number
  readonly failures: number
}

/** So many clients at once until all runs are done. */
export async function parallel(clients: number, runs: number, action: () => Promise<unknown>): Promise<Load> {
  let left = runs
  let failures = 0
  const start = performance.now()
  const client = async () => {
    while (left-- > 0) {
      await action().catch(() => {
        failures++
      })
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { perSecond: runs / ((performance.now() - start) / 1000), failures }
}
