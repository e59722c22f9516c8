import { useState } from 'preact/hooks'
import { formatSize } from '../ui/format-values.ts'
import { type ControlProps, getValueText } from './field-props.ts'
import words from './words/en.ts'

/** Number of bytes in each unit, which are decimal as in file managers. */
const units = { KB: 1000, MB: 1_000_000 } as const
type Unit = keyof typeof units

/** Shares of the original size that are offered as target sizes. */
const suggestedShares = [0.75, 0.5, 0.25]

/** A field for a file size in KB or MB, with three suggestions based on the size of the file. */
export function SizeInput(props: ControlProps) {
  const { option, file, onChange, attributes } = props
  const bytes = Number(getValueText(props)) || undefined
  const [unit, setUnit] = useState<Unit>((file?.size ?? units.MB) < units.MB ? 'KB' : 'MB')
  const [typedText, setTypedText] = useState('')
  const typedBytes = toBytes(typedText, unit)
  // A suggestion or a preset may have set the value.
  const text = typedBytes === bytes ? typedText : bytes === undefined ? '' : String(bytes / units[unit])
  const choices = suggestedShares.map((share) => roundSize((file?.size ?? 0) * share))
  const change = (nextText: string, nextUnit: Unit) => {
    setTypedText(nextText)
    setUnit(nextUnit)
    const next = toBytes(nextText, nextUnit)
    onChange(option.name, next === undefined ? undefined : String(next))
  }
  return (
    <div class="size-input">
      {file && (
        <fieldset class="chips" aria-label={words.sizesOf(formatSize(file.size))}>
          {choices
            .filter((choice) => choice >= (option.min ?? 1))
            .map((choice) => (
              <button
                key={choice}
                type="button"
                class="button small"
                aria-pressed={choice === bytes}
                onClick={() => onChange(option.name, choice === bytes ? undefined : String(choice))}
              >
                {words.atMostSize(formatSize(choice))}
              </button>
            ))}
        </fieldset>
      )}
      <span class="with-unit">
        <input
          {...attributes}
          type="number"
          min={0}
          step="any"
          placeholder={words.automatic}
          value={text}
          onInput={(event) => change(event.currentTarget.value, unit)}
        />
        <select
          aria-label={words.sizeUnit}
          value={unit}
          onChange={(event) => change(text, event.currentTarget.value === 'KB' ? 'KB' : 'MB')}
        >
          {Object.keys(units).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </span>
    </div>
  )
}

function toBytes(text: string, unit: Unit): number | undefined {
  const number = Number(text)
  return text.trim() === '' || Number.isNaN(number) ? undefined : Math.round(number * units[unit])
}

/** Rounds a size to two digits, which is precise enough for a limit. */
const roundSize = (bytes: number) => Number(bytes.toPrecision(2))
