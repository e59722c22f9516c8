import { toolFiles } from '../../shell/pending-files.ts'
import { navigate } from '../../shell/router.ts'
import type { Item } from './item.ts'
import { items } from './item-list.ts'

/** Opens a tool with this file; for merging, also with all waiting files of the same type. */
export function openToolWith(tool: string | undefined, item: Item): void {
  const kindOf = ({ source }: Item) => (source?.id === 'pdf' ? 'pdf' : source?.category)
  const isTaken = (other: Item) =>
    other === item || (tool === 'merge' && other.phase.value === 'ready' && kindOf(other) === kindOf(item))
  toolFiles.value = items.value.filter(isTaken).flatMap(({ file }) => file.value ?? [])
  navigate(tool === undefined ? '/tools' : `/tools/${tool}`)
}
