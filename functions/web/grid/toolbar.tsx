import { useState } from 'preact/hooks'
import { Field } from '../ui/components.tsx'
import { type ActId, meant, needs } from './commands.ts'
import { type Arranged, cutEvery, pagesIn, partsOf, rangeOf, selectedPages, untouched } from './page-order.ts'
import type { SheetsProps } from './grid-props.ts'
import words from './words/en.ts'

interface Props extends SheetsProps {
  readonly focused: number
  readonly does: (id: ActId) => boolean
  readonly select: (pages: Iterable<number>) => void
  readonly selectAll: () => void
  readonly side: number
  readonly onSide: (side: number) => void
}

const order: readonly ActId[] = ['left', 'right', 'back', 'on', 'remove', 'cut']

export function Toolbar(props: Props) {
  const { arranged, can, onChange, select, focused, does, side, onSide } = props
  const { sheets } = arranged
  const acts = order.filter((id) => can.includes(needs[id]))
  const pages = meant(arranged, focused)
  const some = sheets.filter(({ page }) => pages.has(page))
  const labelOf = (id: ActId) => {
    if (id === 'remove' && some.every(({ isRemoved }) => isRemoved)) return words.restore
    if (id === 'cut' && some.every(({ isCut }) => isCut)) return words.uncut
    return words[id]
  }
  return (
    <div class="grid-tools">
      {props.isChoice && <Range arranged={arranged} select={select} />}
      <fieldset class="row" aria-label={words.actions}>
        <button type="button" class="button" onClick={props.selectAll}>
          {words.selectAll}
        </button>
        <button
          type="button"
          class="button"
          disabled={arranged.selected.size === 0}
          onClick={() => select([])}
        >
          {words.selectNone}
        </button>
        {acts.map((id) => (
          <button key={id} type="button" class="button" onClick={() => does(id)}>
            {labelOf(id)}
          </button>
        ))}
        {can.length > 0 && (
          <button type="button" class="button quiet" onClick={() => onChange(untouched(sheets.length))}>
            {words.reset}
          </button>
        )}
      </fieldset>
      {can.includes('cut') && <Cuts arranged={arranged} onChange={onChange} />}
      <label class="grid-size">
        {words.size}
        <input
          type="range"
          min={90}
          max={420}
          step={10}
          value={side}
          onInput={(event) => onSide(Number(event.currentTarget.value))}
        />
      </label>
    </div>
  )
}

/** The selection as text: of five hundred pages that is sooner typed than clicked. */
function Range({ arranged, select }: Pick<Props, 'arranged' | 'select'>) {
  const [typed, setTyped] = useState<string>()
  const { length } = arranged.sheets
  return (
    <Field label={words.range} hint={words.rangeHint}>
      {(ids) => (
        <input
          {...ids}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={typed ?? rangeOf(selectedPages(arranged))}
          aria-invalid={typed !== undefined && pagesIn(typed, length) === undefined ? 'true' : undefined}
          onInput={(event) => {
            const text = event.currentTarget.value
            setTyped(text)
            const pages = text.trim() === '' ? [] : pagesIn(text, length)
            if (pages) select(pages)
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  )
}

function Cuts({
  arranged,
  onChange,
}: {
  readonly arranged: Arranged
  readonly onChange: (next: Arranged) => void
}) {
  const [count, setCount] = useState(2)
  const { sheets } = arranged
  return (
    <div class="row">
      <label class="grid-cuts">
        {words.cutEvery}
        <input
          type="number"
          min={1}
          max={sheets.length}
          value={count}
          onInput={(event) => setCount(event.currentTarget.valueAsNumber)}
        />
      </label>
      <button
        type="button"
        class="button"
        disabled={!(count >= 1)}
        onClick={() => onChange({ ...arranged, sheets: cutEvery(sheets, Math.floor(count)) })}
      >
        {words.cutNow}
      </button>
      <span class="meta" role="status">
        {words.files(partsOf(arranged).length)}
      </span>
    </div>
  )
}
