import { signal } from '@preact/signals'
import type { PlaceId } from '../places.ts'
import { chooseFiles, onDroppedFiles, onPastedFiles } from '../sections/convert/incoming.ts'
import { here } from './router.ts'

/** Sections that take files in, wherever they are dropped. */
const takers: readonly (PlaceId | undefined)[] = ['convert', 'batch']

/** Files and addresses that came, until such a section takes them: it may not have been loaded yet. */
export const brought = signal<readonly (readonly File[] | string)[]>([])

function bring(what: readonly File[] | string): void {
  if (takers.includes(here.value.place) && what.length > 0) brought.value = [...brought.value, what]
}

/** From the first moment: a file that is dropped a second too early would open in place of the page. */
export function takeFiles(): void {
  onDroppedFiles(bring)
  onPastedFiles(bring, bring)
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('#choose')) void chooseFiles().then(bring)
  })
}
