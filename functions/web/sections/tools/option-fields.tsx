import type { Option } from '../../api.ts'
import { Field } from '../../desk/parts.tsx'
import words from './words/en.ts'

/** The options of a tool as fields of a form; basics first, the rest folded away. */
export function OptionFields({ options }: { readonly options: readonly Option[] }) {
  const shown = options.filter(({ deprecated }) => !deprecated)
  const [basics, more] = ['basics', 'more'].map((group) => shown.filter((option) => option.group === group))
  return (
    <>
      {(basics ?? []).map((option) => (
        <OptionField key={option.name} option={option} />
      ))}
      {more && more.length > 0 && (
        <details>
          <summary>{words.more}</summary>
          <div class="stack">
            {more.map((option) => (
              <OptionField key={option.name} option={option} />
            ))}
          </div>
        </details>
      )}
    </>
  )
}

const OptionField = ({ option }: { readonly option: Option }) => (
  <Field label={option.unit ? `${option.label} (${option.unit})` : option.label} hint={option.description}>
    {(ids) => <Control option={option} ids={ids} />}
  </Field>
)

function Control({ option, ids }: { readonly option: Option; readonly ids: { readonly id: string } }) {
  const { name, type, enumLabels, min, max, pattern, spelled, widget } = option
  const usual = option.default === undefined ? words.automatic : String(option.default)
  if (option.enum || type === 'boolean') {
    const values = option.enum ?? ['true', 'false']
    const say = (value: string) =>
      enumLabels?.[value] ?? (type === 'boolean' ? words.flags[value === 'true' ? 'yes' : 'no'] : value)
    return (
      <select {...ids} name={name}>
        <option value="">{option.default === undefined ? words.automatic : words.usual(say(usual))}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {say(value)}
          </option>
        ))}
      </select>
    )
  }
  if ((type === 'integer' || type === 'number') && !spelled)
    return (
      <input
        {...ids}
        {...{ name, min, max, placeholder: usual }}
        type="number"
        step={type === 'integer' ? 1 : 'any'}
      />
    )
  const given = { ...ids, name, pattern, placeholder: usual, autocomplete: 'off', spellcheck: false } as const
  return widget === 'password' ? <input {...given} type="password" /> : <input {...given} type="text" />
}

/** What was given, in the types of the options; what was left alone is left out. */
export function valuesOf(options: readonly Option[], given: FormData): Record<string, unknown> {
  return Object.fromEntries(
    options.flatMap(({ name, type }): [string, unknown][] => {
      const text = given.get(name)
      if (typeof text !== 'string' || text === '') return []
      if (type === 'boolean') return [[name, text === 'true']]
      const number = Number(text)
      return [[name, (type === 'integer' || type === 'number') && !Number.isNaN(number) ? number : text]]
    }),
  )
}
