import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { Badge } from './badge.tsx'
import { Icon } from './components.tsx'
import { formatFileSize } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import { ItemForm } from './item-form.tsx'
import { newestItem } from './item-list.ts'
import { ItemProgress } from './item-progress.tsx'
import { ItemResult, LostItem } from './item-result.tsx'
import { removeItems } from './remove-items.ts'
import words from './words/en.ts'

/** The card of one file, from selection to download. */
export function Card({ item }: { readonly item: ConversionItem }) {
  const titleId = useId()
  const phase = item.phase.value
  const card = useRef<HTMLLIElement>(null)
  useLayoutEffect(() => {
    if (newestItem.current !== item) return
    newestItem.current = undefined
    card.current?.scrollIntoView({ block: 'nearest' })
    card.current
      ?.querySelector<HTMLElement>('.chip input:checked, [role="combobox"]')
      ?.focus({ preventScroll: true })
  }, [item])
  return (
    <li ref={card} class="card" data-phase={phase} data-key={item.key}>
      <article aria-labelledby={titleId}>
        <div class="card-head">
          <Badge item={item} />
          <div class="card-words">
            <h3 id={titleId} title={item.name}>
              <bdi>{item.name}</bdi>
            </h3>
            <p class="meta">
              {item.source?.name ?? words.unknownType}
              {item.folder !== undefined && (
                <>
                  {'\u00a0· '}
                  <bdi>{item.folder}</bdi>
                </>
              )}
              {item.size !== undefined && (
                <>
                  {'\u00a0· '}
                  <bdi>{formatFileSize(item.size)}</bdi>
                </>
              )}
            </p>
          </div>
          <button
            type="button"
            class="remove"
            aria-label={words.remove(item.name)}
            onClick={() => removeItems([item])}
          >
            <Icon name="close" />
          </button>
        </div>
        <ItemBody item={item} />
      </article>
    </li>
  )
}

/** The body of a card: the actions that the current phase allows. */
export function ItemBody({ item }: { readonly item: ConversionItem }) {
  const body = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  const phase = item.phase.value
  const renderedPhase = useRef(phase)
  if (renderedPhase.current !== phase)
    hadFocus.current = body.current?.contains(document.activeElement) ?? false
  useEffect(() => {
    if (renderedPhase.current === phase) return
    renderedPhase.current = phase
    // Moves the focus, so that keyboard users can continue with the next action.
    if (hadFocus.current) body.current?.querySelector<HTMLElement>('[data-primary]')?.focus()
  }, [phase])
  const job = item.job.value
  return (
    <div class="card-body" ref={body}>
      {phase === 'ready' && <ItemForm item={item} />}
      {(phase === 'sending' || phase === 'running') && <ItemProgress item={item} />}
      {phase === 'done' && job?.result && <ItemResult item={item} job={job} result={job.result} />}
      {phase === 'stranded' && <LostItem item={item} />}
    </div>
  )
}
