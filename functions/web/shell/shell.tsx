import type { ComponentChildren } from 'preact'
import { inMenu, type PlaceId, placeIds, places, unlisted } from '../section-paths.ts'
import words from '../words/en.ts'
import { languageLink } from './language.ts'

const listed = placeIds.filter((place) => !inMenu.includes(place) && !unlisted.includes(place))
const hidden = placeIds.filter((place) => inMenu.includes(place))

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
          {listed.map((place) => (
            <PlaceLink key={place} place={place} current={props.place} />
          ))}
          <details class="menu">
            <summary data-current={hidden.some((place) => place === props.place) || undefined}>
              {words.menu}
            </summary>
            <div>
              {hidden.map((place) => (
                <PlaceLink key={place} place={place} current={props.place} />
              ))}
              <a href={href} hreflang={hreflang} lang={hreflang}>
                {words.otherLanguage}
              </a>
            </div>
          </details>
        </nav>
      </header>
      <main id="main" data-place={props.place}>
        {props.children}
      </main>
      <p id="said" class="visually-hidden" role="status" aria-live="polite" />
    </>
  )
}

const PlaceLink = (props: { readonly place: PlaceId; readonly current: PlaceId | undefined }) => (
  <a href={places[props.place][0]} aria-current={props.place === props.current ? 'page' : undefined}>
    {words.places[props.place]}
  </a>
)

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
