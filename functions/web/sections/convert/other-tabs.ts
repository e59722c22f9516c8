import { Problem } from '../../api.ts'
import words from './words/en.ts'

/** Other tabs of this browser show the same files. */

const tabs = new BroadcastChannel('mutabor jobs')

/** @param deletedIds ids of jobs that were deleted */
export const notifyOtherTabs = (deletedIds: readonly string[] = []) => tabs.postMessage(deletedIds)

export const onOtherTabMessage = (act: (deletedIds: ReadonlySet<string>) => void) =>
  tabs.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => act(new Set(data)))

/**
 * One tab sends a file, as those that wait are in each of them. A lock ends with its tab; where a page came without
 * HTTPS there is none.
 */
export function withTabLock<Value>(key: string, act: () => Promise<Value>): Promise<Value> {
  if (!('locks' in navigator)) return act()
  return navigator.locks.request(`file ${key}`, { ifAvailable: true }, (lock) => {
    if (!lock) throw new Problem('ELSEWHERE', words.otherTab)
    return act()
  })
}
