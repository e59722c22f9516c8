import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Option } from '../../api.ts'
import type { Values } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import said from './lazy/words/en.ts'
import { type Choice, linkTo } from './preset-links.ts'
import { keepPresets, presetsFor } from './local-storage.ts'

/** Options under a name, kept in this browser, and as an address to give away. */
export function Presets(props: {
  /** The format or tool that they are of. */
  readonly choice: Pick<Choice, 'to' | 'tool'>
  readonly options: readonly Option[]
  readonly values: Values
  readonly onUse: (values: Values) => void
}) {
  const id = useId()
  const of = props.choice.tool ?? props.choice.to ?? ''
  const presets = useSignal(presetsFor(of))
  const name = useSignal('')
  const chosen = useSignal('')
  const own = ownValues(props)
  const isNaming = useSignal(false)
  const write = (all: typeof presets.value) => {
    presets.value = all
    keepPresets(of, all)
  }
  const save = () => {
    const called = name.value.trim()
    if (!called) return
    write([...presets.value.filter((preset) => preset.name !== called), { name: called, values: own }])
    chosen.value = called
    isNaming.value = false
  }
  return (
    <div class="presets">
      {presets.value.length > 0 && (
        <>
          <label for={id}>{said.presets}</label>
          <select
            id={id}
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value
              props.onUse(presets.value.find((preset) => preset.name === chosen.value)?.values ?? {})
            }}
          >
            <option value="">{said.noPreset}</option>
            {presets.value.map((preset) => (
              <option key={preset.name} value={preset.name}>
                {preset.name}
              </option>
            ))}
          </select>
        </>
      )}
      {chosen.value && (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            write(presets.value.filter((preset) => preset.name !== chosen.value))
            chosen.value = ''
          }}
        >
          {said.deletePreset}
        </button>
      )}
      {isNaming.value ? (
        <span class="preset-name">
          <input
            type="text"
            aria-label={said.presetName}
            placeholder={said.presetName}
            maxLength={60}
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              save()
            }}
          />
          <button type="button" class="button" onClick={save}>
            {said.save}
          </button>
        </span>
      ) : (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            isNaming.value = true
          }}
        >
          {said.savePreset}
        </button>
      )}
      <button
        type="button"
        class="button quiet"
        onClick={() => {
          void navigator.clipboard
            .writeText(linkTo({ ...props.choice, values: own }))
            .then(() => announce(said.linkCopied))
        }}
      >
        {said.copyLink}
      </button>
      {Object.keys(own).length > 0 && (
        <button type="button" class="button quiet" onClick={() => props.onUse({})}>
          {said.reset}
        </button>
      )}
    </div>
  )
}

/** What stands in fields of this pair; passwords are nobody else's. */
function ownValues({
  options,
  values,
}: {
  readonly options: readonly Option[]
  readonly values: Values
}): Values {
  const shown = options.filter(({ name, widget }) => widget !== 'password' && values[name] !== undefined)
  return Object.fromEntries(shown.map(({ name }) => [name, values[name] ?? '']))
}
