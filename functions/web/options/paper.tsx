import { type ControlProps, getValueText } from './field-props.ts'
import words from './words/en.ts'

const units = ['mm', 'cm', 'in', 'pt'] as const

/** Value of the choice that opens the width and height fields. */
const customSize = '#'

/** A choice of named paper sizes, or fields for width and height. Their value looks like `210x297mm`. */
export function Paper(props: ControlProps) {
  const { option, onChange, attributes } = props
  const text = getValueText(props)
  const knownPapers = option.suggestions ?? []
  const namedPaper = knownPapers.find((name) => name.toLowerCase() === text.toLowerCase())
  const isCustom = text !== '' && namedPaper === undefined
  const [, width = '', height = '', unit = 'mm'] =
    /^([\d.]{0,20})\s{0,9}x\s{0,9}([\d.]{0,20})\s{0,9}([a-z]{0,9})$/i.exec(text) ?? []
  const setSize = (size: { width?: string; height?: string; unit?: string }) => {
    const newSize = { width, height, unit, ...size }
    onChange(option.name, `${newSize.width}x${newSize.height}${newSize.unit}`)
  }
  const renderNumberInput = (label: string, value: string, onValue: (value: string) => void) => (
    <input
      type="number"
      min={0}
      step="any"
      aria-label={label}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
  return (
    <div class="paper">
      <select
        {...attributes}
        value={isCustom ? customSize : (namedPaper ?? '')}
        onChange={({ currentTarget: { value } }) =>
          onChange(option.name, value === customSize ? '210x297mm' : value || undefined)
        }
      >
        {option.default === undefined && <option value="">{words.automatic}</option>}
        {knownPapers.map((name) => (
          <option key={name} value={name}>
            {option.enumLabels?.[name] ?? name}
          </option>
        ))}
        <option value={customSize}>{words.customSize}</option>
      </select>
      {isCustom && (
        <span class="paper-own">
          {renderNumberInput(words.paperWidth, width, (value) => setSize({ width: value }))}
          <span aria-hidden="true">×</span>
          {renderNumberInput(words.paperHeight, height, (value) => setSize({ height: value }))}
          <select
            aria-label={words.paperUnit}
            value={unit}
            onChange={(event) => setSize({ unit: event.currentTarget.value })}
          >
            {units.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </span>
      )}
    </div>
  )
}
