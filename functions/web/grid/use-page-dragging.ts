import { useRef, useState } from 'preact/hooks'
import { dropPages, getTargetPages } from './commands.ts'
import type { SheetsProps } from './grid-props.ts'

/** Dragging pages to another position; `markerAt` shows where they would be dropped. */
export function usePageDragging(
  list: { readonly current: HTMLElement | null },
  { arrangement, abilities, onChange }: SheetsProps,
) {
  const dragged = useRef<ReadonlySet<number>>(new Set())
  const [to, setTo] = useState<number>()
  const endDrag = () => {
    dragged.current = new Set()
    setTo(undefined)
  }
  const dropIndexOf = (event: DragEvent): number | undefined => {
    if (dragged.current.size === 0) return undefined
    event.preventDefault()
    return dropIndex(event, list.current)
  }
  const listeners = {
    onDragStart: (event: DragEvent) => {
      const page = Number(pageElement(event)?.getAttribute('data-page'))
      if (!page || !abilities.includes('move') || !event.dataTransfer) return
      dragged.current = getTargetPages(arrangement, page)
      event.dataTransfer.setData('text/plain', String(page))
      event.dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      const index = dropIndexOf(event)
      if (index !== undefined) setTo(index)
    },
    onDrop: (event: DragEvent) => {
      const index = dropIndexOf(event) ?? to
      if (index !== undefined) onChange(dropPages(arrangement, dragged.current, index))
      endDrag()
    },
    onDragEnd: endDrag,
  }
  const lastPlace = arrangement.sheets.length - 1
  const markerAt = (at: number) =>
    to === at ? 'before' : at === lastPlace && to === at + 1 ? 'after' : undefined
  return { listeners, markerAt }
}

const pageElement = ({ target }: Event) => (target instanceof Element ? target.closest('[data-page]') : null)

/** The position in front of the page under the pointer, or behind it in its second half. */
function dropIndex(event: DragEvent, list: HTMLElement | null): number | undefined {
  const option = pageElement(event)
  if (!option || !list) return undefined
  const at = [...list.children].indexOf(option)
  const { left, width } = option.getBoundingClientRect()
  const isRight = event.clientX > left + width / 2
  return isRight === isRightToLeft(list) ? at : at + 1
}

export const isRightToLeft = (element: Element): boolean => getComputedStyle(element).direction === 'rtl'
