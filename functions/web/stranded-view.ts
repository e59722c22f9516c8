import type { Problem } from './api.ts'
import { element } from './element.ts'
import { noticeOf } from './ready-view.ts'

/** A job of an earlier visit that has no result. The page no longer has the file, so the user brings it again. */
export function strandedView(props: {
  readonly target: string | undefined
  readonly notice: Problem | string
  readonly onAgain: () => void
  readonly onDelete: () => void
}): HTMLElement {
  const wanted = props.target
    ? element('p', { class: 'hint' }, `It was to become ${props.target.toUpperCase()}.`)
    : undefined
  return element(
    'div',
    { class: 'stranded' },
    noticeOf(props.notice),
    wanted,
    element(
      'div',
      { class: 'actions' },
      element(
        'button',
        { type: 'button', class: 'button', 'data-primary': true, onclick: props.onAgain },
        'Choose the file again',
      ),
      element('button', { type: 'button', class: 'button quiet', onclick: props.onDelete }, 'Delete'),
    ),
  )
}
