import { useId } from 'preact/hooks'
import { useStyles } from '../shell/styles.ts'
import { Field, Trouble } from '../ui/components.tsx'
import rules from './grid.css'
import { untouched } from './page-order.ts'
import type { GridProps } from './grid-props.ts'
import { Sheets } from './sheets.tsx'
import { type Opening, usePages } from './use-pages.ts'
import words from './words/en.ts'

useStyles(rules)

/** Each page is a node at least, and the page has at most 3,000 (decisions 18, Page). */
const mostPages = 2000

/** The pages of a PDF as pictures, to select, turn, order, remove and part them. */
export default function PageGrid(props: GridProps) {
  const title = useId()
  return (
    <section class="page-grid" aria-labelledby={title}>
      <h2 id={title}>{words.title}</h2>
      <Opened {...props} />
    </section>
  )
}

function Opened(props: GridProps) {
  const { file, arranged, onChange, onOpen } = props
  const opening = usePages(file, (pages, way) => {
    onChange(pages.count > mostPages ? undefined : untouched(pages.count))
    onOpen(way)
  })
  const { opened } = opening
  switch (opened.state) {
    case 'opening':
      return (
        <p class="meta" role="status">
          {words.opening}
        </p>
      )
    case 'locked':
      return <Locked isWrong={opened.isWrong} onTry={opening.tryPassword} />
    case 'not-here':
      return <NotHere why={opened.why} opening={opening} />
    case 'sending':
      return (
        <label class="tool-progress">
          {opened.share < 1 ? words.sending : words.drawing}
          <progress max={1} value={opened.share < 1 ? opened.share : undefined} />
        </label>
      )
    case 'failed':
      return <Trouble problem={opened.problem} onRetry={opening.askService} />
    case 'open':
      if (opened.pages.count > mostPages) return <p class="notice">{words.tooMany(mostPages)}</p>
      return arranged ? <Sheets {...props} arranged={arranged} pages={opened.pages} /> : null
  }
}

function Locked({
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
        const given = new FormData(event.currentTarget).get('password')
        if (typeof given === 'string' && given !== '') onTry(given)
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

const NotHere = (props: { readonly why: 'tooLarge' | 'unreadable'; readonly opening: Opening }) => (
  <div class="stack">
    <p class="notice" role="status">
      {words[props.why]} {words.byServiceHint}
    </p>
    <button type="button" class="button" onClick={props.opening.askService}>
      {words.byService}
    </button>
  </div>
)
