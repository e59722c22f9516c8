import seconds from './long-files.json' with { type: 'json' }

/** Files that take more seconds of processor time run only with `--all`. */
export const maxCpuSeconds = 10

const cpuSeconds: Readonly<Record<string, number>> = seconds

/** Returns the test files that run without `--all`. */
export const selectShortFiles = (files: readonly string[]): string[] =>
  files.filter((file) => (cpuSeconds[file] ?? 0) <= maxCpuSeconds)
