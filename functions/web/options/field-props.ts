import type { Option } from '../api.ts'
import type { Values } from './option-values.ts'
import words from './words/en.ts'

/** What fields of options are given, and the control of each. */

export interface Props {
  readonly options: readonly Option[]
  readonly values: Values
  readonly wrong: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string | boolean | undefined) => void
  /** Of what the options are, where the page has it: a recording can be heard while its part is chosen. */
  readonly file?: File | undefined
}
export type FieldProps = Props & { readonly option: Option }

export interface Attributes {
  readonly id: string
  readonly 'data-option': string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}
export type ControlProps = FieldProps & { readonly attributes: Attributes }

export const textOf = ({ option, values }: FieldProps) => String(values[option.name] ?? '')

export function placeholderOf({ default: initial, min, max, spelled }: Option): string {
  if (initial !== undefined) return String(initial)
  if (spelled) return words.automatic
  return min !== undefined && max !== undefined ? `${min}–${max}` : words.automatic
}
