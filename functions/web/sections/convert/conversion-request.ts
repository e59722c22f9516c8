import { type ConversionSpec, Problem } from '../../api.ts'
import { changedValues } from '../../options/option-values.ts'
import type { Item } from './item.ts'
import words from './words/en.ts'

/** What is asked of the service for a file: the fields of its options as they mean it. */

/** @throws Problem where nothing is chosen */
export function toConversionSpec(item: Item): ConversionSpec {
  const target = item.target.value
  const tool = item.tool.value
  if (!target && !tool) throw new Problem('NO_TARGET', words.chooseFirst)
  return {
    ...(target && { targetFormat: target.id }),
    ...(tool && { toolOperation: tool }),
    options: changedValues(item.options.value ?? [], item.values.value),
  }
}
