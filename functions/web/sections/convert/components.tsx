import type { ComponentChildren } from 'preact'
import { Problem } from '../../api.ts'
import { ProblemText } from '../../shell/problem-text.tsx'

/** An icon from the style sheet. It is hidden from screen readers, because the text next to it has the same meaning. */
export function Icon(props: {
  readonly name: 'check' | 'warning' | 'download' | 'close' | 'arrow' | 'search'
}) {
  return <span class={`icon icon-${props.name}`} aria-hidden="true" />
}

export function Notice({ text }: { readonly text: Problem | string | undefined }) {
  if (text === undefined) return null
  if (!(text instanceof Problem)) return <p class="notice">{text}</p>
  return (
    <div class="notice problem" role="alert" data-code={text.code}>
      <Icon name="warning" />
      <ProblemText problem={text} />
    </div>
  )
}

/** A visually hidden filename, which lets screen readers distinguish buttons with the same label. */
export const ForFile = (props: { readonly children: ComponentChildren }) => (
  <span class="visually-hidden">
    {' '}
    <bdi>{props.children}</bdi>
  </span>
)
