import { useId } from 'preact/hooks'
import { adoptStyles } from '../shell/styles.ts'
import { ErrorNotice, Field } from '../ui/components.tsx'
import rules from './grid.css'
import type { GridProps } from './grid-props.ts'
import { createOriginalOrder } from './page-order.ts'
import { SheetGrid } from './sheets.tsx'
import { type PdfOpening, usePages } from './use-pages.ts'
import words from './words/en.ts'

adoptStyles(rules)

/** Each PDF page is at least one DOM node, and the web page should have at most 3,000. */
const maxPages = 2000

/** The pages of a PDF as thumbnails, to select, rotate, reorder, remove and split them. */
export default function PageGrid(props: GridProps) {
  const title = useId()
  return (
    <section class="page-grid" aria-labelledby={title}>
      <h2 id={title}>{words.title}</h2>
      <GridContent {...props} />
    </section>
  )
}

function GridContent(props: GridProps) {
  const { file, arrangement, onChange, onOpen } = props
  const opening = usePages(file, (pages, access) => {
    onChange(pages.count > maxPages ? undefined : createOriginalOrder(pages.count))
    onOpen(access)
  })
  const { state } = opening
  switch (state.state) {
    case 'opening':
      return (
        <p class="meta" role="status">
          {words.opening}
        </p>
      )
    case 'locked':
      return <PasswordForm isWrong={state.isWrong} onTry={opening.tryPassword} />
    case 'needs-server':
      return <ServerDrawingOffer reason={state.reason} opening={opening} />
    case 'sending':
      return (
        <label class="tool-progress">
          {state.share < 1 ? words.sending : words.drawing}
          <progress max={1} value={state.share < 1 ? state.share : undefined} />
        </label>
      )
    case 'failed':
      return <ErrorNotice problem={state.problem} onRetry={opening.drawOnServer} />
    case 'open':
      if (state.pages.count > maxPages) return <p class="notice">{words.tooMany(maxPages)}</p>
      return arrangement ? <SheetGrid {...props} arrangement={arrangement} pages={state.pages} /> : null
  }
}

function PasswordForm({
  isWrong,
  onTry,
}: {
  readonly isWrong: boolean
  readonly onTry: (password: string) => void
}) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        const password = new FormData(event.currentTarget).get('password')
        if (typeof password === 'string' && password !== '') onTry(password)
      }}
    >
      <p class={isWrong ? 'notice problem' : 'notice'} role={isWrong ? 'alert' : 'status'}>
        {isWrong ? words.wrongPassword : words.locked}
      </p>
      <Field label={words.password}>
        {(ids) => <input {...ids} name="password" type="password" autocomplete="off" />}
      </Field>
      <p>
        <button type="submit" class="button">
          {words.open}
        </button>
      </p>
    </form>
  )
}

const ServerDrawingOffer = (props: {
  readonly reason: 'tooLarge' | 'unreadable'
  readonly opening: PdfOpening
}) => (
  <div class="stack">
    <p class="notice" role="status">
      {words[props.reason]} {words.drawOnServerHint}
    </p>
    <button type="button" class="button" onClick={props.opening.drawOnServer}>
      {words.drawOnServer}
    </button>
  </div>
)
