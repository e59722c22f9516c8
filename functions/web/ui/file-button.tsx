import { useId } from 'preact/hooks'

/** A file field that looks like a button. The browser's own field is in the browser's language, not in the page's. */
export function FileButton(props: {
  readonly label: string
  readonly onChoose: (files: readonly File[]) => void
  readonly isPrimary?: boolean
  readonly isMultiple?: boolean
  readonly accept?: string | undefined
  readonly describedBy?: string
}) {
  const id = useId()
  return (
    <span class="file-button">
      <input
        id={id}
        class="visually-hidden"
        type="file"
        multiple={props.isMultiple}
        accept={props.accept}
        aria-describedby={props.describedBy}
        onChange={(event) => {
          props.onChoose([...(event.currentTarget.files ?? [])])
          // Allows choosing the same file again.
          event.currentTarget.value = ''
        }}
      />
      <label for={id} class={props.isPrimary ? 'button primary' : 'button'}>
        {props.label}
      </label>
    </span>
  )
}
