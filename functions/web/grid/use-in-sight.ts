import { useEffect, useState } from 'preact/hooks'

/** Far enough ahead that a page is drawn when it comes into sight. */
const margin = '300px'

/** Only pages in sight hold more than their place. */
export function useInSight(list: { readonly current: HTMLElement | null }): ReadonlySet<number> {
  const [seen, setSeen] = useState<ReadonlySet<number>>(new Set())
  useEffect(() => {
    const root = list.current
    if (!root) return undefined
    const note = (entries: readonly IntersectionObserverEntry[]) =>
      setSeen((before) => {
        const next = new Set(before)
        for (const { target, isIntersecting } of entries) {
          const page = Number(target.getAttribute('data-page'))
          if (isIntersecting) next.add(page)
          else next.delete(page)
        }
        return next
      })
    const observer = new IntersectionObserver(note, { root, rootMargin: margin })
    for (const option of root.children) observer.observe(option)
    return () => observer.disconnect()
  }, [list])
  return seen
}
