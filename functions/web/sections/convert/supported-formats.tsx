import { categoryIcons } from '../../ui/category-icons.ts'
import { LineIcon } from '../../ui/line-icon.tsx'
import { categories, categoryNames } from './format-catalog.ts'
import words from './words/en.ts'

/**
 * The supported formats by category. Their names are not shown, because all names would be a third of a first visit's
 * bytes.
 */
export function SupportedFormats() {
  return (
    <section aria-labelledby="kinds-title">
      <h2 id="kinds-title">{words.supportedFormats}</h2>
      <ul id="kinds" class="kinds">
        {categories.map((category) => (
          <li key={category}>
            <LineIcon of={categoryIcons[category] ?? []} />
            <a href={`/formats?category=${category}`}>{categoryNames[category]}</a>
          </li>
        ))}
        <li>
          <a href="/formats">{words.allOfThem}</a>
        </li>
      </ul>
    </section>
  )
}
