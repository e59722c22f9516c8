import { useRef, useState } from 'preact/hooks'
import { dropPages, getTargetPages } from './commands.ts'
import type { SheetsProps } from './grid-props.ts'

/** Lets users drag pages to another position; `markerAt` says where they would be dropped. */
export function usePageDragging(
  list: { readonly current: HTMLElement | null },
  { arrangement, abilities, onChange }: SheetsProps,
) {
  const draggedPages = useRef<ReadonlySet<number>>(new Set())
  const [dropTarget, setDropTarget] = useState<number>()
  const endDrag = () => {
    draggedPages.current = new Set()
    setDropTarget(undefined)
  }
  const getDropIndex = (event: DragEvent): number | undefined => {
    if (draggedPages.current.size === 0) return undefined
    event.preventDefault()
    return computeDropIndex(event, list.current)
  }
  const listeners = {
    onDragStart: (event: DragEvent) => {
      const page = Number(findPageElement(event)?.getAttribute('data-page'))
      if (!page || !abilities.includes('move') || !event.dataTransfer) return
      draggedPages.current = getTargetPages(arrangement, page)
      event.dataTransfer.setData('text/plain', String(page))
      event.dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      const index = getDropIndex(event)
      if (index !== undefined) setDropTarget(index)
    },
    onDrop: (event: DragEvent) => {
      const index = getDropIndex(event) ?? dropTarget
      if (index !== undefined) onChange(dropPages(arrangement, draggedPages.current, index))
      endDrag()
    },
    onDragEnd: endDrag,
  }
  const lastIndex = arrangement.sheets.length - 1
  const markerAt = (at: number) =>
    dropTarget === at ? 'before' : at === lastIndex && dropTarget === at + 1 ? 'after' : undefined
  return { listeners, markerAt }
}

const findPageElement = ({ target }: Event) =>
  target instanceof Element ? target.closest('[data-page]') : null

/** Returns the position before the page under the pointer, or after it if the pointer is in the page's second half. */
function computeDropIndex(event: DragEvent, list: HTMLElement | null): number | undefined {
  const option = findPageElement(event)
  if (!option || !list) return undefined
  const at = [...list.children].indexOf(option)
  const { left, width } = option.getBoundingClientRect()
  const isInRightHalf = event.clientX > left + width / 2
  return isInRightHalf === isRightToLeft(list) ? at : at + 1
}

export const isRightToLeft = (element: Element): boolean => getComputedStyle(element).direction === 'rtl'
