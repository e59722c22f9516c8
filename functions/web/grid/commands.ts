import { announce } from '../shell/announce.ts'
import type { Ability } from './grid-props.ts'
import {
  movePages,
  type PageArrangement,
  rotatePages,
  type Sheets,
  shiftPages,
  splitIntoParts,
  toggleRemoved,
  toggleSplit,
} from './page-order.ts'
import words from './words/en.ts'

/** Commands on pages, invoked by button, key or dragging, and their announcements for screen readers. */

export type CommandId = 'rotateLeft' | 'rotateRight' | 'moveBack' | 'moveForward' | 'remove' | 'split'

export const requiredAbility: Readonly<Record<CommandId, Ability>> = {
  rotateLeft: 'rotate',
  rotateRight: 'rotate',
  moveBack: 'move',
  moveForward: 'move',
  remove: 'remove',
  split: 'split',
}

const commandChanges: Readonly<Record<CommandId, (sheets: Sheets, pages: ReadonlySet<number>) => Sheets>> = {
  rotateLeft: (sheets, pages) => rotatePages(sheets, pages, -90),
  rotateRight: (sheets, pages) => rotatePages(sheets, pages, 90),
  moveBack: (sheets, pages) => shiftPages(sheets, pages, -1),
  moveForward: (sheets, pages) => shiftPages(sheets, pages, 1),
  remove: toggleRemoved,
  split: toggleSplit,
}

/** Returns the selected pages, or only the focused one if it is not selected. */
export const getTargetPages = ({ selected }: PageArrangement, focusedPage: number): ReadonlySet<number> =>
  selected.has(focusedPage) ? selected : new Set([focusedPage])

export function runGridCommand(
  id: CommandId,
  arrangement: PageArrangement,
  pages: ReadonlySet<number>,
): PageArrangement {
  const nextArrangement = { ...arrangement, sheets: commandChanges[id](arrangement.sheets, pages) }
  announce(describeResult(id, nextArrangement, pages), `pages ${id}`)
  return nextArrangement
}

export function dropPages(
  arrangement: PageArrangement,
  pages: ReadonlySet<number>,
  to: number,
): PageArrangement {
  const nextArrangement = { ...arrangement, sheets: movePages(arrangement.sheets, pages, to) }
  announce(describeResult('moveForward', nextArrangement, pages), 'pages move')
  return nextArrangement
}

function describeResult(id: CommandId, arrangement: PageArrangement, pages: ReadonlySet<number>): string {
  const { sheets } = arrangement
  const index = sheets.findIndex(({ page }) => pages.has(page))
  const firstSheet = sheets[index]
  if (!firstSheet) return ''
  switch (id) {
    case 'rotateLeft':
    case 'rotateRight':
      return words.rotatedTo(pages.size, firstSheet.page, firstSheet.rotation)
    case 'moveBack':
    case 'moveForward':
      return words.movedTo(firstSheet.page, index + 1, sheets.length)
    case 'remove':
      return firstSheet.isRemoved ? words.removedNow(pages.size) : words.restoredNow(pages.size)
    case 'split':
      return words.files(splitIntoParts(arrangement).length)
  }
}
