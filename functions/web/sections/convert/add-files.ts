import { effect, signal } from '@preact/signals'
import { announce } from '../../shell/announce.ts'
import { pendingInputs } from '../../shell/pending-files.ts'
import { addItems, createItems } from './add-items.ts'
import { maxFiles, parseUrl } from './file-input.ts'
import type { Origin } from './item.ts'
import { newestItem } from './item-list.ts'
import { ensureFormats } from './restore-list.ts'
import words from './words/en.ts'

/** Files and addresses that come from outside, on their way into the list. */

/** What of them was not taken, in words. */
export const limitNotice = signal<string | undefined>(undefined)

/** Those that come before the formats are known must not be lost, and not open in place of the page. */
export async function addOrigins(origins: readonly Origin[]): Promise<void> {
  if (origins.length === 0) return
  const known = await ensureFormats()
  limitNotice.value = origins.length > maxFiles ? words.onlyFirst(maxFiles) : undefined
  const added = await createItems(origins.slice(0, maxFiles), known)
  newestItem.current = added[0]
  addItems(added)
  announce(added.length === 1 ? words.added(added[0]?.name ?? '') : words.addedMany(added.length))
}

export const addFiles = (files: readonly File[]) =>
  void addOrigins(files.map((file) => ({ kind: 'file', file })))

export function addUrl(text: string): void {
  const url = parseUrl(text)
  if (!url) return
  const { pathname, hostname } = new URL(url)
  const last = pathname.split('/').at(-1) ?? ''
  void addOrigins([{ kind: 'url', url, name: decodeName(last) || hostname }])
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that stands for itself.
    return text
  }
}

/** What came before the section was loaded, and from then on. @returns what ends it */
export const consumePendingInputs = () =>
  effect(() => {
    const all = pendingInputs.value
    if (all.length === 0) return
    pendingInputs.value = []
    for (const input of all) typeof input === 'string' ? addUrl(input) : addFiles(input)
  })
