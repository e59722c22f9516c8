import { announce } from '../shell/announce.ts'
import { type Arranged, cut, moved, partsOf, removed, type Sheets, shifted, turned } from './page-order.ts'
import type { Ability } from './grid-props.ts'
import words from './words/en.ts'

/** What somebody does with pages, whether by a button, a key or by dragging, and what is said of it. */

export type ActId = 'left' | 'right' | 'back' | 'on' | 'remove' | 'cut'

export const needs: Readonly<Record<ActId, Ability>> = {
  ...{ left: 'turn', right: 'turn', back: 'move', on: 'move', remove: 'remove', cut: 'cut' },
}

const changes: Readonly<Record<ActId, (sheets: Sheets, pages: ReadonlySet<number>) => Sheets>> = {
  left: (sheets, pages) => turned(sheets, pages, -90),
  right: (sheets, pages) => turned(sheets, pages, 90),
  back: (sheets, pages) => shifted(sheets, pages, -1),
  on: (sheets, pages) => shifted(sheets, pages, 1),
  ...{ remove: removed, cut },
}

/** The selected pages; the one that has the focus where none is selected or it is not among them. */
export const meant = ({ selected }: Arranged, focused: number): ReadonlySet<number> =>
  selected.has(focused) ? selected : new Set([focused])

export function act(id: ActId, arranged: Arranged, pages: ReadonlySet<number>): Arranged {
  const next = { ...arranged, sheets: changes[id](arranged.sheets, pages) }
  announce(said(id, next, pages), `pages ${id}`)
  return next
}

export function drop(arranged: Arranged, pages: ReadonlySet<number>, to: number): Arranged {
  const next = { ...arranged, sheets: moved(arranged.sheets, pages, to) }
  announce(said('on', next, pages), 'pages move')
  return next
}

function said(id: ActId, arranged: Arranged, pages: ReadonlySet<number>): string {
  const { sheets } = arranged
  const at = sheets.findIndex(({ page }) => pages.has(page))
  const first = sheets[at]
  if (!first) return ''
  switch (id) {
    case 'left':
    case 'right':
      return words.turnedTo(pages.size, first.page, first.turn)
    case 'back':
    case 'on':
      return words.movedTo(first.page, at + 1, sheets.length)
    case 'remove':
      return first.isRemoved ? words.removedNow(pages.size) : words.broughtBack(pages.size)
    case 'cut':
      return words.files(partsOf(arranged).length)
  }
}
