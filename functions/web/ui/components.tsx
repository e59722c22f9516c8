import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { explainError, type Problem, toProblem } from '../api.ts'
import type { ServiceError } from '../problems/describe-problem.ts'
import { announce } from '../shell/announce.ts'
import { ProblemText } from '../shell/problem-text.tsx'
import { adoptStyles } from '../shell/styles.ts'
import { CopyButton } from './copy-button.tsx'
import rules from './ui.css'
import type { Query } from './use-query.ts'
import words from './words/en.ts'

adoptStyles(rules)

/** Components shared by the sections. */

export function Page(props: {
  readonly title: string
  readonly lead?: string
  readonly children: ComponentChildren
}) {
  return (
    <div class="desk">
      <div>
        <h1>{props.title}</h1>
        {props.lead && <p class="lead">{props.lead}</p>}
      </div>
      {props.children}
    </div>
  )
}

/** A titled block of a page. It is not a landmark, because its heading is enough for navigation. */
export const Block = (props: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="block">
    <h2>{props.title}</h2>
    {props.children}
  </section>
)

/** Whether only the service's own message says what is wrong with the input. */
const isAboutInput = ({ code }: Problem) =>
  ['INVALID_INPUT', 'INVALID_REQUEST', 'CONFLICT', 'URL_NOT_ALLOWED'].includes(code)

const signInCodes = ['AUTHENTICATION_REQUIRED', 'INVALID_API_KEY']

export function ErrorNotice({
  problem,
  onRetry,
}: {
  readonly problem: Problem
  readonly onRetry?: () => unknown
}) {
  const isSignedOut = signInCodes.includes(problem.code)
  return (
    <div class="stack">
      <div class="notice problem" role="alert">
        {isSignedOut ? words.signInFirst : <ProblemText problem={problem} isOpen={isAboutInput(problem)} />}
      </div>
      {isSignedOut ? (
        <p>
          <a class="button primary" href="/account">
            {words.signIn}
          </a>
        </p>
      ) : (
        onRetry && (
          <button type="button" class="button" onClick={() => void onRetry()}>
            {words.retry}
          </button>
        )
      )}
    </div>
  )
}

/** Shows the error of a job, in the language of the page once its texts are loaded. */
export function ServiceErrorNotice({ error }: { readonly error: ServiceError }) {
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => void explainError(error).then(setProblem), [error])
  return problem ? <ErrorNotice problem={problem} /> : null
}

/** Shows the data of a query, or its progress or error. */
export function QueryView<Data>({
  query,
  children,
}: {
  readonly query: Query<Data>
  readonly children: (data: Data) => ComponentChildren
}) {
  if (query.problem) return <ErrorNotice problem={query.problem} onRetry={query.reload} />
  if (query.data === undefined)
    return (
      <p class="meta" role="status">
        {words.loading}
      </p>
    )
  return <>{children(query.data)}</>
}

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
}

/** A table that scrolls horizontally on narrow screens and is therefore focusable. */
export function Table<Row>({
  caption,
  columns,
  rows,
  getKey,
  emptyText,
}: {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly getKey: (row: Row) => string
  readonly emptyText: string
}) {
  if (rows.length === 0) return <p class="meta">{emptyText}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas need keyboard access
    <section class={columns.length > 3 ? 'wide stacks' : 'wide'} aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={getKey(row)}>
              {columns.map(({ name, cell, isNumber }, at) =>
                at === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} class={isNumber ? 'number' : undefined} data-column={name}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A button that runs an action, announces its success and shows its error. */
export function ActionButton({
  label,
  action,
  doneText,
  kind = '',
  confirmText,
}: {
  readonly label: string
  readonly action: () => Promise<unknown>
  /** Text announced to screen readers on success. */
  readonly doneText?: string
  readonly kind?: string
  /** If set, the user must confirm the action with this text first. */
  readonly confirmText?: string
}) {
  const [state, setState] = useState<'idle' | 'asking' | 'busy'>('idle')
  const [problem, setProblem] = useState<Problem>()
  const run = async () => {
    setState('busy')
    setProblem(undefined)
    try {
      await action()
      if (doneText) announce(doneText)
    } catch (error) {
      setProblem(toProblem(error))
    } finally {
      setState('idle')
    }
  }
  return (
    <div class="act">
      {state === 'asking' ? (
        <>
          <span>{confirmText}</span>
          <button type="button" class="button" onClick={() => void run()}>
            {label}
          </button>
          <button type="button" class="button quiet" onClick={() => setState('idle')}>
            {words.keep}
          </button>
        </>
      ) : (
        <button
          type="button"
          class={`button ${kind}`}
          disabled={state === 'busy'}
          onClick={() => (confirmText ? setState('asking') : void run())}
        >
          {label}
        </button>
      )}
      {problem && (
        <div class="notice problem" role="alert">
          <ProblemText problem={problem} isOpen={isAboutInput(problem)} />
        </div>
      )}
    </div>
  )
}

/** A form that shows errors next to its submit button. */
export function Form({
  submitLabel,
  action,
  children,
  isQuiet = false,
  clears = false,
}: {
  readonly submitLabel: string
  readonly action: (formData: FormData) => Promise<unknown>
  readonly children: ComponentChildren
  readonly isQuiet?: boolean
  /** Whether the fields are cleared on success, for another entry. */
  readonly clears?: boolean
}) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  const onSubmit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement // the element that has the listener
    setBusy(true)
    setProblem(undefined)
    try {
      await action(new FormData(form))
      if (clears) form.reset()
    } catch (error) {
      setProblem(toProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="form" onSubmit={(event) => void onSubmit(event)}>
      {children}
      {problem && (
        <div class="notice problem" role="alert">
          <ProblemText problem={problem} isOpen={isAboutInput(problem)} />
        </div>
      )}
      <p>
        <button type="submit" class={`button ${isQuiet ? '' : 'primary'}`} disabled={isBusy}>
          {submitLabel}
        </button>
      </p>
    </form>
  )
}

export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly children: (ids: { id: string; 'aria-describedby'?: string }) => ComponentChildren
}) {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(hint && { 'aria-describedby': hintId }) })}
      {hint && (
        <p id={hintId} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

/** A text with a copy button. */
export function Copyable({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="copyable">
      <section aria-label={label}>
        <pre class="terminal" dir="ltr">
          <code>{text}</code>
        </pre>
      </section>
      <CopyButton text={text} label={words.copy} copiedLabel={words.copied} />
    </div>
  )
}

export const StatusLabel = ({
  kind,
  children,
}: {
  readonly kind: 'good' | 'bad' | 'off'
  readonly children: string
}) => <span class={`state ${kind}`}>{children}</span>
