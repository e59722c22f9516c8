import { toolFiles } from '../../shell/pending-files.ts'
import { navigate } from '../../shell/router.ts'
import type { ConversionItem } from './item.ts'
import { items } from './item-list.ts'

/** Opens a tool with this file; for merging, also with all waiting files of the same type. */
export function openToolWith(tool: string | undefined, item: ConversionItem): void {
  const getInputKind = ({ source }: ConversionItem) => (source?.id === 'pdf' ? 'pdf' : source?.category)
  const isToolInput = (other: ConversionItem) =>
    other === item ||
    (tool === 'merge' && other.phase.value === 'ready' && getInputKind(other) === getInputKind(item))
  toolFiles.value = items.value.filter(isToolInput).flatMap(({ file }) => file.value ?? [])
  navigate(tool === undefined ? '/tools' : `/tools/${tool}`)
}
