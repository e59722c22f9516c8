import { effect, signal } from '@preact/signals'
import words from '../words/en.ts'
import { currentRoute } from './router.ts'

/** What the section shown calls itself; its name in the navigation when it says nothing. */
export const sectionTitle = signal<string | undefined>(undefined)
/** Percent of what is under way, in front of the title, so that it is seen in the list of tabs. */
export const progressPercent = signal<number | undefined>(undefined)

export function syncTitle(): void {
  effect(() => {
    const { section } = currentRoute.value
    const name = sectionTitle.value ?? (section === undefined ? words.notFound : words.sections[section])
    const title =
      section === 'convert' && sectionTitle.value === undefined ? words.title : words.titleOf(name)
    const percent = progressPercent.value
    document.title = percent === undefined ? title : `${percent}% · ${title}`
  })
}
