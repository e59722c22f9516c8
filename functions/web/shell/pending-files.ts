import { signal } from '@preact/signals'
import type { SectionId } from '../section-paths.ts'
import { chooseFiles, onDroppedFiles, onPastedFiles } from '../sections/convert/file-input.ts'
import { currentRoute } from './router.ts'

/** Sections that accept dropped files. */
const fileSections: readonly (SectionId | undefined)[] = ['convert', 'landing', 'batch']

/** Files and URLs that wait until a section that accepts them is loaded. */
export const pendingInputs = signal<readonly (readonly File[] | string)[]>([])

/** Files for a tool, passed on by a card or dropped on the Tools section. */
export const toolFiles = signal<readonly File[]>([])

function addInput(input: readonly File[] | string): void {
  const { section } = currentRoute.value
  if (fileSections.includes(section) && input.length > 0)
    pendingInputs.value = [...pendingInputs.value, input]
  if (section === 'tools' && typeof input !== 'string') toolFiles.value = [...toolFiles.value, ...input]
}

/**
 * Registers the listeners when the page starts. If a file were dropped earlier, the browser would open it and leave the
 * page.
 */
export function listenForFiles(): void {
  onDroppedFiles(addInput)
  onPastedFiles(addInput, addInput)
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return
    if (target.closest('#choose')) void chooseFiles().then(addInput)
    if (target.closest('#photo')) void chooseFiles({ camera: true }).then(addInput)
  })
}
