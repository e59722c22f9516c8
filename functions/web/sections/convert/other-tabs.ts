import { Problem } from '../../api.ts'
import words from './words/en.ts'

/** Keeps the tabs of a browser in sync, because all of them show the same files. */

const tabs = new BroadcastChannel('mutabor jobs')

/** @param deletedIds ids of jobs that were deleted */
export const notifyOtherTabs = (deletedIds: readonly string[] = []) => tabs.postMessage(deletedIds)

export const onOtherTabMessage = (handler: (deletedIds: ReadonlySet<string>) => void) =>
  tabs.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => handler(new Set(data)))

/**
 * Ensures that only one tab uploads a file, because every tab shows it. The lock is released when the tab closes.
 * Browsers offer locks on HTTPS pages only; elsewhere, the handler runs without a lock.
 */
export function withTabLock<Value>(key: string, handler: () => Promise<Value>): Promise<Value> {
  if (!('locks' in navigator)) return handler()
  return navigator.locks.request(`file ${key}`, { ifAvailable: true }, (lock) => {
    if (!lock) throw new Problem('ELSEWHERE', words.otherTab)
    return handler()
  })
}
