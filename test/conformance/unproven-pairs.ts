import { writeFile } from 'node:fs/promises'
import type { Conversion } from '../../lib/plan/index.ts'
import { isProven, readResults } from './results.ts'

const path = new URL('../../lib/plan/unproven-pairs.json', import.meta.url)

/**
 * Writes the list of conversions that have no recorded success with their current route. The planner does not offer
 * them.
 */
export async function saveUnprovenPairs(allPairs: readonly Conversion[]): Promise<void> {
  const lines = await readResults()
  const unprovenPairs = allPairs.filter((pair) => !isProven(pair, lines))
  const rows = [...Map.groupBy(unprovenPairs, ({ from }) => from)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, pairs]) => {
      const targets = pairs.map(({ to }) => to).sort()
      return `  ${JSON.stringify(from)}: [${targets.map((to) => JSON.stringify(to)).join(', ')}]`
    })
  await writeFile(path, rows.length > 0 ? `{\n${rows.join(',\n')}\n}\n` : '{}\n')
}
