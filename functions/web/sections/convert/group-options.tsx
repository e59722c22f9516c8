import { useSignal } from '@preact/signals'
import type { Option } from '../../api.ts'
import { OptionFields } from '../../options/fields.tsx'
import { loadOptions } from '../../options/load-options.ts'
import { faultsIn, type Values, withValue } from '../../options/option-values.ts'
import { setValues } from './choose-target.ts'
import type { Item } from './item.ts'
import said from './lazy/words/en.ts'
import { Presets } from './presets.tsx'

/** Options of a kind of files, of those that the first of them has; each takes what it knows. */
export default function GroupOptions({
  group,
  counted,
}: {
  readonly group: readonly Item[]
  readonly counted: string
}) {
  const options = useSignal<readonly Option[]>([])
  const values = useSignal<Values>({})
  const wrong = useSignal<Readonly<Record<string, string>>>({})
  const [first] = group
  const target = first?.target.value
  const open = async () => {
    if (!first?.source || !target) return
    options.value = await loadOptions(first.source.id, target.id, undefined).catch(() => [])
  }
  const use = (all: Values) => {
    values.value = all
    wrong.value = faultsIn(options.value, all)
    if (Object.keys(wrong.value).length === 0) setValues(group, all)
  }
  return (
    <details key={target?.id} class="options group-options" onToggle={() => void open()}>
      <summary>{said.optionsOf(counted)}</summary>
      <OptionFields
        options={options.value}
        values={values.value}
        wrong={wrong.value}
        onChange={(name, value) => use(withValue(values.value, name, value))}
      />
      {target && (
        <Presets choice={{ to: target.id }} options={options.value} values={values.value} onUse={use} />
      )}
    </details>
  )
}
