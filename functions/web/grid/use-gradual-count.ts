import { useEffect, useState } from 'preact/hooks'

/** More than a screen shows, and quickly made. */
const batchSize = 60

/** How many of so many are there by now: a first slice at once, the others one by one, so that the page answers meanwhile. */
export function useGradualCount(count: number): number {
  const [shown, setShown] = useState(batchSize)
  useEffect(() => {
    if (shown >= count) return undefined
    const timer = setTimeout(() => setShown(shown + batchSize))
    return () => clearTimeout(timer)
  }, [shown, count])
  return shown
}
