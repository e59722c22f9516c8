import type { Option } from '../api.ts'
import type { Values } from './option-values.ts'
import words from './words/en.ts'

/** Props of option fields and their controls. */

export interface OptionFieldsProps {
  readonly options: readonly Option[]
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  readonly onChange: (name: string, value: string | boolean | undefined) => void
  /** The file that the options apply to, if the page has it. The trimming control plays it. */
  readonly file?: File | undefined
}
export type FieldProps = OptionFieldsProps & { readonly option: Option }

interface ControlAttributes {
  readonly id: string
  readonly 'data-option': string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': 'true' | undefined
}
export type ControlProps = FieldProps & { readonly attributes: ControlAttributes }

export const getValueText = ({ option, values }: FieldProps) => String(values[option.name] ?? '')

/** Returns the placeholder of a field. Text fields are empty by default, so “Automatic” would be wrong for them. */
export function getPlaceholder({ default: initial, min, max, spelled, type }: Option): string {
  if (initial !== undefined) return String(initial)
  if (spelled) return words.automatic
  if (min !== undefined && max !== undefined) return `${min}–${max}`
  return type === 'string' ? '' : words.automatic
}
