/** Runs an action on each of them, so many at a time. */
export async function eachOf<T>(
  all: readonly T[],
  atATime: number,
  action: (one: T) => Promise<void>,
): Promise<void> {
  const left = all.values()
  const worker = async () => {
    for (const one of left) await action(one)
  }
  await Promise.all(Array.from({ length: Math.min(atATime, all.length) }, worker))
}
