import { carried } from '../../shell/pending-files.ts'
import { go } from '../../shell/router.ts'
import type { Item } from './item.ts'
import { items } from './item-list.ts'

/** To the tools with this file; to merging with all others of its kind that wait here, too. */
export function goWith(tool: string | undefined, item: Item): void {
  const kindOf = ({ source }: Item) => (source?.id === 'pdf' ? 'pdf' : source?.category)
  const isMeant = (one: Item) =>
    one === item || (tool === 'merge' && one.phase.value === 'ready' && kindOf(one) === kindOf(item))
  carried.value = items.value.filter(isMeant).flatMap(({ file }) => file.value ?? [])
  go(tool === undefined ? '/tools' : `/tools/${tool}`)
}
