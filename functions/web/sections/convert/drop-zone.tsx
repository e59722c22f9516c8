import type { ComponentChildren } from 'preact'
import words from '../../words/en.ts'

const { wayIn } = words

/** Where files come in. Drawn on the server too, so without hooks; the script finds the buttons by their ids. */
export function WayIn(props: {
  readonly onFolder?: () => void
  readonly onAddress?: (address: string) => void
  readonly onWays?: () => void
  /** More ways, where there are some. */
  readonly children?: ComponentChildren
}) {
  return (
    <section class="add" aria-labelledby="title">
      <h1 id="title">{wayIn.title}</h1>
      <p class="lead">{wayIn.lead}</p>
      <div class="drop">
        <span class="drop-mark" aria-hidden="true" />
        <p class="drop-words">{wayIn.drop}</p>
        <button type="button" id="choose" class="button primary">
          {wayIn.choose}
        </button>
        <p class="hint">{wayIn.paste}</p>
      </div>
      <details class="ways" onToggle={props.onWays}>
        <summary>{wayIn.ways}</summary>
        <button type="button" class="button" onClick={props.onFolder}>
          {wayIn.folder}
        </button>
        <form
          class="by-address"
          onSubmit={(event) => {
            event.preventDefault()
            const field = event.currentTarget.elements.namedItem('address')
            if (!(field instanceof HTMLInputElement)) return
            props.onAddress?.(field.value)
            field.value = ''
          }}
        >
          <label for="address">{wayIn.address}</label>
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
              {wayIn.add}
            </button>
          </span>
        </form>
        {props.children}
      </details>
    </section>
  )
}

/** Without a script one file at a time, by the form itself. Of the document alone: with a script nobody sees it. */
export function PlainForm() {
  return (
    <form class="plain" method="post" encType="multipart/form-data" action="/v1/convert?redirect=true">
      <p>{wayIn.noScript}</p>
      <label>
        {wayIn.noScriptFile} <input type="file" name="file" required />
      </label>
      <label>
        {wayIn.noScriptTarget}{' '}
        <input type="text" name="targetFormat" list="plain-formats" required autocomplete="off" />
      </label>
      <datalist id="plain-formats">
        {['pdf', 'docx', 'jpg', 'png', 'webp', 'mp4', 'mp3', 'gif', 'txt', 'epub'].map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <button type="submit" class="button primary">
        {wayIn.noScriptSend}
      </button>
    </form>
  )
}
