import { defined } from '../../../lib/validation/defined.ts'
import type { Option } from '../api.ts'
import hints from './hints/words/en.ts'
import names from './names/words/en.ts'

/** Translates the texts of an option into the language of the page; its values stay the same. */
export function translateOption(option: Option): Option {
  const { label, description, unit, enumLabels } = option
  return {
    ...option,
    label: names.labels[label] ?? label,
    description: hints[description] ?? description,
    ...(unit !== undefined && { unit: names.units[unit] ?? unit }),
    ...defined({
      enumLabels:
        enumLabels &&
        Object.fromEntries(
          Object.entries(enumLabels).map(([value, name]) => [value, names.values[name] ?? name]),
        ),
    }),
  }
}
