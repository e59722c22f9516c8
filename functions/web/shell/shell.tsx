import type { ComponentChildren } from 'preact'
import { type PlaceId, placeIds, places, unlisted } from '../places.ts'
import words from '../words/en.ts'
import { languageLink } from './language.ts'

/** Head and navigation around whatever section is shown. Drawn on the server too, so without hooks. */
export function Shell(props: { readonly place: PlaceId | undefined; readonly children: ComponentChildren }) {
  const { href, hreflang } = languageLink()
  return (
    <>
      <a class="skip" href="#main">
        {words.skip}
      </a>
      <header class="site">
        <a class="brand" href="/">
          <Mark />
          <bdi>Mutabor</bdi>
        </a>
        <nav aria-label={words.site}>
          {placeIds.length > 1 &&
            placeIds
              .filter((place) => !unlisted.includes(place))
              .map((place) => (
                <a
                  key={place}
                  href={places[place][0]}
                  aria-current={place === props.place ? 'page' : undefined}
                >
                  {words.places[place]}
                </a>
              ))}
          <a href="/docs">{words.reference}</a>
          <a href={href} hreflang={hreflang} lang={hreflang} data-language>
            {words.otherLanguage}
          </a>
        </nav>
      </header>
      <main id="main" data-place={props.place}>
        {props.children}
      </main>
      <p id="said" class="visually-hidden" role="status" aria-live="polite" />
    </>
  )
}

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <path
      d="M13 24H7a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v5"
      fill="none"
      stroke="currentColor"
      stroke-width="2.6"
      stroke-linecap="round"
    />
    <circle cx="21" cy="21" r="8.5" fill="currentColor" />
  </svg>
)
