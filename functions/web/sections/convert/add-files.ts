import { effect, signal } from '@preact/signals'
import { announce } from '../../shell/announce.ts'
import { pendingInputs } from '../../shell/pending-files.ts'
import { addItems, createItems } from './add-items.ts'
import { maxFiles, parseUrl } from './file-input.ts'
import type { ItemOrigin } from './item.ts'
import { newestItem } from './item-list.ts'
import { ensureFormats } from './restore-list.ts'
import words from './words/en.ts'

/** Adds files and URLs to the list. */

/** Notice that some files were not added, because there were too many. */
export const limitNotice = signal<string | undefined>(undefined)

/** Adds files and URLs. First waits until the formats are loaded, so that files added early are not lost. */
export async function addOrigins(origins: readonly ItemOrigin[]): Promise<void> {
  if (origins.length === 0) return
  const formatCatalog = await ensureFormats()
  limitNotice.value = origins.length > maxFiles ? words.onlyFirst(maxFiles) : undefined
  const addedItems = await createItems(origins.slice(0, maxFiles), formatCatalog)
  newestItem.current = addedItems[0]
  addItems(addedItems)
  announce(
    addedItems.length === 1 ? words.added(addedItems[0]?.name ?? '') : words.addedMany(addedItems.length),
  )
}

export const addFiles = (files: readonly File[]) =>
  void addOrigins(files.map((file) => ({ kind: 'file', file })))

export function addUrl(text: string): void {
  const url = parseUrl(text)
  if (!url) return
  const { pathname, hostname } = new URL(url)
  const lastSegment = pathname.split('/').at(-1) ?? ''
  void addOrigins([{ kind: 'url', url, name: decodeName(lastSegment) || hostname }])
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text contains a literal percent sign that starts no escape sequence.
    return text
  }
}

/** Adds the pending inputs, and all later ones. @returns a function that stops adding them */
export const consumePendingInputs = () =>
  effect(() => {
    const inputs = pendingInputs.value
    if (inputs.length === 0) return
    pendingInputs.value = []
    for (const input of inputs) typeof input === 'string' ? addUrl(input) : addFiles(input)
  })
