import { Problem } from '../../api.ts'
import words from './words/en.ts'

/** Keeps tabs of the same browser in sync, which show the same files. */

const tabs = new BroadcastChannel('mutabor jobs')

/** @param deletedIds ids of jobs that were deleted */
export const notifyOtherTabs = (deletedIds: readonly string[] = []) => tabs.postMessage(deletedIds)

export const onOtherTabMessage = (handler: (deletedIds: ReadonlySet<string>) => void) =>
  tabs.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => handler(new Set(data)))

/**
 * Ensures that only one tab uploads a file, because all tabs show it. The lock is released when the tab closes; pages
 * without HTTPS have no locks.
 */
export function withTabLock<Value>(key: string, handler: () => Promise<Value>): Promise<Value> {
  if (!('locks' in navigator)) return handler()
  return navigator.locks.request(`file ${key}`, { ifAvailable: true }, (lock) => {
    if (!lock) throw new Problem('ELSEWHERE', words.otherTab)
    return handler()
  })
}
