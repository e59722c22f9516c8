import { useEffect, useState } from 'preact/hooks'

/** Number of items in a batch: more than fit on a screen, and few enough to render quickly. */
const batchSize = 60

/**
 * How many of `count` items to render so far: a first batch immediately, then further batches step by step, so that the
 * page stays responsive.
 */
export function useGradualCount(count: number): number {
  const [shownCount, setShownCount] = useState(batchSize)
  useEffect(() => {
    if (shownCount >= count) return undefined
    const timer = setTimeout(() => setShownCount(shownCount + batchSize))
    return () => clearTimeout(timer)
  }, [shownCount, count])
  return shownCount
}
