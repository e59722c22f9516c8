import { signal } from '@preact/signals'
import { hydrate } from 'preact'
import { type SectionModule, sectionLoaders } from './sections.ts'
import { Lazy } from './shell/lazy.tsx'
import { closeMenu } from './shell/menu.ts'
import { listenForFiles } from './shell/pending-files.ts'
import { LoadFailed, NotFound } from './shell/placeholders.tsx'
import { currentRoute, interceptLinks, type PageRoute } from './shell/router.ts'
import { Shell } from './shell/shell.tsx'
import { isSheetOpen, listenForShortcuts } from './shell/shortcuts.ts'
import { sectionTitle, syncTitle } from './shell/title.ts'

interface View {
  readonly route: PageRoute
  readonly content: SectionModule | 'missing' | 'failed'
}

const root = document.getElementById('app')
if (!root) throw new Error('the document has no element "app"')

/** The section that is shown. It changes only once the new section has loaded, so that the page is never blank. */
const view = signal<View | undefined>(undefined)

const loadSheet = () => import('./shell/shortcut-sheet.tsx')

function Page() {
  if (!view.value) return null
  const { route, content } = view.value
  return (
    <Shell section={route.section}>
      {content === 'missing' && <NotFound />}
      {content === 'failed' && <LoadFailed onRetry={() => void showRoute(route)} />}
      {typeof content === 'object' && <content.default key={route.section} route={route} />}
      {isSheetOpen.value && <Lazy load={loadSheet} />}
    </Shell>
  )
}

async function showRoute(route: PageRoute): Promise<void> {
  const section =
    route.section === undefined ? 'missing' : await sectionLoaders[route.section]().catch(reportFailure)
  // The visitor may have navigated to another section while this one was loading.
  if (currentRoute.value !== route) return
  const changesSection = view.value !== undefined && view.value.route.section !== route.section
  if (changesSection) sectionTitle.value = undefined
  view.value = { route, content: section }
  // Moves the focus, so that screen readers announce the new section.
  if (changesSection) requestAnimationFrame(focusMain)
}

function focusMain(): void {
  const main = document.getElementById('main')
  // The attribute is only set briefly, because a permanent tab stop would need a label.
  main?.setAttribute('tabindex', '-1')
  main?.focus({ preventScroll: true })
  main?.removeAttribute('tabindex')
}

/** Logs why loading failed to the console; the page only shows that it failed. */
function reportFailure(error: unknown): 'failed' {
  reportError(error)
  return 'failed'
}

listenForFiles()
interceptLinks()
closeMenu()
listenForShortcuts()
syncTitle()
await showRoute(currentRoute.value)
hydrate(<Page />, root)
currentRoute.subscribe((route) => {
  if (view.value?.route !== route) void showRoute(route)
})
