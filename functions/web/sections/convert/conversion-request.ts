import { defined } from '../../../../lib/validation/defined.ts'
import { type ConversionSpec, Problem } from '../../api.ts'
import { collectValues } from '../../options/option-values.ts'
import { getOperation } from '../tools/tools.ts'
import type { ConversionItem } from './item.ts'
import words from './words/en.ts'

/** Returns the conversion to request for a file, with parsed option values. */

/** @throws Problem if no target is chosen */
export function toConversionSpec(item: ConversionItem): ConversionSpec {
  const target = item.target.value
  const tool = item.tool.value
  if (!target && !tool) throw new Problem('NO_TARGET', words.chooseFirst)
  const options = item.options.value ?? []
  const { value: password } = item.password
  return {
    ...defined({ targetFormat: target?.id, toolOperation: tool && getOperation(tool) }),
    options: {
      ...collectValues(options, item.values.value),
      ...(password && options.some(({ name }) => name === 'password') && { password }),
    },
  }
}
