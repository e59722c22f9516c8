import { type ControlProps, getPlaceholder, getValueText } from './field-props.ts'
import words from './words/en.ts'

interface Bounds {
  readonly type: string
  readonly min?: number | undefined
  readonly max?: number | undefined
}

export function NumberInput(props: ControlProps & { readonly bounds: Bounds; readonly label?: string }) {
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
        placeholder={getPlaceholder(option)}
        value={getValueText(props)}
        onInput={(event) => onChange(option.name, event.currentTarget.value || undefined)}
      />
      {option.unit && <span class="unit">{option.unit}</span>}
    </span>
  )
}

/** A slider and a number field; only the number field if the option has no bounds. */
export function Slider(props: ControlProps & { readonly bounds: Bounds }) {
  const { option, bounds, onChange } = props
  const isCustom = option.type === 'enum'
  const numberInput = <NumberInput {...props} {...(isCustom && { label: option.label })} />
  if (bounds.min === undefined || bounds.max === undefined) return numberInput
  const isWhole = bounds.type === 'integer'
  return (
    <div class="slider">
      <input
        type="range"
        aria-label={words.sliderOf(option.label)}
        min={bounds.min}
        max={bounds.max}
        step={isWhole ? 1 : (bounds.max - bounds.min) / 100}
        value={getValueText(props) || String(option.default ?? bounds.max)}
        onInput={(event) => onChange(option.name, event.currentTarget.value)}
      />
      {numberInput}
    </div>
  )
}
