import type { Option } from './api.ts'
import { element, newElementId } from './element.ts'
import { optionLabel, sentenceCase } from './words.ts'

export interface OptionForm {
  readonly element: HTMLElement
  /** Only what differs from the default; undefined when a value is refused, which then is shown at its field. */
  values(): Readonly<Record<string, unknown>> | undefined
}

interface Field {
  readonly element: HTMLElement
  readonly control: HTMLInputElement | HTMLSelectElement
  value(): unknown
}

/** The options of a pair as the service describes them, folded away: the defaults are good. */
export function optionForm(options: readonly Option[]): OptionForm {
  // What has another name by now is for programs that know the old one.
  const shown = options.filter(({ deprecated }) => !deprecated)
  const fields = shown.map((option) => ({ option, ...fieldOf(option) }))
  const details = element(
    'details',
    { class: 'options' },
    element('summary', {}, 'Options'),
    element('div', { class: 'options-grid' }, ...fields.map((field) => field.element)),
  )
  details.hidden = shown.length === 0
  return {
    element: details,
    values: () => {
      const wrong = fields.find(({ control }) => !control.checkValidity())
      if (wrong) {
        // A field inside closed details cannot show what is wrong with it.
        details.open = true
        wrong.control.reportValidity()
        return undefined
      }
      const given = fields.map(({ option, value }) => [option, value()] as const)
      const changed = given.filter(([option, value]) => value !== undefined && value !== option.default)
      return Object.fromEntries(changed.map(([option, value]) => [option.name, value]))
    },
  }
}

function fieldOf(option: Option): Field {
  const id = newElementId('option')
  const hintId = `${id}-hint`
  const attributes = { id, ...(option.description && { 'aria-describedby': hintId }) }
  const { control, value } = controlOf(option, attributes)
  const label = element('label', { for: id }, optionLabel(option.name))
  const hint = option.description
    ? element('p', { id: hintId, class: 'hint' }, option.description)
    : undefined
  const isCheckbox = control instanceof HTMLInputElement && control.type === 'checkbox'
  const row = isCheckbox ? element('div', { class: 'check' }, control, label) : undefined
  return {
    element: row
      ? element('div', { class: 'field' }, row, hint)
      : element('div', { class: 'field' }, label, control, hint),
    control,
    value,
  }
}

type Attributes = Readonly<Record<string, string>>

function controlOf(option: Option, attributes: Attributes): Pick<Field, 'control' | 'value'> {
  switch (option.type) {
    case 'enum':
      return choice(
        attributes,
        option.default,
        (option.enum ?? []).map((value) => [value, sentenceCase(value), value]),
      )
    case 'boolean':
      return option.default === undefined
        ? choice(attributes, undefined, [
            ['true', 'Yes', true],
            ['false', 'No', false],
          ])
        : checkbox(attributes, option.default === true)
    case 'integer':
    case 'number':
      // A field of numbers would refuse 0:01 and 500k.
      return option.spelled ? textInput(option, attributes) : numberInput(option, attributes)
    case 'string':
      return textInput(option, attributes)
  }
}

/** Without a default there is one more choice, which leaves it to the engine. */
function choice(
  attributes: Attributes,
  initial: unknown,
  choices: readonly (readonly [string, string, unknown])[],
) {
  const automatic = initial === undefined ? [element('option', { value: '' }, 'Automatic')] : []
  const items = choices.map(([key, words, value]) =>
    element('option', { value: key, selected: value === initial }, words),
  )
  const control = element('select', attributes, ...automatic, ...items)
  return { control, value: () => choices.find(([key]) => key === control.value)?.[2] }
}

function checkbox(attributes: Attributes, initial: boolean) {
  const control = element('input', { type: 'checkbox', checked: initial, ...attributes })
  return { control, value: () => control.checked }
}

function numberInput(option: Option, attributes: Attributes) {
  const step = option.type === 'integer' ? 1 : 'any'
  const control = element('input', {
    type: 'number',
    step,
    min: option.min,
    max: option.max,
    placeholder: placeholderOf(option),
    ...attributes,
  })
  return { control, value: () => (control.value === '' ? undefined : control.valueAsNumber) }
}

function textInput(option: Option, attributes: Attributes) {
  const control = element('input', {
    type: 'text',
    pattern: option.pattern,
    placeholder: placeholderOf(option),
    spellcheck: 'false',
    ...attributes,
  })
  return { control, value: () => control.value || undefined }
}

function placeholderOf({ default: initial, min, max, spelled }: Option): string {
  if (initial !== undefined) return String(initial)
  if (spelled) return 'Automatic'
  return min !== undefined && max !== undefined ? `${min}–${max}` : 'Automatic'
}
