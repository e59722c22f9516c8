import { useSignal } from '@preact/signals'
import { type ControlProps, textOf } from './field-props.ts'
import words from './words/en.ts'

/** As many as the service reads at a time. */
const most = 5

/** The main one first, joined by `+` as the service takes them: chosen from a list that narrows while one types. */
export function Languages(props: ControlProps) {
  const { option, onChange, attributes } = props
  const typed = useSignal('')
  const given = textOf(props).split('+').filter(Boolean)
  const nameOf = (id: string) => option.enumLabels?.[id] ?? id
  const wanted = typed.value.trim().toLowerCase()
  const found = (option.suggestions ?? []).filter((id) =>
    `${id} ${nameOf(id)}`.toLowerCase().includes(wanted),
  )
  const set = (ids: readonly string[]) => onChange(option.name, ids.join('+') || undefined)
  const without = (id: string) => set(given.filter((other) => other !== id))
  return (
    <div class="languages">
      {given.length > 0 && (
        <ul class="languages-given">
          {given.map((id) => (
            <li key={id}>
              <button
                type="button"
                class="button small"
                aria-label={words.without(nameOf(id))}
                onClick={() => without(id)}
              >
                {nameOf(id)} <span class="icon icon-close" aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        {...attributes}
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={
          option.default === undefined || given.length > 0
            ? words.searchLanguages
            : nameOf(String(option.default))
        }
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // It would start the conversion; what is typed means the first that is found.
          event.preventDefault()
          const [first] = found
          if (first === undefined || wanted === '' || given.includes(first) || given.length >= most) return
          typed.value = ''
          set([...given, first])
        }}
      />
      <ul class="languages-list" aria-label={option.label}>
        {found.map((id) => (
          <li key={id}>
            <label class="check">
              <input
                type="checkbox"
                checked={given.includes(id)}
                disabled={given.length >= most && !given.includes(id)}
                onChange={(event) => (event.currentTarget.checked ? set([...given, id]) : without(id))}
              />
              {nameOf(id)}
            </label>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length === 0
          ? words.noLanguage(typed.value.trim())
          : given.length >= most && words.mostLanguages(most)}
      </p>
    </div>
  )
}
