import { signal } from '@preact/signals'
import { type SectionId, sectionIds, sectionPaths } from '../section-paths.ts'

/** The current route: section, path parameters and query. */
export interface PageRoute {
  /** The section of the path; undefined if the path belongs to no section. */
  readonly section: SectionId | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly path: string
}

const parseRoute = (location: { readonly pathname: string; readonly search: string }): PageRoute => {
  const query = new URLSearchParams(location.search)
  for (const section of sectionIds) {
    for (const pattern of sectionPaths[section]) {
      const params = matchPattern(pattern, location.pathname)
      if (params) return { section, params, query, path: location.pathname }
    }
  }
  return { section: undefined, params: {}, query, path: location.pathname }
}

/** Matches a path such as `/formats/png-webp` against `/formats/:pair`; undefined if it does not match. */
function matchPattern(pattern: string, path: string): Record<string, string> | undefined {
  const patternParts = pattern.split('/')
  const pathParts = path.replace(/(.)\/$/, '$1').split('/')
  if (patternParts.length !== pathParts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of patternParts.entries()) {
    const value = pathParts[at] ?? ''
    if (part.startsWith(':') && value) params[part.slice(1)] = decodePart(value)
    else if (part !== value) return undefined
  }
  return params
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const currentRoute = signal<PageRoute>(
  parseRoute(typeof location === 'undefined' ? { pathname: '/', search: '' } : location),
)

/** Navigates within the page; `replace` adds no entry to the browser history. */
export function navigate(href: string, { replace = false } = {}): void {
  const url = new URL(href, location.href)
  if (url.href !== location.href) {
    if (replace) history.replaceState(null, '', url)
    else history.pushState(null, '', url)
  }
  currentRoute.value = parseRoute(url)
  if (!replace) window.scrollTo(0, 0)
}

/** Handles clicks on links to sections; the browser handles clicks on all other links. */
export function interceptLinks(): void {
  window.addEventListener('popstate', () => {
    currentRoute.value = parseRoute(location)
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null
    if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute('download') || link.hreflang)
      return
    const url = new URL(link.href)
    if (url.origin !== location.origin || parseRoute(url).section === undefined) return
    // The link leads to an anchor within the current section, so the browser handles it.
    if (url.hash && url.pathname === location.pathname && url.search === location.search) return
    event.preventDefault()
    navigate(url.href)
  })
}
