import type { Format } from './api.ts'
import { categories, categoryNames } from './catalogue.ts'
import { element } from './element.ts'

/** What can be read, by category, under the list of files. */
export function showKinds(into: HTMLElement, formats: readonly Format[]): void {
  const rows = categories.flatMap((category) => {
    const members = formats.filter((format) => format.category === category && format.canRead)
    if (members.length === 0) return []
    const items = members.map(({ id, name }) => element('li', { title: name }, id.toUpperCase()))
    return [
      element(
        'dt',
        {},
        categoryNames[category],
        ' ',
        element('span', { class: 'count' }, `${members.length}`),
      ),
      element('dd', {}, element('ul', { class: 'format-ids' }, ...items)),
    ]
  })
  into.replaceChildren(...rows)
}
