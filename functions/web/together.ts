import type { Card } from './card.ts'
import { commonTargets } from './catalogue.ts'
import { element } from './element.ts'
import { targetPicker } from './target-picker.ts'

/** The bar for several files that wait: one target for all of them, and one press to start them. */
export function showTogether(bar: HTMLElement, cards: readonly Card[]): void {
  const ready = cards.filter((card) => card.isReady)
  bar.hidden = ready.length < 2
  // Built anew only when the number changes, else typing into it would be interrupted.
  if (bar.dataset['count'] === String(ready.length)) return
  bar.dataset['count'] = String(ready.length)
  const targets = commonTargets(ready.map((card) => card.targets))
  const setAll = targetPicker({
    label: 'One format for all of them',
    placeholder: 'One format for all',
    targets,
    onChoose: (target) => {
      for (const card of ready) card.setTarget(target)
      start.focus()
    },
  })
  const start = element('button', { type: 'button', class: 'button primary' }, 'Convert all')
  start.addEventListener('click', () => {
    for (const card of ready) void card.convert()
  })
  const words = element('p', {}, `${ready.length} files are ready.`)
  bar.replaceChildren(words, ...(targets.length > 0 ? [setAll] : []), start)
}
