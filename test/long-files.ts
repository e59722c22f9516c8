import seconds from './long-files.json' with { type: 'json' }

/** Number of days in which each long file runs once. */
const days = 5
const dayMs = 86_400_000

const longest = Object.entries<number>(seconds)
  .sort(([, a], [, b]) => b - a)
  .map(([file]) => file)

/**
 * Returns the test files to run on a day: long files take turns, so that all others can run every day. Their
 * list has the CPU seconds of each, so that all days take equally long.
 */
export function filesOf(files: readonly string[], now: Date): string[] {
  const day = Math.floor(now.getTime() / dayMs) % days
  return files.filter((file) => {
    const at = longest.indexOf(file)
    return at < 0 || at % days === day
  })
}
