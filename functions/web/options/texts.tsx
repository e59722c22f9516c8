import { useSignal } from '@preact/signals'
import { type ControlProps, getPlaceholder, getValueText } from './field-props.ts'
import words from './words/en.ts'

export function Text(props: ControlProps & { readonly type: 'text' | 'date' }) {
  const { option, onChange, attributes } = props
  const { suggestions } = option
  const listId = suggestions ? `${attributes.id}-list` : undefined
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type={props.type}
        dir="auto"
        list={listId}
        placeholder={getPlaceholder(option)}
        spellcheck={false}
        value={getValueText(props)}
        onInput={(event) => onChange(option.name, event.currentTarget.value || undefined)}
      />
      {suggestions && (
        <datalist id={listId}>
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

export function Multiline({ attributes, option, ...props }: ControlProps) {
  return (
    <textarea
      {...attributes}
      rows={3}
      dir="auto"
      value={getValueText({ option, ...props })}
      onInput={(event) => props.onChange(option.name, event.currentTarget.value || undefined)}
    />
  )
}

export function Password({ attributes, option, ...props }: ControlProps) {
  const isShown = useSignal(false)
  return (
    <span class="password">
      <input
        {...attributes}
        {...(isShown.value ? { type: 'text' as const } : { type: 'password' as const })}
        autocomplete="off"
        value={getValueText({ option, ...props })}
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

/** The system's color picker plus a text field, for color names and transparency. */
export function Color(props: ControlProps) {
  const { option, onChange } = props
  const text = getValueText(props) || String(option.default)
  return (
    <span class="color">
      <input
        type="color"
        aria-label={words.colorOf(option.label)}
        value={/^#[\da-f]{6}$/i.test(text) ? text : '#ffffff'}
        onInput={(event) => onChange(option.name, event.currentTarget.value)}
      />
      <Text {...props} option={{ ...option, suggestions: option.suggestions ?? option.enum }} type="text" />
    </span>
  )
}
