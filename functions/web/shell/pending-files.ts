import { signal } from '@preact/signals'
import type { PlaceId } from '../section-paths.ts'
import { chooseFiles, onDroppedFiles, onPastedFiles } from '../sections/convert/file-input.ts'
import { here } from './router.ts'

/** Sections that take files in, wherever they are dropped. */
const takers: readonly (PlaceId | undefined)[] = ['convert', 'batch']

/** Files and addresses that came, until such a section takes them: it may not have been loaded yet. */
export const brought = signal<readonly (readonly File[] | string)[]>([])

/** Files on their way to a tool, from a card or dropped on the page of tools. */
export const carried = signal<readonly File[]>([])

function bring(what: readonly File[] | string): void {
  const { place } = here.value
  if (takers.includes(place) && what.length > 0) brought.value = [...brought.value, what]
  if (place === 'tools' && typeof what !== 'string') carried.value = [...carried.value, ...what]
}

/** From the first moment: a file that is dropped a second too early would open in place of the page. */
export function takeFiles(): void {
  onDroppedFiles(bring)
  onPastedFiles(bring, bring)
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('#choose')) void chooseFiles().then(bring)
  })
}
