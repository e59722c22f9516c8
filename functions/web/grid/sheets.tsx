import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type ActId, act, meant, needs } from './commands.ts'
import { wishOf } from './keyboard.ts'
import type { SheetsProps } from './grid-props.ts'
import { SheetOption } from './sheet.tsx'
import { Toolbar } from './toolbar.tsx'
import { isMirrored, useDrops } from './use-page-dragging.ts'
import { useInSight } from './use-visible-pages.ts'
import { useSlices } from './use-gradual-count.ts'
import words from './words/en.ts'

const usualSide = 150

/**
 * A listbox of many choices, as the ARIA Authoring Practices Guide has it, whose options stand in rows: the arrow keys go in
 * both directions, and with Alt they take the pages along ("Listbox with rearrangeable options").
 */
export function Sheets(props: SheetsProps) {
  const { arranged, can, pages } = props
  const { sheets, selected } = arranged
  const list = useRef<HTMLDivElement>(null)
  const [side, setSide] = useState(usualSide)
  const there = useSlices(sheets.length)
  const seen = useInSight(list, there)
  const drops = useDrops(list, props)
  const hands = useHands(list, props)
  const keysId = useId()
  return (
    <>
      <Toolbar {...props} {...hands} side={side} onSide={setSide} />
      <div
        ref={list}
        role="listbox"
        class="sheets"
        aria-label={words.pages(sheets.length)}
        aria-multiselectable="true"
        aria-describedby={keysId}
        tabIndex={-1}
        style={{ '--side': `${side}px` }}
        onKeyDown={(event) => {
          if (!event.isComposing && hands.press(event)) event.preventDefault()
        }}
        onClick={hands.click}
        onFocusIn={hands.focusIn}
        {...drops.listeners}
      >
        {sheets.slice(0, there).map((sheet, at) => (
          <SheetOption
            key={sheet.page}
            {...{ sheet, pages }}
            side={sharpness(side)}
            isSelected={selected.has(sheet.page)}
            isFocused={sheet.page === hands.focused}
            isSeen={seen.has(sheet.page)}
            canMove={can.includes('move')}
            canBeCut={can.includes('cut') && at < sheets.length - 1}
            mark={drops.mark(at)}
          />
        ))}
      </div>
      <p class="meta" role="status">
        {words.selected(selected.size, sheets.length)}
      </p>
      <p id={keysId} class="hint">
        {[words.keysOf.always, ...can.map((one) => words.keysOf[one])].join(' ')}
      </p>
    </>
  )
}

/** Few sizes, so that each step of the slider does not draw all anew. */
const sharpness = (side: number) =>
  (side <= 160 ? 160 : side <= 260 ? 260 : 420) * Math.min(2, devicePixelRatio)

/** What keys, clicks and buttons do: which page has the focus, which are selected, and what becomes of them. */
function useHands(list: { readonly current: HTMLElement | null }, { arranged, can, onChange }: SheetsProps) {
  const { sheets, selected } = arranged
  const [focused, setFocused] = useState(sheets[0]?.page ?? 1)
  /** Where a selection with Shift began. */
  const anchor = useRef(focused)
  /** The node of a page that moved has lost the focus. */
  const refocus = useRef(false)

  useLayoutEffect(() => {
    if (!refocus.current) return
    const option = list.current?.querySelector<HTMLElement>(`[data-page="${focused}"]`)
    // Of many pages the last ones come a moment later.
    if (!option) return
    refocus.current = false
    option.focus({ preventScroll: true })
    option.scrollIntoView({ block: 'nearest' })
  })

  const placeOf = (page: number) => sheets.findIndex((sheet) => sheet.page === page)
  const select = (next: Iterable<number>) => onChange({ ...arranged, selected: new Set(next) })
  const selectAll = () => select(sheets.map(({ page }) => page))
  const toggle = (page: number) => {
    anchor.current = page
    const next = new Set(selected)
    if (!next.delete(page)) next.add(page)
    select(next)
  }
  const extendTo = (page: number) => {
    const [from = 0, to = 0] = [placeOf(anchor.current), placeOf(page)].sort((a, b) => a - b)
    select(sheets.slice(from, to + 1).map((sheet) => sheet.page))
  }
  const does = (id: ActId): boolean => {
    if (!can.includes(needs[id])) return false
    onChange(act(id, arranged, meant(arranged, focused)))
    refocus.current = list.current?.contains(document.activeElement) ?? false
    return true
  }
  const goTo = (place: number, isExtending: boolean) => {
    const page = sheets[place]?.page
    if (page === undefined) return
    if (isExtending) extendTo(page)
    else anchor.current = page
    refocus.current = true
    setFocused(page)
  }
  const press = (event: KeyboardEvent): boolean => {
    if (!list.current) return false
    const stand = {
      ...{ place: placeOf(focused), count: sheets.length },
      ...{ columns: columnsOf(list.current), isMirrored: isMirrored(list.current) },
    }
    const wish = wishOf(event, stand)
    switch (wish?.kind) {
      case undefined:
        return false
      case 'act':
        return does(wish.id)
      case 'go':
        goTo(wish.to, wish.isExtending)
        return true
      case 'toggle':
        toggle(focused)
        return true
      case 'all':
        if (selected.size === sheets.length) select([])
        else selectAll()
        return true
      case 'none':
        if (selected.size > 0) select([])
        return selected.size > 0
    }
  }
  const focusIn = (event: FocusEvent) => {
    const page = pageOf(event)
    if (page) setFocused(page)
  }
  const click = (event: MouseEvent) => {
    const page = pageOf(event)
    if (!page) return
    if (event.target instanceof Element && event.target.closest('.sheet-cut'))
      onChange(act('cut', arranged, new Set([page])))
    else if (event.shiftKey) extendTo(page)
    else toggle(page)
  }
  return { focused, select, selectAll, does, press, click, focusIn }
}

const pageOf = ({ target }: Event): number =>
  Number(target instanceof Element ? target.closest('[data-page]')?.getAttribute('data-page') : 0)

function columnsOf(list: HTMLElement): number {
  const options = [...list.children].filter((one) => one instanceof HTMLElement)
  const top = options[0]?.offsetTop
  const next = options.findIndex(({ offsetTop }) => offsetTop !== top)
  return next < 0 ? Math.max(1, options.length) : next
}
