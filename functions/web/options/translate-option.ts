import type { Option } from '../api.ts'
import hints from './hints/words/en.ts'
import names from './names/words/en.ts'

/** An option as the visitor's language has it; the values that are sent stay what they are. */
export function translateOption(option: Option): Option {
  const { label, description, unit, enumLabels } = option
  return {
    ...option,
    label: names.labels[label] ?? label,
    description: hints[description] ?? description,
    ...(unit !== undefined && { unit: names.units[unit] ?? unit }),
    ...(enumLabels && {
      enumLabels: Object.fromEntries(
        Object.entries(enumLabels).map(([value, name]) => [value, names.values[name] ?? name]),
      ),
    }),
  }
}
