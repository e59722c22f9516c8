/**
 * Counters by name in flat records, so that any number of writers can add to them. The name of a counter for one
 * engine, format or API key consists of several words: `engine`, `format` or `key`, then the name of that engine,
 * format or key, then what is counted. Durations are stored as the bin counts of a DDSketch
 * (https://arxiv.org/abs/1908.10693), so that the sketches of several records can be added up.
 */
export type UsageCounts = Readonly<Record<string, number>>

export function sumCounts(allCounts: readonly UsageCounts[]): UsageCounts {
  const sum: Record<string, number> = {}
  for (const counts of allCounts)
    for (const [name, value] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

/** Groups counters by the middle part of their names, such as `vips` in `engine vips jobs`. */
export function groupCounts(
  counts: UsageCounts,
  group: 'engine' | 'format' | 'key',
): ReadonlyMap<string, UsageCounts> {
  const groups = new Map<string, Record<string, number>>()
  for (const [name, value] of Object.entries(counts)) {
    const [kind, key, count] = name.split(' ')
    if (kind !== group || key === undefined || count === undefined) continue
    groups.set(key, { ...groups.get(key), [count]: value })
  }
  return groups
}
