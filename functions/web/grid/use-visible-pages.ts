import { useEffect, useRef, useState } from 'preact/hooks'

/** Margin around the viewport, large enough that a page is drawn before it scrolls into view. */
const margin = '300px'

/**
 * Returns the pages in view; the others are rendered as empty boxes.
 * @param renderedCount pages in the list so far
 */
export function useVisiblePages(
  list: { readonly current: HTMLElement | null },
  renderedCount: number,
): ReadonlySet<number> {
  const [visiblePages, setVisiblePages] = useState<ReadonlySet<number>>(new Set())
  const observer = useRef<IntersectionObserver | undefined>(undefined)
  useEffect(() => {
    const update = (entries: readonly IntersectionObserverEntry[]) =>
      setVisiblePages((previousPages) => {
        const next = new Set(previousPages)
        let hasChanged = false
        for (const { target, isIntersecting } of entries) {
          const page = Number(target.getAttribute('data-page'))
          if (next.has(page) === isIntersecting) continue
          hasChanged = true
          if (isIntersecting) next.add(page)
          else next.delete(page)
        }
        return hasChanged ? next : previousPages
      })
    observer.current = new IntersectionObserver(update, { root: list.current, rootMargin: margin })
    return () => observer.current?.disconnect()
  }, [list])
  useEffect(() => {
    // Observing an element twice has no effect.
    for (const option of list.current?.children ?? []) observer.current?.observe(option)
  }, [list, renderedCount])
  return visiblePages
}
