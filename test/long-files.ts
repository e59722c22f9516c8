import seconds from './long-files.json' with { type: 'json' }

/** Days in which each of the long files comes once. */
const days = 5
const dayMs = 86_400_000

const longest = Object.entries<number>(seconds)
  .sort(([, a], [, b]) => b - a)
  .map(([file]) => file)

/**
 * Those of some test files that run on a day: the long ones take turns, so that all others can run every day. Their
 * list has the seconds of the processor that each takes, by which the days become equally long.
 */
export function filesOf(files: readonly string[], now: Date): string[] {
  const day = Math.floor(now.getTime() / dayMs) % days
  return files.filter((file) => {
    const at = longest.indexOf(file)
    return at < 0 || at % days === day
  })
}
