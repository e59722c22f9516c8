import { signal } from '@preact/signals'
import { hydrate } from 'preact'
import { type Section, sections } from './sections.ts'
import { closeMenu } from './shell/menu.ts'
import { takeFiles } from './shell/pending-files.ts'
import { followLinks, here, type Whereabouts } from './shell/router.ts'
import { Shell } from './shell/shell.tsx'
import { LoadFailed, NotFound } from './shell/placeholders.tsx'
import { keepTitle, sectionTitle } from './shell/title.ts'

interface Shown {
  readonly at: Whereabouts
  readonly section: Section | 'missing' | 'failed'
}

const root = document.getElementById('app')
if (!root) throw new Error('the document has no element "app"')

/** Changes when the section is there, so that nothing is blank in between. */
const shown = signal<Shown | undefined>(undefined)

function Page() {
  if (!shown.value) return null
  const { at, section } = shown.value
  return (
    <Shell place={at.place}>
      {section === 'missing' && <NotFound />}
      {section === 'failed' && <LoadFailed onRetry={() => void show(at)} />}
      {typeof section === 'object' && <section.default key={at.place} at={at} />}
    </Shell>
  )
}

async function show(at: Whereabouts): Promise<void> {
  const section = at.place === undefined ? 'missing' : await sections[at.place]().catch(failed)
  // The visitor may have gone on meanwhile.
  if (here.value !== at) return
  const isMove = shown.value !== undefined && shown.value.at.place !== at.place
  if (isMove) sectionTitle.value = undefined
  shown.value = { at, section }
  // Who cannot see that the section is another one hears its beginning.
  if (isMove) requestAnimationFrame(focusMain)
}

function focusMain(): void {
  const main = document.getElementById('main')
  // Only for this moment: as a stop of its own it would need a name.
  main?.setAttribute('tabindex', '-1')
  main?.focus({ preventScroll: true })
  main?.removeAttribute('tabindex')
}

/** The visitor reads that it failed; why is for whoever opens the console. */
function failed(error: unknown): 'failed' {
  reportError(error)
  return 'failed'
}

takeFiles()
followLinks()
closeMenu()
keepTitle()
await show(here.value)
hydrate(<Page />, root)
here.subscribe((at) => {
  if (shown.value?.at !== at) void show(at)
})
