import { signal } from '@preact/signals'
import { hydrate } from 'preact'
import { type SectionModule, sectionLoaders } from './sections.ts'
import { closeMenu } from './shell/menu.ts'
import { listenForFiles } from './shell/pending-files.ts'
import { LoadFailed, NotFound } from './shell/placeholders.tsx'
import { currentRoute, interceptLinks, type Route } from './shell/router.ts'
import { Shell } from './shell/shell.tsx'
import { sectionTitle, syncTitle } from './shell/title.ts'

interface View {
  readonly route: Route
  readonly content: SectionModule | 'missing' | 'failed'
}

const root = document.getElementById('app')
if (!root) throw new Error('the document has no element "app"')

/** Changes when the section is there, so that nothing is blank in between. */
const view = signal<View | undefined>(undefined)

function Page() {
  if (!view.value) return null
  const { route, content } = view.value
  return (
    <Shell section={route.section}>
      {content === 'missing' && <NotFound />}
      {content === 'failed' && <LoadFailed onRetry={() => void showRoute(route)} />}
      {typeof content === 'object' && <content.default key={route.section} route={route} />}
    </Shell>
  )
}

async function showRoute(route: Route): Promise<void> {
  const section =
    route.section === undefined ? 'missing' : await sectionLoaders[route.section]().catch(reportFailure)
  // The visitor may have gone on meanwhile.
  if (currentRoute.value !== route) return
  const changesSection = view.value !== undefined && view.value.route.section !== route.section
  if (changesSection) sectionTitle.value = undefined
  view.value = { route, content: section }
  // Who cannot see that the section is another one hears its beginning.
  if (changesSection) requestAnimationFrame(focusMain)
}

function focusMain(): void {
  const main = document.getElementById('main')
  // Only for this moment: as a stop of its own it would need a name.
  main?.setAttribute('tabindex', '-1')
  main?.focus({ preventScroll: true })
  main?.removeAttribute('tabindex')
}

/** The visitor reads that it failed; why is for whoever opens the console. */
function reportFailure(error: unknown): 'failed' {
  reportError(error)
  return 'failed'
}

listenForFiles()
interceptLinks()
closeMenu()
syncTitle()
await showRoute(currentRoute.value)
hydrate(<Page />, root)
currentRoute.subscribe((route) => {
  if (view.value?.route !== route) void showRoute(route)
})
