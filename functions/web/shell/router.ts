import { signal } from '@preact/signals'
import { type PlaceId, placeIds, places } from '../section-paths.ts'

/** Where the visitor is: a section, what its address names, and the query. */
export interface Whereabouts {
  /** Undefined where no section stands. */
  readonly place: PlaceId | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly path: string
}

export const locate = (address: { readonly pathname: string; readonly search: string }): Whereabouts => {
  const query = new URLSearchParams(address.search)
  for (const place of placeIds) {
    for (const pattern of places[place]) {
      const params = paramsOf(pattern, address.pathname)
      if (params) return { place, params, query, path: address.pathname }
    }
  }
  return { place: undefined, params: {}, query, path: address.pathname }
}

/** What `/formats/:pair` makes of `/formats/png-webp`; undefined where they differ. */
function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(.)\/$/, '$1').split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? ''
    if (part.startsWith(':') && value) params[part.slice(1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return params
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const here = signal<Whereabouts>(
  locate(typeof location === 'undefined' ? { pathname: '/', search: '' } : location),
)

/** Goes to another address of the page; `replace` leaves no step to come back to. */
export function go(href: string, { replace = false } = {}): void {
  const url = new URL(href, location.href)
  if (url.href !== location.href) {
    if (replace) history.replaceState(null, '', url)
    else history.pushState(null, '', url)
  }
  here.value = locate(url)
  if (!replace) window.scrollTo(0, 0)
}

/** Links within the page change the section; all others are the browser's. */
export function followLinks(): void {
  window.addEventListener('popstate', () => {
    here.value = locate(location)
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute('download') || link.hreflang)
      return
    const url = new URL(link.href)
    if (url.origin !== location.origin || locate(url).place === undefined) return
    // A place within what is shown.
    if (url.hash && url.pathname === location.pathname && url.search === location.search) return
    event.preventDefault()
    go(url.href)
  })
}
