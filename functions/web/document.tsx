import type { VNode } from 'preact'
import type { DocumentOf, PlaceId } from './section-paths.ts'
import { PlainForm, WayIn } from './sections/convert/drop-zone.tsx'
import { Shell } from './shell/shell.tsx'
import { Loading, NotFound } from './shell/placeholders.tsx'
import { toHtml } from './shell/to-html.ts'
import words from './words/en.ts'

/** What a place shows before its script has come; the others tell that it comes. */
const firstSights: Partial<Readonly<Record<PlaceId, () => VNode>>> = {
  convert: () => (
    <>
      <WayIn />
      <div class="work" />
    </>
  ),
}

const titleOf = (place: PlaceId | undefined) => {
  if (place === 'convert') return words.title
  return words.titleOf(place ? words.places[place] : words.notFound)
}

/** In the document, as it is hardly longer than its address and the round to it. */
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M13 24H7a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v5" fill="none" stroke="#0c8c7c" stroke-width="2.6" stroke-linecap="round"/><circle cx="21" cy="21" r="8.5" fill="#0c8c7c"/></svg>')}`

export const documentOf: DocumentOf = (place, { script, preload, style }) => {
  const body = place === undefined ? <NotFound /> : (firstSights[place]?.() ?? <Loading />)
  const head = (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content={words.description} />
      <title>{titleOf(place)}</title>
      <link rel="icon" href={icon} type="image/svg+xml" />
      {preload.map((href) => (
        <link key={href} rel="modulepreload" href={href} />
      ))}
      <script type="module" src={script} />
    </>
  )
  const app = <Shell place={place}>{body}</Shell>
  return `<!doctype html><html lang="${words.lang}" dir="${words.dir}"><head>${toHtml(head)}<style>${style}</style></head><body><div id="app">${toHtml(app)}</div>${place === 'convert' ? `<noscript>${toHtml(<PlainForm />)}</noscript>` : ''}</body></html>`
}
