import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Option } from '../../api.ts'
import type { Values } from '../../options/option-values.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
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
  const subject = props.choice.tool ?? props.choice.to ?? ''
  const presets = useSignal(loadPresets(subject))
  const chosenPreset = useSignal('')
  const sharedValues = getShareableValues(props)
  const storePresets = (newPresets: typeof presets.value) => {
    presets.value = newPresets
    savePresets(subject, newPresets)
  }
  const save = (name: string) => {
    storePresets([...presets.value.filter((preset) => preset.name !== name), { name, values: sharedValues }])
    chosenPreset.value = name
  }
  return (
    <div class="presets">
      <PresetChooser
        presets={presets.value}
        chosen={chosenPreset.value}
        onChoose={(name) => {
          chosenPreset.value = name
          props.onUse(presets.value.find((preset) => preset.name === name)?.values ?? {})
        }}
      />
      {chosenPreset.value && (
        <button
          type="button"
          class="button quiet"
          onClick={() => {
            storePresets(presets.value.filter((preset) => preset.name !== chosenPreset.value))
            chosenPreset.value = ''
          }}
        >
          {lazyWords.deletePreset}
        </button>
      )}
      <SaveButton onSave={save} />
      <CopyButton
        text={buildLink({ ...props.choice, values: sharedValues })}
        label={lazyWords.copyLink}
        copiedLabel={lazyWords.linkCopied}
        kind="quiet"
      />
      {Object.keys(sharedValues).length > 0 && (
        <button type="button" class="button quiet" onClick={() => props.onUse({})}>
          {lazyWords.reset}
        </button>
      )}
    </div>
  )
}

function PresetChooser(props: {
  readonly presets: ReturnType<typeof loadPresets>
  /** Name of the chosen preset; empty if none is chosen. */
  readonly chosen: string
  readonly onChoose: (name: string) => void
}) {
  const id = useId()
  if (props.presets.length === 0) return null
  return (
    <>
      <label for={id}>{lazyWords.presets}</label>
      <select id={id} value={props.chosen} onChange={(event) => props.onChoose(event.currentTarget.value)}>
        <option value="">{lazyWords.noPreset}</option>
        {props.presets.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </>
  )
}

/** A button that asks for a name and saves the options as a preset. */
function SaveButton(props: { readonly onSave: (name: string) => void }) {
  const name = useSignal('')
  const isNaming = useSignal(false)
  const save = () => {
    const presetName = name.value.trim()
    if (!presetName) return
    props.onSave(presetName)
    isNaming.value = false
  }
  if (!isNaming.value)
    return (
      <button
        type="button"
        class="button quiet"
        onClick={() => {
          isNaming.value = true
        }}
      >
        {lazyWords.savePreset}
      </button>
    )
  return (
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
  )
}

/** Returns the values of this conversion's fields, without passwords. */
function getShareableValues({
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
