import { useId } from 'preact/hooks'
import type { Option } from '../api.ts'
import { Lazy } from '../shell/lazy.tsx'
import { adoptStyles } from '../shell/styles.ts'
import { Control } from './control.tsx'
import type { FieldProps, OptionFieldsProps } from './field-props.ts'
import rules from './options.css'
import words from './words/en.ts'

adoptStyles(rules)

const loadTrim = () => import('./trim.tsx')

/** Fields for the options of a conversion: the basic ones immediately, the others on demand. */
export function OptionFields(props: OptionFieldsProps) {
  const basicOptions = props.options.filter(({ group }) => group === 'basics')
  const moreOptions = props.options.filter(({ group }) => group !== 'basics')
  const collapsedOptions = basicOptions.length === 0 ? [] : moreOptions
  const fields = (options: readonly Option[]) =>
    options.map((option) => <Field key={option.name} {...props} option={option} />)
  const hasTimeOptions = props.options.some(({ name }) => name === 'start' || name === 'timestamp')
  return (
    <>
      {hasTimeOptions && props.file && <Lazy load={loadTrim} {...props} file={props.file} />}
      <div class="options-grid">{fields(basicOptions.length === 0 ? moreOptions : basicOptions)}</div>
      {collapsedOptions.length > 0 && (
        <details
          class="more-options"
          open={collapsedOptions.some(({ name }) => name in props.errors) || undefined}
        >
          <summary>{words.moreOptions}</summary>
          <div class="options-grid">{fields(collapsedOptions)}</div>
        </details>
      )}
    </>
  )
}

function Field(props: FieldProps) {
  const id = useId()
  const { option, errors } = props
  const error = errors[option.name]
  const descriptionIds = [option.description && `${id}-hint`, error && `${id}-wrong`]
    .filter(Boolean)
    .join(' ')
  const attributes = {
    id,
    'data-option': option.name,
    'aria-describedby': descriptionIds || undefined,
    'aria-invalid': error ? ('true' as const) : undefined,
  }
  const label = <label for={id}>{option.label}</label>
  const control = <Control {...props} attributes={attributes} />
  const isSwitch = option.type === 'boolean' && option.default !== undefined
  return (
    <div class="field" data-wide={['multiline', 'pages'].includes(option.widget ?? '') || undefined}>
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
      {error && (
        <p id={`${id}-wrong`} class="field-wrong">
          {error}
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
