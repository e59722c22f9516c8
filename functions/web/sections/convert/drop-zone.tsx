import type { ComponentChildren } from 'preact'
import { limitTokens } from '../../section-paths.ts'
import { keyShortcut } from '../../shell/shortcuts.ts'
import words from '../../words/en.ts'

const { dropZone } = words

/**
 * Describes the limits of the service. In the browser they are attributes of the root element; when the document is
 * rendered on the server, placeholders stand for them.
 */
function describeLimits(): string {
  const { maxFileSize = '', retention = '' } =
    typeof document === 'undefined' ? limitTokens : document.documentElement.dataset
  return dropZone.limits(maxFileSize, retention)
}

/** The drop zone. It has no hooks, because it is also rendered on the server; the script finds its buttons by id. */
export function DropZone(props: {
  readonly title?: string
  readonly lead?: string
  readonly onFolder?: () => void
  readonly onUrl?: (url: string) => void
  readonly onMoreOpen?: () => void
  /** Further sources of files, such as drives. */
  readonly children?: ComponentChildren
}) {
  return (
    <section class="add" aria-labelledby="title">
      <h1 id="title">{props.title ?? dropZone.title}</h1>
      <p class="lead">{props.lead ?? dropZone.lead}</p>
      <div class="drop">
        <span class="drop-mark" aria-hidden="true" />
        <p class="drop-words">{dropZone.drop}</p>
        <p class="drop-buttons">
          <button type="button" id="choose" class="button primary" {...keyShortcut('a')}>
            {dropZone.choose}
          </button>
          <button type="button" id="photo" class="button">
            {dropZone.photo}
          </button>
        </p>
        <p class="hint">{dropZone.paste}</p>
      </div>
      <p class="limits">{describeLimits()}</p>
      <details class="ways" onToggle={props.onMoreOpen}>
        <summary>{dropZone.more}</summary>
        <button type="button" class="button" onClick={props.onFolder}>
          {dropZone.folder}
        </button>
        <form
          class="by-address"
          onSubmit={(event) => {
            event.preventDefault()
            const urlField = event.currentTarget.elements.namedItem('address')
            if (!(urlField instanceof HTMLInputElement)) return
            props.onUrl?.(urlField.value)
            urlField.value = ''
          }}
        >
          <label for="address">{dropZone.url}</label>
          <span>
            <input
              id="address"
              name="address"
              type="url"
              required
              dir="ltr"
              placeholder="https://"
              pattern="https?://.+"
              autocomplete="off"
            />
            <button type="submit" class="button">
              {dropZone.add}
            </button>
          </span>
        </form>
        {props.children}
      </details>
    </section>
  )
}

/** The form for visitors without JavaScript, inside a noscript element. */
export function NoScriptForm({ to }: { readonly to?: string | undefined }) {
  return (
    <form class="plain" method="post" encType="multipart/form-data" action="/v1/convert?redirect=true">
      <p>{dropZone.noScript}</p>
      <label>
        {dropZone.noScriptFile} <input type="file" name="file" required />
      </label>
      <label>
        {dropZone.noScriptTarget}{' '}
        <input type="text" name="targetFormat" value={to} list="plain-formats" required autocomplete="off" />
      </label>
      <datalist id="plain-formats">
        {['pdf', 'docx', 'jpg', 'png', 'webp', 'mp4', 'mp3', 'gif', 'txt', 'epub'].map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <button type="submit" class="button primary">
        {dropZone.noScriptSend}
      </button>
    </form>
  )
}
