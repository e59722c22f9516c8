import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Lazy } from '../../shell/lazy.tsx'
import { PopularTasks } from '../../shell/popular.tsx'
import type { PageRoute } from '../../shell/router.ts'
import { addFiles, addUrl } from './add-files.ts'
import { linkedChoice } from './add-items.ts'
import { DropZone } from './drop-zone.tsx'
import { chooseFiles } from './file-input.ts'
import { ItemList } from './file-list.tsx'
import { getToolName } from './file-tools.ts'
import { items } from './item-list.ts'
import { parsePreset } from './preset-links.ts'
import { isRestored } from './restore-list.ts'
import { SupportedFormats } from './supported-formats.tsx'
import words from './words/en.ts'

const loadDriveButtons = () => import('./drives/drive-buttons.tsx')
const loadDriveDialog = () => import('./drives/drive-dialog.tsx')

export default function Convert({ route }: { readonly route: PageRoute }) {
  /** Other sources are loaded on demand, because few people use them. */
  const isMoreOpen = useSignal(false)
  useEffect(() => {
    linkedChoice.value = parsePreset(route.query) ?? linkedChoice.value
  }, [route])
  useEffect(() => {
    // The user may have opened the element before this script was loaded.
    isMoreOpen.value ||= document.querySelector('details.ways')?.hasAttribute('open') ?? false
  }, [isMoreOpen])
  const allItems = items.value
  document.documentElement.dataset['files'] = String(allItems.length > 0)
  return (
    <>
      <DropZone
        onFolder={() => void chooseFiles({ folder: true }).then(addFiles)}
        onUrl={addUrl}
        onMoreOpen={() => {
          isMoreOpen.value = true
        }}
      >
        {isMoreOpen.value && <Lazy load={loadDriveButtons} />}
      </DropZone>
      {route.query.has('drive') && <Lazy load={loadDriveDialog} query={route.query} />}
      <div class="work">
        {linkedChoice.value && <LinkNotice />}
        <ItemList items={allItems} />
        <PopularTasks />
        {isRestored.value && <SupportedFormats />}
      </div>
    </>
  )
}

/** The target set by a preset link, shown before any file is added. */
function LinkNotice() {
  const { to = '', tool, values } = linkedChoice.value ?? { values: {} }
  const optionCount = Object.keys(values).length
  return (
    <p class="notice linked">
      <span>
        {tool ? words.linkedTool(getToolName(tool)) : words.linkedTo(to.toUpperCase())}{' '}
        {optionCount > 0 && words.linkedOptions(optionCount)}
      </span>
      <button
        type="button"
        class="link"
        onClick={() => {
          linkedChoice.value = undefined
          history.replaceState(null, '', '/')
        }}
      >
        {words.clearLink}
      </button>
    </p>
  )
}
