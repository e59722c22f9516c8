import { toolFiles } from '../../shell/pending-files.ts'
import { navigate } from '../../shell/router.ts'
import type { Item } from './item.ts'
import { items } from './item-list.ts'

/** To the tools with this file; to merging with all others of its kind that wait here, too. */
export function openToolWith(tool: string | undefined, item: Item): void {
  const kindOf = ({ source }: Item) => (source?.id === 'pdf' ? 'pdf' : source?.category)
  const isTaken = (one: Item) =>
    one === item || (tool === 'merge' && one.phase.value === 'ready' && kindOf(one) === kindOf(item))
  toolFiles.value = items.value.filter(isTaken).flatMap(({ file }) => file.value ?? [])
  navigate(tool === undefined ? '/tools' : `/tools/${tool}`)
}
