import { effect, signal } from '@preact/signals'
import { announce } from '../../shell/announce.ts'
import { progressPercent } from '../../shell/title.ts'
import type { Item } from './item.ts'
import { counts } from './item-list.ts'
import words from './words/en.ts'

/** What is said of the work: in the title, to those who listen, and by the system when all is done. */

/** Those that were started since nothing was under way: what percent and the last word are about. */
const currentBatch = signal<readonly Item[]>([])

/** Begins with this one where nothing is under way. */
export function joinBatch(item: Item): void {
  currentBatch.value = currentBatch.value.some((other) => other.isActive.value)
    ? [...currentBatch.value, item]
    : [item]
}

export function syncProgressTitle(): void {
  effect(() => {
    const active = currentBatch.value.some((item) => item.isActive.value)
    if (!active) {
      progressPercent.value = undefined
      return
    }
    const sum = currentBatch.value.reduce(
      (all, item) => all + (item.isActive.value ? item.percent.value : 100),
      0,
    )
    progressPercent.value = Math.floor(sum / currentBatch.value.length)
  })
}

/** One is told of by name, of many how many: names of five hundred would never end. */
export function announceEnd(sentence: string): void {
  if (currentBatch.value.length <= 1) announce(sentence)
  else announce(words.summary(counts.value), 'summary')
  if (currentBatch.value.length > 0 && !currentBatch.value.some((other) => other.isActive.value))
    announceBatchEnd()
}

/** Whether the visitor wants to be told by the system. */
export const wantsNotification = signal(false)

function announceBatchEnd(): void {
  const done = currentBatch.value.filter(({ phase }) => phase.value === 'done').length
  const sentence = words.allDone(done, currentBatch.value.length - done)
  if (currentBatch.value.length > 1) announce(sentence, 'summary')
  if (wantsNotification.value && document.hidden) new Notification('Mutabor', { body: sentence })
}
