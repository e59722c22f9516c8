import { useSignal } from '@preact/signals'
import type { Option } from '../../api.ts'
import { OptionFields } from '../../options/fields.tsx'
import { loadOptions } from '../../options/load-options.ts'
import { type Values, validateOptions, withValue } from '../../options/option-values.ts'
import { setValuesForAll } from './choose-target.ts'
import type { ConversionItem } from './item.ts'
import lazyWords from './lazy/words/en.ts'
import { Presets } from './presets.tsx'

/**
 * Fields for the options of all files of a category, based on the first file; each file uses those that it supports.
 */
export default function GroupOptions({
  group,
  countText,
}: {
  readonly group: readonly ConversionItem[]
  readonly countText: string
}) {
  const options = useSignal<readonly Option[]>([])
  const values = useSignal<Values>({})
  const errors = useSignal<Readonly<Record<string, string>>>({})
  const [firstItem] = group
  const target = firstItem?.target.value
  const openOptions = async () => {
    if (!firstItem?.source || !target) return
    options.value = await loadOptions(firstItem.source.id, target.id, undefined).catch(() => [])
  }
  const applyValues = (newValues: Values) => {
    values.value = newValues
    errors.value = validateOptions(options.value, newValues)
    if (Object.keys(errors.value).length === 0) setValuesForAll(group, newValues)
  }
  return (
    <details key={target?.id} class="options group-options" onToggle={() => void openOptions()}>
      <summary>{lazyWords.optionsOf(countText)}</summary>
      <OptionFields
        options={options.value}
        values={values.value}
        errors={errors.value}
        onChange={(name, value) => applyValues(withValue(values.value, name, value))}
      />
      {target && (
        <Presets
          choice={{ to: target.id }}
          options={options.value}
          values={values.value}
          onUse={applyValues}
        />
      )}
    </details>
  )
}
