/** Runs an action on each item, at most `maxConcurrent` at a time. */
export async function forEachConcurrently<T>(
  items: readonly T[],
  maxConcurrent: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const remainingItems = items.values()
  const worker = async () => {
    for (const item of remainingItems) await action(item)
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, worker))
}
