import { useEffect, useState } from 'preact/hooks'

/** More than a screen shows, and quickly made. */
const slice = 60

/** How many of so many are there by now: a first slice at once, the others one by one, so that the page answers meanwhile. */
export function useSlices(count: number): number {
  const [there, setThere] = useState(slice)
  useEffect(() => {
    if (there >= count) return undefined
    const timer = setTimeout(() => setThere(there + slice))
    return () => clearTimeout(timer)
  }, [there, count])
  return there
}
