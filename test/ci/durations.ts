import durations from './durations.json' with { type: 'json' }

/** How slow test files are run. */
export interface Runner {
  /** Script of package.json that installs what the tests need. */
  readonly script: string
  readonly folders: readonly string[]
  /** Number of files that run at the same time. */
  readonly concurrency: number
}

const defaultRunner: Runner = { script: 'test:slow', folders: ['test/'], concurrency: 3 }

const runners: readonly Runner[] = [
  { script: 'test:aws', folders: ['test/embedded-aws/', 'test/local/'], concurrency: 2 },
  // Each function is a process here; other tests at the same time would slow them down too much.
  { script: 'test:slow', folders: ['test/permissions/'], concurrency: 1 },
]

export const getRunner = (file: string): Runner =>
  runners.find(({ folders }) => folders.some((folder) => file.startsWith(folder))) ?? defaultRunner

const secondsByPart: Readonly<Record<string, number>> = durations

/**
 * Returns the seconds that a part took when it was measured. Slow test files were measured with the concurrency of
 * their runner.
 */
export const getSeconds = (part: string): number | undefined => secondsByPart[part]

/** Returns how long slow test files take together. */
export function estimateWallSeconds(files: readonly string[]): number {
  const filesByRunner = Map.groupBy(files, getRunner)
  return [...filesByRunner]
    .map(([{ concurrency }, runnerFiles]) => {
      const seconds = runnerFiles.map((file) => getSeconds(file) ?? 0)
      return Math.max(...seconds, seconds.reduce((sum, duration) => sum + duration, 0) / concurrency)
    })
    .reduce((sum, duration) => sum + duration, 0)
}
