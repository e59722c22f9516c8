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
export const pendingRemoval = signal<
  { readonly items: readonly ConversionItem[]; readonly before: readonly ConversionItem[] } | undefined
>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined
const undoPeriodMs = 8000

/** Removes items from the page immediately, and from the service when they can no longer be restored. */
export function removeItems(itemsToRemove: readonly ConversionItem[]): void {
  if (itemsToRemove.length === 0) return
  void finishRemoval()
  const removedItems = new Set(itemsToRemove)
  pendingRemoval.value = { items: itemsToRemove, before: items.value }
  items.value = items.value.filter((item) => !removedItems.has(item))
  timer = setTimeout(() => void finishRemoval(), undoPeriodMs)
  announce(
    itemsToRemove.length === 1
      ? words.removed(itemsToRemove[0]?.name ?? '')
      : words.removedMany(itemsToRemove.length),
  )
}

export function undoRemoval(): void {
  const removal = pendingRemoval.value
  if (!removal) return
  clearTimeout(timer)
  pendingRemoval.value = undefined
  const newerItems = items.value.filter((item) => !removal.before.includes(item))
  items.value = [...newerItems, ...removal.before]
}

export async function finishRemoval(): Promise<void> {
  const removal = pendingRemoval.value
  if (!removal) return
  clearTimeout(timer)
  pendingRemoval.value = undefined
  const draftDeletion = deleteDrafts(removal.items.map(({ key }) => key))
  const slots = new Semaphore(4)
  const neverAborted = new AbortController().signal
  await Promise.all(
    removal.items.map(async (item) => {
      item.conversion?.abort()
      item.removal.abort()
      if (item.multipartUpload) abortUpload(item.multipartUpload.uploadId)
      const job = item.job.value
      if (!job) return
      const release = await slots.acquire(neverAborted)
      // If deleting fails, the job expires later.
      await deleteJob(job.jobId).catch(() => {})
      release()
    }),
  )
  await draftDeletion
  notifyOtherTabs(removal.items.flatMap(({ job }) => job.value?.jobId ?? []))
}

/** Deletes an item immediately; if the service refuses, the item stays and shows the error. */
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
