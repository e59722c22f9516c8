import { setTimeout as pause } from 'node:timers/promises'

/** The value that this share of them does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Between which the median lies with some 95 %, by ranks alone: times are not spread evenly around it. */
export function medianRange(values: readonly number[]): readonly [least: number, most: number] {
  const sorted = [...values].sort((a, b) => a - b)
  const rank = Math.max(1, Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length)))
  return [sorted[rank - 1] ?? 0, sorted[sorted.length - rank] ?? 0]
}

export const p95 = (values: readonly number[]): number => quantile(values, 0.95)

/** What one of several does when it is its turn; gives what was measured. */
export type MeasuredTurn = () => Promise<readonly number[]>

/** Some work goes on behind an answer, and is not the next one's. */
const pauseMs = 60

/**
 * One after the other, round after round: a machine that becomes slower becomes so for all of them, and each comes
 * after each other, whose caches it finds. The first round warms up and does not count.
 */
export async function runInterleaved<Name extends string>(
  rounds: number,
  turns: Readonly<Record<Name, MeasuredTurn>>,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const measured = new Map<Name, number[]>()
  const contestants = Object.entries(turns) as [Name, MeasuredTurn][] // it has no other keys
  for (let round = 0; round <= rounds; round++) {
    for (const [name, turn] of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const values = await turn()
      await pause(pauseMs)
      if (round > 0) measured.set(name, [...(measured.get(name) ?? []), ...values])
    }
  }
  return Object.fromEntries(measured) as Record<Name, number[]> // each had a turn
}

/**
 * Milliseconds of each run, so many of them without a pause: what one leaves behind is in the way of the next. Its end,
 * where it has one, does not count.
 */
export function timed<T>(
  runs: number,
  action: () => Promise<T>,
  end?: (result: T) => Promise<unknown>,
): MeasuredTurn {
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

/** Runs per second of so many clients; what fails is collected, where somebody wants it. */
export function measureRate(
  clients: number,
  runs: number,
  action: () => Promise<unknown>,
  failures?: unknown[],
): MeasuredTurn {
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

/** So many clients at once until all runs are done. */
export async function runParallel(
  clients: number,
  runs: number,
  action: () => Promise<unknown>,
): Promise<Load> {
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
