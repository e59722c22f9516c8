import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type CommandId, getTargetPages, requiredAbility, runGridCommand } from './commands.ts'
import type { SheetsProps } from './grid-props.ts'
import { findKeyAction } from './keyboard.ts'
import { SheetOption } from './sheet.tsx'
import { Toolbar } from './toolbar.tsx'
import { useGradualCount } from './use-gradual-count.ts'
import { isRightToLeft, usePageDragging } from './use-page-dragging.ts'
import { useVisiblePages } from './use-visible-pages.ts'
import words from './words/en.ts'

const defaultThumbnailPx = 150

/**
 * A multi-select listbox as in the ARIA Authoring Practices Guide ("Listbox with rearrangeable options"), with options
 * in rows and columns. Arrow keys move in all directions; with Alt, they move the pages.
 */
export function SheetGrid(props: SheetsProps) {
  const { arrangement, abilities, pages } = props
  const { sheets, selected } = arrangement
  const list = useRef<HTMLDivElement>(null)
  const [thumbnailPx, setThumbnailPx] = useState(defaultThumbnailPx)
  const renderedCount = useGradualCount(sheets.length)
  const visiblePages = useVisiblePages(list, renderedCount)
  const dragging = usePageDragging(list, props)
  const interaction = useInteraction(list, props)
  const keyHelpId = useId()
  return (
    <>
      <Toolbar {...props} {...interaction} thumbnailPx={thumbnailPx} onResize={setThumbnailPx} />
      <div
        ref={list}
        role="listbox"
        class="sheets"
        aria-label={words.pages(sheets.length)}
        aria-multiselectable="true"
        aria-describedby={keyHelpId}
        tabIndex={-1}
        style={{ '--side': `${thumbnailPx}px` }}
        onKeyDown={(event) => {
          if (!event.isComposing && interaction.handleKey(event)) event.preventDefault()
        }}
        onClick={interaction.handleClick}
        onFocusIn={interaction.handleFocus}
        {...dragging.listeners}
      >
        {sheets.slice(0, renderedCount).map((sheet, at) => (
          <SheetOption
            key={sheet.page}
            sheet={sheet}
            pages={pages}
            maxSidePx={getRenderPx(thumbnailPx)}
            isSelected={selected.has(sheet.page)}
            isFocused={sheet.page === interaction.focused}
            isVisible={visiblePages.has(sheet.page)}
            canMove={abilities.includes('move')}
            canSplitAfter={abilities.includes('split') && at < sheets.length - 1}
            dropMarker={dragging.markerAt(at)}
          />
        ))}
      </div>
      <p class="meta" role="status">
        {words.selected(selected.size, sheets.length)}
      </p>
      <p id={keyHelpId} class="hint">
        {[words.keys.always, ...abilities.map((ability) => words.keys[ability])].join(' ')}
      </p>
    </>
  )
}

/** Rounds to one of a few sizes, so that not every step of the slider redraws all pages. */
const getRenderPx = (thumbnailPx: number) =>
  (thumbnailPx <= 160 ? 160 : thumbnailPx <= 260 ? 260 : 420) * Math.min(2, devicePixelRatio)

/** Keyboard, mouse and button interaction: focus, selection and commands. */
function useInteraction(
  list: { readonly current: HTMLElement | null },
  { arrangement, abilities, onChange }: SheetsProps,
) {
  const { sheets, selected } = arrangement
  const [focusedPage, setFocusedPage] = useState(sheets[0]?.page ?? 1)
  /** The page where the Shift selection started. */
  const anchor = useRef(focusedPage)
  /** Whether the focused node was moved and has therefore lost the focus. */
  const needsRefocus = useRef(false)

  useLayoutEffect(() => {
    if (!needsRefocus.current) return
    const option = list.current?.querySelector<HTMLElement>(`[data-page="${focusedPage}"]`)
    // The option may not be rendered yet: with many pages, the last ones follow later.
    if (!option) return
    needsRefocus.current = false
    option.focus({ preventScroll: true })
    option.scrollIntoView({ block: 'nearest' })
  })

  const indexOf = (page: number) => sheets.findIndex((sheet) => sheet.page === page)
  const select = (next: Iterable<number>) => onChange({ ...arrangement, selected: new Set(next) })
  const selectAll = () => select(sheets.map(({ page }) => page))
  const toggle = (page: number) => {
    anchor.current = page
    const nextSelection = new Set(selected)
    if (!nextSelection.delete(page)) nextSelection.add(page)
    select(nextSelection)
  }
  const extendTo = (page: number) => {
    const [from = 0, to = 0] = [indexOf(anchor.current), indexOf(page)].sort((a, b) => a - b)
    select(sheets.slice(from, to + 1).map((sheet) => sheet.page))
  }
  const perform = (id: CommandId): boolean => {
    if (!abilities.includes(requiredAbility[id])) return false
    onChange(runGridCommand(id, arrangement, getTargetPages(arrangement, focusedPage)))
    needsRefocus.current = list.current?.contains(document.activeElement) ?? false
    return true
  }
  const focusIndex = (index: number, extendsSelection: boolean) => {
    const page = sheets[index]?.page
    if (page === undefined) return
    if (extendsSelection) extendTo(page)
    else anchor.current = page
    needsRefocus.current = true
    setFocusedPage(page)
  }
  const handleKey = (event: KeyboardEvent): boolean => {
    if (!list.current) return false
    const position = {
      index: indexOf(focusedPage),
      count: sheets.length,
      columns: countColumns(list.current),
      isRightToLeft: isRightToLeft(list.current),
    }
    const action = findKeyAction(event, position)
    switch (action?.kind) {
      case undefined:
        return false
      case 'command':
        return perform(action.id)
      case 'focus':
        focusIndex(action.to, action.extendsSelection)
        return true
      case 'toggle':
        toggle(focusedPage)
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
  const handleFocus = (event: FocusEvent) => {
    const page = getPageNumber(event)
    if (page) setFocusedPage(page)
  }
  const handleClick = (event: MouseEvent) => {
    const page = getPageNumber(event)
    if (!page) return
    if (event.target instanceof Element && event.target.closest('.sheet-cut'))
      onChange(runGridCommand('split', arrangement, new Set([page])))
    else if (event.shiftKey) extendTo(page)
    else toggle(page)
  }
  return { focused: focusedPage, select, selectAll, perform, handleKey, handleClick, handleFocus }
}

const getPageNumber = ({ target }: Event): number =>
  Number(target instanceof Element ? target.closest('[data-page]')?.getAttribute('data-page') : 0)

function countColumns(list: HTMLElement): number {
  const options = [...list.children].filter((element) => element instanceof HTMLElement)
  const top = options[0]?.offsetTop
  const nextRowStart = options.findIndex(({ offsetTop }) => offsetTop !== top)
  return nextRowStart < 0 ? Math.max(1, options.length) : nextRowStart
}
