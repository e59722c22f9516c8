import { useSignal } from '@preact/signals'
import { type ControlProps, valueText } from './field-props.ts'
import words from './words/en.ts'

/** As many as the service reads at a time. */
const maxLanguages = 5

/** The main one first, joined by `+` as the service takes them: chosen from a list that narrows while one types. */
export function Languages(props: ControlProps) {
  const { option, onChange, attributes } = props
  const typed = useSignal('')
  const chosenIds = valueText(props).split('+').filter(Boolean)
  const nameOf = (id: string) => option.enumLabels?.[id] ?? id
  const needle = typed.value.trim().toLowerCase()
  const matches = (option.suggestions ?? []).filter((id) =>
    `${id} ${nameOf(id)}`.toLowerCase().includes(needle),
  )
  const set = (ids: readonly string[]) => onChange(option.name, ids.join('+') || undefined)
  const remove = (id: string) => set(chosenIds.filter((other) => other !== id))
  return (
    <div class="languages">
      {chosenIds.length > 0 && (
        <ul class="languages-given">
          {chosenIds.map((id) => (
            <li key={id}>
              <button
                type="button"
                class="button small"
                aria-label={words.removeLanguage(nameOf(id))}
                onClick={() => remove(id)}
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
          option.default === undefined || chosenIds.length > 0
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
          const [first] = matches
          if (
            first === undefined ||
            needle === '' ||
            chosenIds.includes(first) ||
            chosenIds.length >= maxLanguages
          )
            return
          typed.value = ''
          set([...chosenIds, first])
        }}
      />
      <ul class="languages-list" aria-label={option.label}>
        {matches.map((id) => (
          <li key={id}>
            <label class="check">
              <input
                type="checkbox"
                checked={chosenIds.includes(id)}
                disabled={chosenIds.length >= maxLanguages && !chosenIds.includes(id)}
                onChange={(event) => (event.currentTarget.checked ? set([...chosenIds, id]) : remove(id))}
              />
              {nameOf(id)}
            </label>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {matches.length === 0
          ? words.noLanguage(typed.value.trim())
          : chosenIds.length >= maxLanguages && words.maxLanguages(maxLanguages)}
      </p>
    </div>
  )
}
