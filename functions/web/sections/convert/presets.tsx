import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Option } from '../../api.ts'
import type { Values } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import lazyWords from './lazy/words/en.ts'
import { loadPresets, savePresets } from './local-storage.ts'
import { buildLink, type TargetChoice } from './preset-links.ts'

/** Named presets stored in this browser, and a link to share the settings. */
export function Presets(props: {
  /** The format or tool that the presets belong to. */
  readonly choice: Pick<TargetChoice, 'to' | 'tool'>
  readonly options: readonly Option[]
  readonly values: Values
  readonly onUse: (values: Values) => void
}) {
  const id = useId()
  const subject = props.choice.tool ?? props.choice.to ?? ''
  const presets = useSignal(loadPresets(subject))
  const name = useSignal('')
  const chosen = useSignal('')
  const shareable = shareableValues(props)
  const isNaming = useSignal(false)
  const storePresets = (newPresets: typeof presets.value) => {
    presets.value = newPresets
    savePresets(subject, newPresets)
  }
  const save = () => {
    const presetName = name.value.trim()
    if (!presetName) return
    storePresets([
      ...presets.value.filter((preset) => preset.name !== presetName),
      { name: presetName, values: shareable },
    ])
    chosen.value = presetName
    isNaming.value = false
  }
  return (
    <div class="presets">
      {presets.value.length > 0 && (
        <>
          <label for={id}>{lazyWords.presets}</label>
          <select
            id={id}
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value
              props.onUse(presets.value.find((preset) => preset.name === chosen.value)?.values ?? {})
            }}
          >
            <option value="">{lazyWords.noPreset}</option>
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
            storePresets(presets.value.filter((preset) => preset.name !== chosen.value))
            chosen.value = ''
          }}
        >
          {lazyWords.deletePreset}
        </button>
      )}
      {isNaming.value ? (
        <span class="preset-name">
          <input
            type="text"
            aria-label={lazyWords.presetName}
            placeholder={lazyWords.presetName}
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
            {lazyWords.save}
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
          {lazyWords.savePreset}
        </button>
      )}
      <button
        type="button"
        class="button quiet"
        onClick={() => {
          void navigator.clipboard
            .writeText(buildLink({ ...props.choice, values: shareable }))
            .then(() => announce(lazyWords.linkCopied))
        }}
      >
        {lazyWords.copyLink}
      </button>
      {Object.keys(shareable).length > 0 && (
        <button type="button" class="button quiet" onClick={() => props.onUse({})}>
          {lazyWords.reset}
        </button>
      )}
    </div>
  )
}

/** The values of this conversion's fields, without passwords. */
function shareableValues({
  options,
  values,
}: {
  readonly options: readonly Option[]
  readonly values: Values
}): Values {
  const shareableOptions = options.filter(
    ({ name, widget }) => widget !== 'password' && values[name] !== undefined,
  )
  return Object.fromEntries(shareableOptions.map(({ name }) => [name, values[name] ?? '']))
}
