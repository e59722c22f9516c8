import { useSignal } from '@preact/signals'
import { type ControlProps, getValueText } from './field-props.ts'
import words from './words/en.ts'

/** Maximum number of languages that the service accepts. */
const maxLanguages = 5

/** A picker for languages, with the main one first; the value joins them with `+`. */
export function Languages(props: ControlProps) {
  const { option, onChange, attributes } = props
  const typedText = useSignal('')
  const chosenIds = getValueText(props).split('+').filter(Boolean)
  const getLanguageName = (id: string) => option.enumLabels?.[id] ?? id
  const needle = typedText.value.trim().toLowerCase()
  const matches = (option.suggestions ?? []).filter((id) =>
    `${id} ${getLanguageName(id)}`.toLowerCase().includes(needle),
  )
  const setLanguages = (ids: readonly string[]) => onChange(option.name, ids.join('+') || undefined)
  const remove = (id: string) => setLanguages(chosenIds.filter((other) => other !== id))
  return (
    <div class="languages">
      {chosenIds.length > 0 && (
        <ul class="languages-given">
          {chosenIds.map((id) => (
            <li key={id}>
              <button
                type="button"
                class="button small"
                aria-label={words.removeLanguage(getLanguageName(id))}
                onClick={() => remove(id)}
              >
                {getLanguageName(id)} <span class="icon icon-close" aria-hidden="true" />
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
            : getLanguageName(String(option.default))
        }
        value={typedText.value}
        onInput={(event) => {
          typedText.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // The Enter key would start the conversion; instead it chooses the first match.
          event.preventDefault()
          const [firstMatch] = matches
          if (
            firstMatch === undefined ||
            needle === '' ||
            chosenIds.includes(firstMatch) ||
            chosenIds.length >= maxLanguages
          )
            return
          typedText.value = ''
          setLanguages([...chosenIds, firstMatch])
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
                onChange={(event) =>
                  event.currentTarget.checked ? setLanguages([...chosenIds, id]) : remove(id)
                }
              />
              {getLanguageName(id)}
            </label>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {matches.length === 0
          ? words.noLanguage(typedText.value.trim())
          : chosenIds.length >= maxLanguages && words.maxLanguages(maxLanguages)}
      </p>
    </div>
  )
}
