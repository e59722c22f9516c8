import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Problem } from '../../api.ts'
import { ForFile, Icon } from './components.tsx'
import { cancelItem } from './convert-item.ts'
import { formatFileSize } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import { openedItem } from './item-list.ts'
import { describeProgress } from './item-progress.tsx'
import lazyWords from './lazy/words/en.ts'
import { deleteItem, removeItems } from './remove-items.ts'
import words from './words/en.ts'

/** Row height in pixels, as in the style sheet. */
const rowPx = 56
/** Number of rows rendered above and below the visible ones. */
const overscanRows = 6

/** A table for many files. It renders only the visible rows, so that 500 files cost no more than 20. */
export default function FileTable({ items }: { readonly items: readonly ConversionItem[] }) {
  const range = useSignal({ from: 0, to: 30 })
  const rowsElement = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const updateRange = () => {
      const top = rowsElement.current?.getBoundingClientRect().top ?? 0
      const from = Math.max(0, Math.floor(-top / rowPx) - overscanRows)
      const to = Math.ceil((window.innerHeight - top) / rowPx) + overscanRows
      if (from !== range.value.from || to !== range.value.to) range.value = { from, to }
    }
    updateRange()
    window.addEventListener('scroll', updateRange, { passive: true })
    window.addEventListener('resize', updateRange)
    return () => {
      window.removeEventListener('scroll', updateRange)
      window.removeEventListener('resize', updateRange)
    }
  }, [range])
  const { from, to } = range.value
  const firstRow = Math.min(from, Math.max(0, items.length - 1))
  return (
    <div class="table" role="table" aria-label={lazyWords.table} aria-rowcount={items.length + 1}>
      <div role="row" class="row head" aria-rowindex={1}>
        <span role="columnheader">{lazyWords.name}</span>
        <span role="columnheader">{lazyWords.size}</span>
        <span role="columnheader">{lazyWords.state}</span>
        <span role="columnheader">{lazyWords.actions}</span>
      </div>
      <div ref={rowsElement} role="rowgroup" class="rows" style={{ height: `${items.length * rowPx}px` }}>
        {items.slice(firstRow, to).map((item, at) => (
          <Row key={item.key} item={item} at={firstRow + at} />
        ))}
      </div>
    </div>
  )
}

function Row({ item, at }: { readonly item: ConversionItem; readonly at: number }) {
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
        <bdi>{item.size === undefined ? '' : formatFileSize(item.size)}</bdi>
      </span>
      <span role="cell" class="row-state">
        <ItemState item={item} />
      </span>
      <span role="cell" class="row-actions">
        {result && (
          <a class="button small" href={result.downloadUrl} download={result.filename}>
            <Icon name="download" />
            <span class="visually-hidden">{words.download}</span>
            <ForFile>{result.filename}</ForFile>
          </a>
        )}
        <button type="button" class="button small" onClick={() => (openedItem.value = item)}>
          {lazyWords.details}
          <ForFile>{item.name}</ForFile>
        </button>
        <button
          type="button"
          class="remove"
          aria-label={item.isActive.value ? `${words.cancel} ${item.name}` : words.remove(item.name)}
          onClick={() => {
            if (item.isActive.value) void cancelItem(item)
            else if (result) void deleteItem(item)
            else removeItems([item])
          }}
        >
          <Icon name="close" />
        </button>
      </span>
    </div>
  )
}

function ItemState({ item }: { readonly item: ConversionItem }) {
  const notice = item.notice.value
  const target = (item.target.value?.id ?? item.job.value?.target?.format ?? '').toUpperCase()
  if (item.isActive.value) {
    const progressText = describeProgress(item.progress.value)
    return (
      <>
        <progress max={100} value={item.percent.value} aria-label={words.conversionOf(item.name)} />
        <span class="hint">{progressText.stage}</span>
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
