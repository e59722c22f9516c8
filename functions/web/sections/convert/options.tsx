import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { type Option, type Problem, problemOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { loadOptionsOf } from './choosing.ts'
import type { Item } from './item.ts'
import { keep } from './keeping.ts'
import { OptionFields } from './option-fields.tsx'
import { keepPresets, presetsFor, type Values } from './remembered.ts'
import words from './words/en.ts'

/** The options of one file, folded away: the defaults are good. */
export default function ItemOptions({ item }: { readonly item: Item }) {
  const problem = useSignal<Problem | undefined>(undefined)
  const target = item.target.value
  const tool = item.tool.value
  const load = () => {
    problem.value = undefined
    void loadOptionsOf(item).catch((error: unknown) => {
      problem.value = problemOf(error)
    })
  }
  useEffect(load, [item, target?.id, tool])
  if (problem.value)
    return (
      <p class="notice">
        {words.optionsFailed(problem.value.message)}{' '}
        <button type="button" class="link" onClick={load}>
          {words.tryAgain}
        </button>
      </p>
    )
  const options = item.options.value ?? []
  if (options.length === 0 || !target) return null
  const wrong = item.wrong.value
  const change = (name: string, value: string | boolean | undefined) => {
    const { [name]: _old, ...others } = item.values.value
    item.values.value = value === undefined ? others : { ...others, [name]: value }
    const { [name]: _wrong, ...rest } = item.wrong.value
    item.wrong.value = rest
    void keep(item)
  }
  // A tool is hardly of use without its options.
  const isOpen = Object.keys(wrong).length > 0 || tool !== undefined
  return (
    <details class="options" open={isOpen || undefined}>
      <summary>{words.options}</summary>
      <OptionFields options={options} values={item.values.value} wrong={wrong} onChange={change} />
      <Presets
        target={tool ?? target.id}
        options={options}
        values={item.values.value}
        onUse={(values) => {
          item.values.value = values
          void keep(item)
        }}
      />
    </details>
  )
}

/** Options under a name, kept in this browser, and as an address to give away. */
export function Presets(props: {
  readonly target: string
  readonly options: readonly Option[]
  readonly values: Values
  readonly onUse: (values: Values) => void
}) {
  const id = useId()
  const presets = useSignal(presetsFor(props.target))
  const name = useSignal('')
  const chosen = useSignal('')
  const own = ownValues(props)
  const isNaming = useSignal(false)
  const write = (all: typeof presets.value) => {
    presets.value = all
    keepPresets(props.target, all)
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
          <label for={id}>{words.presets}</label>
          <select
            id={id}
            value={chosen.value}
            onChange={(event) => {
              chosen.value = event.currentTarget.value
              props.onUse(presets.value.find((preset) => preset.name === chosen.value)?.values ?? {})
            }}
          >
            <option value="">{words.noPreset}</option>
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
          {words.deletePreset}
        </button>
      )}
      {isNaming.value ? (
        <span class="preset-name">
          <input
            type="text"
            aria-label={words.presetName}
            placeholder={words.presetName}
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
            {words.save}
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
          {words.savePreset}
        </button>
      )}
      <button
        type="button"
        class="button quiet"
        onClick={() => {
          void navigator.clipboard.writeText(linkTo(props.target, own)).then(() => announce(words.linkCopied))
        }}
      >
        {words.copyLink}
      </button>
      {Object.keys(own).length > 0 && (
        <button type="button" class="button quiet" onClick={() => props.onUse({})}>
          {words.reset}
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

const linkTo = (target: string, values: Values) => {
  const query = new URLSearchParams({ to: target })
  for (const [name, value] of Object.entries(values)) query.set(name, String(value))
  return `${location.origin}/?${query}`
}
