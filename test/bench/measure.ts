import { setTimeout as pause } from 'node:timers/promises'

/** Returns the value that the given share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.min(sortedValues.length - 1, Math.floor(sortedValues.length * share))] ?? 0
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns the 95 % confidence interval of the median, based on ranks, because times are not normally distributed. */
export function medianRange(values: readonly number[]): readonly [lower: number, upper: number] {
  const sortedValues = [...values].sort((a, b) => a - b)
  const rank = Math.max(1, Math.floor(sortedValues.length / 2 - 0.98 * Math.sqrt(sortedValues.length)))
  return [sortedValues[rank - 1] ?? 0, sortedValues[sortedValues.length - rank] ?? 0]
}

export const p95 = (values: readonly number[]): number => quantile(values, 0.95)

/** Takes one turn of a measurement and returns the measured values. */
export type Measurement = () => Promise<readonly number[]>

/** Pause after each turn, so that the background work of one turn does not count for the next. */
const pauseMs = 60

/**
 * Runs measurements alternately in rounds, so that a machine that becomes slower affects all of them equally. Every
 * second round has the reverse order, because a measurement changes the caches for the next one. The first round is a
 * warm-up and does not count.
 */
export async function runInterleaved<Name extends string>(
  rounds: number,
  measurements: Readonly<Record<Name, Measurement>>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const measuredTimes = new Map<Name, number[]>()
  const entries = Object.entries(measurements) as [Name, Measurement][] // `measurements` has no other keys
  for (let round = 0; round <= rounds; round++) {
    for (const [name, runOnce] of round % 2 === 0 ? entries : entries.toReversed()) {
      const values = await runOnce()
      await pause(pauseMs)
      if (round > 0) measuredTimes.set(name, [...(measuredTimes.get(name) ?? []), ...values])
    }
  }
  return Object.fromEntries(measuredTimes) as Record<Name, number[]> // each had a turn
}

/**
 * Returns the durations of consecutive runs in milliseconds, without pauses, so that background work of one affects the
 * next. Cleaning up is not measured.
 */
export function measureRepeatedly<T>(
  runs: number,
  action: () => Promise<T>,
  end?: (result: T) => Promise<unknown>,
): Measurement {
  return async () => {
    const times: number[] = []
    for (let run = 0; run < runs; run++) {
      const startMs = performance.now()
      const result = await action()
      times.push(performance.now() - startMs)
      await end?.(result)
    }
    return times
  }
}

/** Returns the runs per second of several clients; collects failures if the caller wants them. */
export function measureRate(
  clients: number,
  runs: number,
  action: () => Promise<unknown>,
  failures?: unknown[],
): Measurement {
  return async () => {
    const errors: unknown[] = []
    const { perSecond } = await runParallel(clients, runs, () =>
      action().catch((error: unknown) => errors.push(error)),
    )
    if (!failures && errors.length > 0) throw errors[0]
    failures?.push(...errors)
    return [perSecond]
  }
}

export interface Load {
  readonly perSecond: number
  readonly failures: number
}

/** Runs an action with several clients in parallel until all runs are done. */
export async function runParallel(
  clients: number,
  runs: number,
  action: () => Promise<unknown>,
): Promise<Load> {
  let runsLeft = runs
  let failures = 0
  const start = performance.now()
  const client = async () => {
    while (runsLeft-- > 0) {
      await action().catch(() => {
        failures++
      })
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { perSecond: runs / ((performance.now() - start) / 1000), failures }
}
