import { effect, signal } from '@preact/signals'
import { announce } from '../../shell/announce.ts'
import { workPercent } from '../../shell/title.ts'
import type { Item } from './item.ts'
import { counts } from './item-list.ts'
import words from './words/en.ts'

/** What is said of the work: in the title, to those who listen, and by the system when all is done. */

/** Those that were started since nothing was under way: what percent and the last word are about. */
const round = signal<readonly Item[]>([])

/** Begins with this one where nothing is under way. */
export function join(item: Item): void {
  round.value = round.value.some((other) => other.isActive.value) ? [...round.value, item] : [item]
}

export function keepTitleOfWork(): void {
  effect(() => {
    const active = round.value.some((item) => item.isActive.value)
    if (!active) {
      workPercent.value = undefined
      return
    }
    const sum = round.value.reduce((all, item) => all + (item.isActive.value ? item.percent.value : 100), 0)
    workPercent.value = Math.floor(sum / round.value.length)
  })
}

/** One is told of by name, of many how many: names of five hundred would never end. */
export function tellEnd(sentence: string): void {
  if (round.value.length <= 1) announce(sentence)
  else announce(words.summary(counts.value), 'summary')
  if (round.value.length > 0 && !round.value.some((other) => other.isActive.value)) tellAllDone()
}

/** Whether the visitor wants to be told by the system. */
export const wantsNotice = signal(false)

function tellAllDone(): void {
  const done = round.value.filter(({ phase }) => phase.value === 'done').length
  const sentence = words.allDone(done, round.value.length - done)
  if (round.value.length > 1) announce(sentence, 'summary')
  if (wantsNotice.value && document.hidden) new Notification('Mutabor', { body: sentence })
}
