import { signal } from '@preact/signals'
import { deleteJob, problemOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { dropDrafts } from './drafts.ts'
import type { Item } from './item.ts'
import { items } from './item-list.ts'
import { forget } from './upload-file.ts'
import { Slots } from './semaphore.ts'
import { tellOthers } from './other-tabs.ts'
import words from './words/en.ts'

/** Files that leave the list, and the service. */

/** What was removed, until it cannot be had back. */
export const removed = signal<
  { readonly items: readonly Item[]; readonly before: readonly Item[] } | undefined
>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined
const undoMs = 8000

/** From the page at once, from the service when nobody wants it back. */
export function remove(gone: readonly Item[]): void {
  if (gone.length === 0) return
  void finishRemoval()
  const set = new Set(gone)
  removed.value = { items: gone, before: items.value }
  items.value = items.value.filter((item) => !set.has(item))
  timer = setTimeout(() => void finishRemoval(), undoMs)
  announce(gone.length === 1 ? words.removed(gone[0]?.name ?? '') : words.removedMany(gone.length))
}

export function undo(): void {
  const what = removed.value
  if (!what) return
  clearTimeout(timer)
  removed.value = undefined
  const since = items.value.filter((item) => !what.before.includes(item))
  items.value = [...since, ...what.before]
}

export async function finishRemoval(): Promise<void> {
  const what = removed.value
  if (!what) return
  clearTimeout(timer)
  removed.value = undefined
  const dropped = dropDrafts(what.items.map(({ key }) => key))
  const slots = new Slots(4)
  const never = new AbortController().signal
  await Promise.all(
    what.items.map(async (item) => {
      item.work?.abort()
      item.gone.abort()
      if (item.begun) forget(item.begun.uploadId)
      const job = item.job.value
      if (!job) return
      const release = await slots.take(never)
      // What cannot be deleted now goes with its time.
      await deleteJob(job.jobId).catch(() => {})
      release()
    }),
  )
  await dropped
  tellOthers(what.items.flatMap(({ job }) => job.value?.jobId ?? []))
}

/** At once, as the button says; what the service refuses stays and tells why. */
export async function deleteNow(item: Item): Promise<void> {
  const job = item.job.value
  try {
    if (job) await deleteJob(job.jobId)
  } catch (error) {
    item.notice.value = problemOf(error)
    return
  }
  item.gone.abort()
  void dropDrafts([item.key])
  items.value = items.value.filter((other) => other !== item)
  announce(words.removed(item.name))
  tellOthers(job ? [job.jobId] : [])
}
