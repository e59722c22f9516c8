import { signal } from '@preact/signals'
import { Semaphore } from '../../../../lib/async/semaphore.ts'
import { deleteJob, toProblem } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { deleteDrafts } from './drafts.ts'
import type { ConversionItem } from './item.ts'
import { items } from './item-list.ts'
import { notifyOtherTabs } from './other-tabs.ts'
import { abortUpload } from './upload-file.ts'
import words from './words/en.ts'

/** Removes files from the list and from the service. */

/** Removed items that can still be restored. */
export const removedItems = signal<
  { readonly items: readonly ConversionItem[]; readonly before: readonly ConversionItem[] } | undefined
>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined
const undoMs = 8000

/** Removes items from the page at once, and from the service when they can no longer be restored. */
export function removeItems(toRemove: readonly ConversionItem[]): void {
  if (toRemove.length === 0) return
  void finishRemoval()
  const set = new Set(toRemove)
  removedItems.value = { items: toRemove, before: items.value }
  items.value = items.value.filter((item) => !set.has(item))
  timer = setTimeout(() => void finishRemoval(), undoMs)
  announce(
    toRemove.length === 1 ? words.removed(toRemove[0]?.name ?? '') : words.removedMany(toRemove.length),
  )
}

export function undoRemoval(): void {
  const removal = removedItems.value
  if (!removal) return
  clearTimeout(timer)
  removedItems.value = undefined
  const newerItems = items.value.filter((item) => !removal.before.includes(item))
  items.value = [...newerItems, ...removal.before]
}

export async function finishRemoval(): Promise<void> {
  const removal = removedItems.value
  if (!removal) return
  clearTimeout(timer)
  removedItems.value = undefined
  const deletedDrafts = deleteDrafts(removal.items.map(({ key }) => key))
  const slots = new Semaphore(4)
  const never = new AbortController().signal
  await Promise.all(
    removal.items.map(async (item) => {
      item.conversion?.abort()
      item.removal.abort()
      if (item.multipartUpload) abortUpload(item.multipartUpload.uploadId)
      const job = item.job.value
      if (!job) return
      const release = await slots.acquire(never)
      // Otherwise it expires later.
      await deleteJob(job.jobId).catch(() => {})
      release()
    }),
  )
  await deletedDrafts
  notifyOtherTabs(removal.items.flatMap(({ job }) => job.value?.jobId ?? []))
}

/** Deletes immediately; if the service refuses, the item stays and shows why. */
export async function deleteItem(item: ConversionItem): Promise<void> {
  const job = item.job.value
  try {
    if (job) await deleteJob(job.jobId)
  } catch (error) {
    item.notice.value = toProblem(error)
    return
  }
  item.removal.abort()
  void deleteDrafts([item.key])
  items.value = items.value.filter((other) => other !== item)
  announce(words.removed(item.name))
  notifyOtherTabs(job ? [job.jobId] : [])
}
