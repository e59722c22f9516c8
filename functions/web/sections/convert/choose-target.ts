import { batch } from '@preact/signals'
import { type Format, fetchToolTargets, toProblem } from '../../api.ts'
import { loadOptions } from '../../options/load-options.ts'
import { getOperation } from '../tools/tools.ts'
import type { ConversionItem } from './item.ts'
import { catalog } from './item-list.ts'
import { rememberTarget } from './local-storage.ts'
import { saveItemDraft } from './persist-drafts.ts'

/** Sets the target or tool of files, and their options. */

export function setTarget(item: ConversionItem, target: Format, { isChosen = true } = {}): void {
  batch(() => {
    item.target.value = target
    item.tool.value = undefined
    item.fieldErrors.value = {}
    item.notice.value = undefined
  })
  if (isChosen) {
    const source = item.source?.id
    rememberTarget(item.hasAlpha.value ? `${source} with transparency` : source, target.id)
  }
  void saveItemDraft(item)
}

/** Selects a tool. The target stays the source format if the tool can write it, as for PDF tools. */
export async function setTool(item: ConversionItem, tool: string): Promise<void> {
  const from = item.source?.id
  if (!from) return
  try {
    const targets = await fetchToolTargets(from, getOperation(tool))
    const to = targets.includes(from) ? from : targets[0]
    const target = to && catalog.value?.findById(to)
    if (!target) return
    batch(() => {
      item.target.value = target
      item.tool.value = tool
      item.fieldErrors.value = {}
      item.notice.value = undefined
    })
    void saveItemDraft(item)
  } catch (error) {
    item.notice.value = toProblem(error)
  }
}

/** Loads the options of the chosen target into the item; there are none if the file type is unknown. */
export async function loadItemOptions(item: ConversionItem): Promise<void> {
  const from = item.source?.id
  const to = item.target.value?.id
  if (!from || !to) {
    item.options.value = []
    return
  }
  const options = await loadOptions(from, to, item.tool.value && getOperation(item.tool.value))
  // The user may have chosen another target while the options were loading.
  if (item.target.value?.id === to) item.options.value = options
}

/** Sets a common target for several files. */
export function setTargetForAll(group: readonly ConversionItem[], target: Format): void {
  batch(() => {
    for (const item of group) setTarget(item, target)
  })
}

/** Sets option values for several files. */
export function setValuesForAll(
  group: readonly ConversionItem[],
  values: ConversionItem['values']['value'],
): void {
  batch(() => {
    for (const item of group) {
      item.values.value = { ...item.values.value, ...values }
      item.lastOptionsPair.value = undefined
    }
  })
}
