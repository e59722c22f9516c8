import { Field } from './components.tsx'

/** A field that selects a period of days up to today. */
export const DaysField = (props: {
  readonly label: string
  readonly choices: readonly number[]
  readonly days: number
  lastDays(days: number): string
  onChange(days: number): void
}) => (
  <Field label={props.label}>
    {(ids) => (
      <select
        {...ids}
        value={props.days}
        onChange={(event) => props.onChange(Number(event.currentTarget.value))}
      >
        {props.choices.map((days) => (
          <option key={days} value={days}>
            {props.lastDays(days)}
          </option>
        ))}
      </select>
    )}
  </Field>
)
