import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Problem } from '../../api.ts'
import type { Item } from './item.ts'
import said from './lazy/words/en.ts'
import { opened } from './item-list.ts'
import { Icon, Of } from './components.tsx'
import { saidOf } from './item-progress.tsx'
import { deleteNow, remove } from './remove-items.ts'
import { cancel } from './convert-item.ts'
import words from './words/en.ts'
import { sizeWords } from './format-text.ts'

/** Pixels of a row: the rules hold to it. */
const rowPx = 56
/** Rows drawn beyond what is in sight. */
const spare = 6

/** Many files: only the rows in sight are in the page, so that five hundred cost no more than twenty. */
export default function Table({ all }: { readonly all: readonly Item[] }) {
  const range = useSignal({ from: 0, to: 30 })
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const look = () => {
      const top = place.current?.getBoundingClientRect().top ?? 0
      const from = Math.max(0, Math.floor(-top / rowPx) - spare)
      const to = Math.ceil((window.innerHeight - top) / rowPx) + spare
      if (from !== range.value.from || to !== range.value.to) range.value = { from, to }
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      window.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [range])
  const { from, to } = range.value
  const first = Math.min(from, Math.max(0, all.length - 1))
  return (
    <div class="table" role="table" aria-label={said.table} aria-rowcount={all.length + 1}>
      <div role="row" class="row head" aria-rowindex={1}>
        <span role="columnheader">{said.name}</span>
        <span role="columnheader">{said.size}</span>
        <span role="columnheader">{said.state}</span>
        <span role="columnheader">{said.actions}</span>
      </div>
      <div ref={place} role="rowgroup" class="rows" style={{ height: `${all.length * rowPx}px` }}>
        {all.slice(first, to).map((item, at) => (
          <Row key={item.key} item={item} at={first + at} />
        ))}
      </div>
    </div>
  )
}

function Row({ item, at }: { readonly item: Item; readonly at: number }) {
  const result = item.phase.value === 'done' ? item.job.value?.result : undefined
  return (
    <div
      role="row"
      class="row"
      aria-rowindex={at + 2}
      style={{ top: `${at * rowPx}px` }}
      data-phase={item.phase.value}
    >
      <span
        role="cell"
        class="row-name"
        title={item.folder === undefined ? item.name : `${item.folder}/${item.name}`}
      >
        {item.folder !== undefined && (
          <span class="row-folder">
            <bdi>{item.folder}</bdi>/
          </span>
        )}
        <bdi>{item.name}</bdi>
      </span>
      <span role="cell" class="row-size">
        <bdi>{item.size === undefined ? '' : sizeWords(item.size)}</bdi>
      </span>
      <span role="cell" class="row-state">
        <State item={item} />
      </span>
      <span role="cell" class="row-actions">
        {result && (
          <a class="button small" href={result.downloadUrl} download={result.filename}>
            <Icon name="download" />
            <span class="visually-hidden">{words.download}</span>
            <Of>{result.filename}</Of>
          </a>
        )}
        <button type="button" class="button small" onClick={() => (opened.value = item)}>
          {said.details}
          <Of>{item.name}</Of>
        </button>
        <button
          type="button"
          class="remove"
          aria-label={item.isActive.value ? `${words.cancel} ${item.name}` : words.remove(item.name)}
          onClick={() => {
            if (item.isActive.value) void cancel(item)
            else if (result) void deleteNow(item)
            else remove([item])
          }}
        >
          <Icon name="close" />
        </button>
      </span>
    </div>
  )
}

function State({ item }: { readonly item: Item }) {
  const notice = item.notice.value
  const target = (item.target.value?.id ?? item.job.value?.target?.format ?? '').toUpperCase()
  if (item.isActive.value) {
    const said = saidOf(item.progress.value)
    return (
      <>
        <progress max={100} value={item.percent.value} aria-label={words.conversionOf(item.name)} />
        <span class="hint">{said.stage}</span>
      </>
    )
  }
  if (notice instanceof Problem) return <span class="row-wrong">{notice.message}</span>
  if (item.phase.value === 'done')
    return (
      <>
        <Icon name="check" /> <bdi>{item.job.value?.result?.filename}</bdi>
      </>
    )
  return (
    <>
      <Icon name="arrow" /> {target || words.chooseFirst}
    </>
  )
}
