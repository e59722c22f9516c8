import { signal } from '@preact/signals'
import type { SectionId } from '../section-paths.ts'
import { chooseFiles, onDroppedFiles, onPastedFiles } from '../sections/convert/file-input.ts'
import { currentRoute } from './router.ts'

/** Sections that take files in, wherever they are dropped. */
const fileSections: readonly (SectionId | undefined)[] = ['convert', 'batch']

/** Files and addresses that came, until such a section takes them: it may not have been loaded yet. */
export const pendingInputs = signal<readonly (readonly File[] | string)[]>([])

/** Files on their way to a tool, from a card or dropped on the page of tools. */
export const toolFiles = signal<readonly File[]>([])

function addInput(input: readonly File[] | string): void {
  const { section } = currentRoute.value
  if (fileSections.includes(section) && input.length > 0)
    pendingInputs.value = [...pendingInputs.value, input]
  if (section === 'tools' && typeof input !== 'string') toolFiles.value = [...toolFiles.value, ...input]
}

/** From the first moment: a file that is dropped a second too early would open in place of the page. */
export function listenForFiles(): void {
  onDroppedFiles(addInput)
  onPastedFiles(addInput, addInput)
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('#choose')) void chooseFiles().then(addInput)
  })
}
