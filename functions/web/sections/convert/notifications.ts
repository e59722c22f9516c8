import { effect, signal } from '@preact/signals'
import { announce } from '../../shell/announce.ts'
import { progressPercent } from '../../shell/title.ts'
import type { ConversionItem } from './item.ts'
import { counts } from './item-list.ts'
import words from './words/en.ts'

/** Progress in the window title, screen reader announcements and system notifications. */

/**
 * The items of the current batch: those started since the page was last idle. Progress and the final message refer to
 * them.
 */
const currentBatch = signal<readonly ConversionItem[]>([])

/** Adds an item to the current batch, or starts a new one if nothing is in progress. */
export function joinBatch(item: ConversionItem): void {
  currentBatch.value = currentBatch.value.some((other) => other.isActive.value)
    ? [...currentBatch.value, item]
    : [item]
}

export function syncProgressTitle(): void {
  effect(() => {
    const isActive = currentBatch.value.some((item) => item.isActive.value)
    if (!isActive) {
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

/** Announces the end of a conversion: the sentence if the batch has only one item, otherwise the number of files. */
export function announceEnd(sentence: string): void {
  if (currentBatch.value.length <= 1) announce(sentence)
  else announce(words.summary(counts.value), 'summary')
  if (currentBatch.value.length > 0 && !currentBatch.value.some((other) => other.isActive.value))
    announceBatchEnd()
}

/** Whether the visitor wants a system notification. */
export const wantsNotification = signal(false)

function announceBatchEnd(): void {
  const doneCount = currentBatch.value.filter(({ phase }) => phase.value === 'done').length
  const sentence = words.allDone(doneCount, currentBatch.value.length - doneCount)
  if (currentBatch.value.length > 1) announce(sentence, 'summary')
  if (wantsNotification.value && document.hidden) new Notification('Mutabor', { body: sentence })
}
