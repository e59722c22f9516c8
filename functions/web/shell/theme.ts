import { signal } from '@preact/signals'
import { type Theme, themes } from '../section-paths.ts'

/**
 * Lifetime of the cookie with the theme. The theme is in a cookie so that the server can render it into the document:
 * no page starts in the wrong colors.
 */
const cookieLifetimeS = 365 * 24 * 3600

const readTheme = (): Theme =>
  themes.find((theme) => theme === document.documentElement.dataset['theme']) ?? 'system'

/** The theme chosen by the visitor; undefined on the server. */
export const chosenTheme = signal<Theme | undefined>(
  typeof document === 'undefined' ? undefined : readTheme(),
)

export function chooseTheme(theme: Theme): void {
  chosenTheme.value = theme
  document.documentElement.dataset['theme'] = theme
  // biome-ignore lint/suspicious/noDocumentCookie: some supported browsers lack the Cookie Store API
  document.cookie = `theme=${theme}; Path=/; Max-Age=${cookieLifetimeS}; SameSite=Lax`
}
