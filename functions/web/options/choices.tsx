import { type ControlProps, getValueText } from './field-props.ts'
import { Slider } from './numbers.tsx'
import words from './words/en.ts'

export function Switch({ option, values, onChange, attributes }: ControlProps) {
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
      {/* An option without a default needs an empty choice, which leaves the value to the engine. */}
      {option.default === undefined && <option value="">{words.automatic}</option>}
      {props.choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}

export const YesNo = (props: ControlProps) => (
  <Select
    {...props}
    value={getValueText(props)}
    choices={[
      ['true', words.yes],
      ['false', words.no],
    ]}
  />
)

/** Value of the choice that opens a number field for a custom value. */
const customValue = '#'

export function Choice(props: ControlProps) {
  const { option, values, onChange } = props
  const value = values[option.name]
  const currentValue = String(value ?? option.default ?? '')
  const isCustom =
    option.number !== undefined &&
    value !== undefined &&
    value !== '' &&
    !option.enum?.includes(String(value))
  const choices = (option.enum ?? []).map((value) => [value, option.enumLabels?.[value] ?? value] as const)
  if (!option.number) return <Select {...props} value={currentValue} choices={choices} />
  const { number } = option
  const middleValue = String(Math.round(((number.min ?? 1) + (number.max ?? 100)) / 2))
  return (
    <div class="choice-number">
      <Select
        {...props}
        value={isCustom ? customValue : currentValue}
        choices={[...choices, [customValue, words.customNumber]]}
        onChange={(name, value) => onChange(name, value === customValue ? middleValue : value)}
      />
      {isCustom && (
        <Slider
          {...props}
          attributes={{ ...props.attributes, id: `${props.attributes.id}-number` }}
          bounds={number}
        />
      )}
    </div>
  )
}
