import { effect, signal } from '@preact/signals'
import { announce } from '../../shell/announce.ts'
import { brought } from '../../shell/pending-files.ts'
import { add, itemsOf } from './add-items.ts'
import { addressIn, mostFiles } from './file-input.ts'
import type { Origin } from './item.ts'
import { newest } from './item-list.ts'
import { wantFormats } from './restore-list.ts'
import words from './words/en.ts'

/** Files and addresses that come from outside, on their way into the list. */

/** What of them was not taken, in words. */
export const onlySome = signal<string | undefined>(undefined)

/** Those that come before the formats are known must not be lost, and not open in place of the page. */
export async function bring(origins: readonly Origin[]): Promise<void> {
  if (origins.length === 0) return
  const known = await wantFormats()
  onlySome.value = origins.length > mostFiles ? words.onlyFirst(mostFiles) : undefined
  const added = await itemsOf(origins.slice(0, mostFiles), known)
  newest.current = added[0]
  add(added)
  announce(added.length === 1 ? words.added(added[0]?.name ?? '') : words.addedMany(added.length))
}

export const take = (files: readonly File[]) => void bring(files.map((file) => ({ kind: 'file', file })))

export function takeAddress(text: string): void {
  const url = addressIn(text)
  if (!url) return
  const { pathname, hostname } = new URL(url)
  const last = pathname.split('/').at(-1) ?? ''
  void bring([{ kind: 'url', url, name: decoded(last) || hostname }])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A percent sign that stands for itself.
    return text
  }
}

/** What came before the section was loaded, and from then on. @returns what ends it */
export const takeBrought = () =>
  effect(() => {
    const all = brought.value
    if (all.length === 0) return
    brought.value = []
    for (const what of all) typeof what === 'string' ? takeAddress(what) : take(what)
  })
