import { useEffect, useRef, useState } from 'preact/hooks'

/** Far enough ahead that a page is drawn when it comes into sight. */
const margin = '300px'

/**
 * Only pages in sight hold more than their place.
 * @param there how many pages stand in the list by now
 */
export function useInSight(
  list: { readonly current: HTMLElement | null },
  there: number,
): ReadonlySet<number> {
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set())
  const observer = useRef<IntersectionObserver | undefined>(undefined)
  useEffect(() => {
    const note = (entries: readonly IntersectionObserverEntry[]) =>
      setSeen((before) => {
        const next = new Set(before)
        let isOther = false
        for (const { target, isIntersecting } of entries) {
          const page = Number(target.getAttribute('data-page'))
          if (next.has(page) === isIntersecting) continue
          isOther = true
          if (isIntersecting) next.add(page)
          else next.delete(page)
        }
        return isOther ? next : before
      })
    observer.current = new IntersectionObserver(note, { root: list.current, rootMargin: margin })
    return () => observer.current?.disconnect()
  }, [list])
  useEffect(() => {
    // Those that are observed already stay so.
    for (const option of list.current?.children ?? []) observer.current?.observe(option)
  }, [list, there])
  return seen
}
