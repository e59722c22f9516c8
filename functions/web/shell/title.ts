import { effect, signal } from '@preact/signals'
import { findLandingId } from '../section-paths.ts'
import words from '../words/en.ts'
import { currentRoute } from './router.ts'

/** Title set by the current section; if undefined, its name in the navigation is used. */
export const sectionTitle = signal<string | undefined>(undefined)
/** Progress of running conversions in percent, shown first in the title so that it is visible in the tab. */
export const progressPercent = signal<number | undefined>(undefined)

export function syncTitle(): void {
  effect(() => {
    const { section, path } = currentRoute.value
    const landingId = findLandingId(path)
    const ownTitle = sectionTitle.value ?? (landingId && words.popular.names[landingId])
    const name = ownTitle ?? (section === undefined ? words.notFound : words.sections[section])
    const title =
      section === 'convert' && sectionTitle.value === undefined ? words.title : words.titleOf(name)
    const percent = progressPercent.value
    document.title = percent === undefined ? title : `${percent}% · ${title}`
  })
}
