import { useState } from 'preact/hooks'
import { navigate } from '../shell/router.ts'
import { Field } from './components.tsx'

/** A text that filters a list and is part of the URL, so that the search can be shared. */
export function useSearch(
  path: string,
  query: URLSearchParams,
): { text: string; search: (text: string) => void } {
  const [text, setText] = useState(query.get('q') ?? '')
  const search = (value: string) => {
    setText(value)
    navigate(value ? `${path}?${new URLSearchParams({ q: value })}` : path, { replace: true })
  }
  return { text, search }
}

export const Search = (props: {
  readonly label: string
  readonly text: string
  readonly search: (text: string) => void
  /** Number of matches as text, such as `3 formats`. */
  readonly countText: string
}) => (
  <search class="stack">
    <Field label={props.label}>
      {(ids) => (
        <input
          {...ids}
          type="search"
          autocomplete="off"
          value={props.text}
          onInput={(event) => props.search(event.currentTarget.value)}
        />
      )}
    </Field>
    <p class="meta" role="status">
      {props.countText}
    </p>
  </search>
)
