import { effect, signal } from '@preact/signals'
import words from '../words/en.ts'
import { here } from './router.ts'

/** What the section shown calls itself; its name in the navigation when it says nothing. */
export const sectionTitle = signal<string | undefined>(undefined)
/** Percent of what is under way, in front of the title, so that it is seen in the list of tabs. */
export const workPercent = signal<number | undefined>(undefined)

export function keepTitle(): void {
  effect(() => {
    const { place } = here.value
    const own = sectionTitle.value ?? (place === undefined ? words.notFound : words.places[place])
    const title = place === 'convert' && sectionTitle.value === undefined ? words.title : words.titleOf(own)
    const percent = workPercent.value
    document.title = percent === undefined ? title : `${percent}% · ${title}`
  })
}
