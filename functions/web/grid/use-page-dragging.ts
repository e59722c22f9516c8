import { useRef, useState } from 'preact/hooks'
import { drop, meant } from './commands.ts'
import type { SheetsProps } from './grid-props.ts'

/** Dragging pages to another place; `mark` tells where they would come. */
export function useDrops(
  list: { readonly current: HTMLElement | null },
  { arranged, can, onChange }: SheetsProps,
) {
  const dragged = useRef<ReadonlySet<number>>(new Set())
  const [to, setTo] = useState<number>()
  const end = () => {
    dragged.current = new Set()
    setTo(undefined)
  }
  const over = (event: DragEvent): number | undefined => {
    if (dragged.current.size === 0) return undefined
    event.preventDefault()
    return placeAt(event, list.current)
  }
  const listeners = {
    onDragStart: (event: DragEvent) => {
      const page = Number(optionOf(event)?.getAttribute('data-page'))
      if (!page || !can.includes('move') || !event.dataTransfer) return
      dragged.current = meant(arranged, page)
      event.dataTransfer.setData('text/plain', String(page))
      event.dataTransfer.effectAllowed = 'move'
    },
    onDragOver: (event: DragEvent) => {
      const place = over(event)
      if (place !== undefined) setTo(place)
    },
    onDrop: (event: DragEvent) => {
      const place = over(event) ?? to
      if (place !== undefined) onChange(drop(arranged, dragged.current, place))
      end()
    },
    onDragEnd: end,
  }
  const last = arranged.sheets.length - 1
  const mark = (at: number) => (to === at ? 'before' : at === last && to === at + 1 ? 'after' : undefined)
  return { listeners, mark }
}

const optionOf = ({ target }: Event) => (target instanceof Element ? target.closest('[data-page]') : null)

/** In front of the page under the pointer, or behind it where it is over its second half. */
function placeAt(event: DragEvent, list: HTMLElement | null): number | undefined {
  const option = optionOf(event)
  if (!option || !list) return undefined
  const at = [...list.children].indexOf(option)
  const { left, width } = option.getBoundingClientRect()
  const isRight = event.clientX > left + width / 2
  return isRight === isMirrored(list) ? at : at + 1
}

export const isMirrored = (element: Element): boolean => getComputedStyle(element).direction === 'rtl'
