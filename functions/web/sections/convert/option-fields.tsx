import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Option } from '../../api.ts'
import type { Values } from './remembered.ts'
import words from './words/en.ts'

interface Props {
  readonly options: readonly Option[]
  readonly values: Values
  readonly wrong: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string | boolean | undefined) => void
}

/** The options of a pair as the service describes them: the basics, and the rest on demand. */
export function OptionFields(props: Props) {
  const basics = props.options.filter(({ group }) => group === 'basics')
  const more = props.options.filter(({ group }) => group !== 'basics')
  const shownMore = basics.length === 0 ? [] : more
  const fields = (options: readonly Option[]) =>
    options.map((option) => <Field key={option.name} {...props} option={option} />)
  return (
    <>
      <div class="options-grid">{fields(basics.length === 0 ? more : basics)}</div>
      {shownMore.length > 0 && (
        <details class="more-options" open={shownMore.some(({ name }) => name in props.wrong) || undefined}>
          <summary>{words.moreOptions}</summary>
          <div class="options-grid">{fields(shownMore)}</div>
        </details>
      )}
    </>
  )
}

type FieldProps = Props & { readonly option: Option }

function Field(props: FieldProps) {
  const id = useId()
  const { option, wrong } = props
  const fault = wrong[option.name]
  const described = [option.description && `${id}-hint`, fault && `${id}-wrong`].filter(Boolean).join(' ')
  const attributes = {
    id,
    'data-option': option.name,
    'aria-describedby': described || undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
  }
  const label = <label for={id}>{option.label}</label>
  const control = <Control {...props} attributes={attributes} />
  const isSwitch = option.type === 'boolean' && option.default !== undefined
  return (
    <div class="field" data-wide={option.widget === 'multiline' || undefined}>
      {isSwitch ? (
        <div class="check">
          {control}
          {label}
        </div>
      ) : (
        <>
          {label}
          {control}
        </>
      )}
      {fault && (
        <p id={`${id}-wrong`} class="field-wrong">
          {fault}
        </p>
      )}
      {option.description && (
        <p id={`${id}-hint`} class="hint">
          {option.description}
        </p>
      )}
    </div>
  )
}

interface Attributes {
  readonly id: string
  readonly 'data-option': string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}
type ControlProps = FieldProps & { readonly attributes: Attributes }

const textOf = ({ option, values }: FieldProps) => String(values[option.name] ?? '')

function Control(props: ControlProps) {
  const { option } = props
  if (option.type === 'boolean')
    return option.default === undefined ? <YesNo {...props} /> : <Switch {...props} />
  if (option.type === 'enum') return <Choice {...props} />
  switch (option.widget) {
    case 'slider':
      return <Slider {...props} bounds={option} />
    case 'color':
      return <Color {...props} />
    case 'password':
      return <Password {...props} />
    case 'multiline':
      return <Multiline {...props} />
    case 'date':
      return <Text {...props} type="date" />
    default:
      // A field of numbers would refuse 0:01 and 500k.
      return option.type === 'string' || option.spelled ? (
        <Text {...props} type="text" />
      ) : (
        <Num {...props} bounds={option} />
      )
  }
}

function Switch({ option, values, onChange, attributes }: ControlProps) {
  return (
    <input
      {...attributes}
      type="checkbox"
      checked={(values[option.name] ?? option.default) === true}
      onChange={(event) => onChange(option.name, event.currentTarget.checked)}
    />
  )
}

function Select(
  props: ControlProps & { readonly choices: readonly (readonly [string, string])[]; readonly value: string },
) {
  const { option, onChange, attributes } = props
  return (
    <select
      {...attributes}
      value={props.value}
      onChange={(event) => onChange(option.name, event.currentTarget.value || undefined)}
    >
      {/* Without a default there is one more choice, which leaves it to the engine. */}
      {option.default === undefined && <option value="">{words.automatic}</option>}
      {props.choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

const YesNo = (props: ControlProps) => (
  <Select
    {...props}
    value={textOf(props)}
    choices={[
      ['true', words.yes],
      ['false', words.no],
    ]}
  />
)

/** A mark of the choice that opens the field of a number beside the words. */
const ownNumber = '#'

function Choice(props: ControlProps) {
  const { option, values, onChange } = props
  const given = values[option.name]
  const current = String(given ?? option.default ?? '')
  const isOwn =
    option.number !== undefined &&
    given !== undefined &&
    given !== '' &&
    !option.enum?.includes(String(given))
  const choices = (option.enum ?? []).map((value) => [value, option.enumLabels?.[value] ?? value] as const)
  if (!option.number) return <Select {...props} value={current} choices={choices} />
  const { number } = option
  const middle = String(Math.round(((number.min ?? 1) + (number.max ?? 100)) / 2))
  return (
    <div class="choice-number">
      <Select
        {...props}
        value={isOwn ? ownNumber : current}
        choices={[...choices, [ownNumber, words.ownNumber]]}
        onChange={(name, value) => onChange(name, value === ownNumber ? middle : value)}
      />
      {isOwn && (
        <Slider
          {...props}
          attributes={{ ...props.attributes, id: `${props.attributes.id}-number` }}
          bounds={number}
        />
      )}
    </div>
  )
}

interface Bounds {
  readonly type: string
  readonly min?: number | undefined
  readonly max?: number | undefined
}

function Num(props: ControlProps & { readonly bounds: Bounds; readonly label?: string }) {
  const { option, bounds, onChange, attributes } = props
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type="number"
        aria-label={props.label}
        step={bounds.type === 'integer' ? 1 : 'any'}
        min={bounds.min}
        max={bounds.max}
        placeholder={placeholderOf(option)}
        value={textOf(props)}
        onInput={(event) => onChange(option.name, event.currentTarget.value || undefined)}
      />
      {option.unit && <span class="unit">{option.unit}</span>}
    </span>
  )
}

/** The slider for the hand, the number for who knows it; without bounds there is nothing to slide on. */
function Slider(props: ControlProps & { readonly bounds: Bounds }) {
  const { option, bounds, onChange } = props
  const isOwn = option.type === 'enum'
  const number = <Num {...props} {...(isOwn && { label: option.label })} />
  if (bounds.min === undefined || bounds.max === undefined) return number
  const isWhole = bounds.type === 'integer'
  return (
    <div class="slider">
      <input
        type="range"
        aria-label={words.sliderOf(option.label)}
        min={bounds.min}
        max={bounds.max}
        step={isWhole ? 1 : (bounds.max - bounds.min) / 100}
        value={textOf(props) || String(option.default ?? bounds.max)}
        onInput={(event) => onChange(option.name, event.currentTarget.value)}
      />
      {number}
    </div>
  )
}

function Text(props: ControlProps & { readonly type: 'text' | 'date' }) {
  const { option, onChange, attributes } = props
  const { suggestions } = option
  const list = suggestions ? `${attributes.id}-list` : undefined
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type={props.type}
        dir="auto"
        list={list}
        placeholder={placeholderOf(option)}
        spellcheck={false}
        value={textOf(props)}
        onInput={(event) => onChange(option.name, event.currentTarget.value || undefined)}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((value) => (
            <option key={value} value={value}>
              {option.enumLabels?.[value]}
            </option>
          ))}
        </datalist>
      )}
    </span>
  )
}

function Multiline({ attributes, option, ...props }: ControlProps) {
  return (
    <textarea
      {...attributes}
      rows={3}
      dir="auto"
      value={textOf({ option, ...props })}
      onInput={(event) => props.onChange(option.name, event.currentTarget.value || undefined)}
    />
  )
}

function Password({ attributes, option, ...props }: ControlProps) {
  const isShown = useSignal(false)
  return (
    <span class="password">
      <input
        {...attributes}
        {...(isShown.value ? { type: 'text' as const } : { type: 'password' as const })}
        autocomplete="off"
        value={textOf({ option, ...props })}
        onInput={(event) => props.onChange(option.name, event.currentTarget.value || undefined)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={isShown.value}
          onChange={(event) => {
            isShown.value = event.currentTarget.checked
          }}
        />
        {words.showPassword}
      </label>
    </span>
  )
}

/** The system's chooser for the hand, and text, as not every color is one of it: names, and what is transparent. */
function Color(props: ControlProps) {
  const { option, onChange } = props
  const text = textOf(props)
  return (
    <span class="color">
      <input
        type="color"
        aria-label={words.colorOf(option.label)}
        value={/^#[\da-f]{6}$/i.test(text) ? text : '#ffffff'}
        onInput={(event) => onChange(option.name, event.currentTarget.value)}
      />
      <Text {...props} type="text" />
    </span>
  )
}

function placeholderOf({ default: initial, min, max, spelled }: Option): string {
  if (initial !== undefined) return String(initial)
  if (spelled) return words.automatic
  return min !== undefined && max !== undefined ? `${min}–${max}` : words.automatic
}
