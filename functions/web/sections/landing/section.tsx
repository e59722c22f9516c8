import '../convert/entry.ts'
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { findLandingId, type LandingId } from '../../section-paths.ts'
import { pendingInputs, toolFiles } from '../../shell/pending-files.ts'
import { NotFound } from '../../shell/placeholders.tsx'
import { navigate, type PageRoute } from '../../shell/router.ts'
import { addFiles, addUrl } from '../convert/add-files.ts'
import { linkedChoice } from '../convert/add-items.ts'
import { DropZone } from '../convert/drop-zone.tsx'
import { chooseFiles } from '../convert/file-input.ts'
import { ItemList } from '../convert/file-list.tsx'
import { items } from '../convert/item-list.ts'
import { landingChoices } from './landing-pages.ts'
import { LandingText } from './landing-text.tsx'
import words from './words/en.ts'

/**
 * The section at paths such as `/pdf-to-word`: a drop zone whose target is already chosen, and information about the
 * conversion.
 */
export default function Landing({ route }: { readonly route: PageRoute }) {
  const id = findLandingId(route.path)
  return id ? <LandingPage key={id} id={id} /> : <NotFound />
}

function LandingPage({ id }: { readonly id: LandingId }) {
  const choice = landingChoices[id]
  const mergesFiles = choice.tool === 'merge'
  useEffect(() => {
    linkedChoice.value = { ...choice, values: {} }
    const stop = mergesFiles ? effect(openMergeTool) : undefined
    return () => {
      linkedChoice.value = undefined
      stop?.()
    }
  }, [id])
  const shownItems = mergesFiles ? [] : items.value
  document.documentElement.dataset['files'] = String(shownItems.length > 0)
  return (
    <>
      <DropZone
        title={words.pages[id].title}
        lead={words.pages[id].lead}
        onFolder={() => void chooseFiles({ folder: true }).then(addFiles)}
        onUrl={addUrl}
      />
      {!mergesFiles && (
        <div class="work">
          <ItemList items={shownItems} />
        </div>
      )}
      <LandingText id={id} />
    </>
  )
}

/** The order of files to merge matters, so they are added on the page of the tool. */
function openMergeTool(): void {
  const files = pendingInputs.value.flatMap((input) => (typeof input === 'string' ? [] : input))
  if (files.length === 0) return
  pendingInputs.value = []
  toolFiles.value = files
  navigate('/tools/merge')
}
