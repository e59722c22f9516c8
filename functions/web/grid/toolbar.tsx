import { useState } from 'preact/hooks'
import { Field } from '../ui/components.tsx'
import { type CommandId, getTargetPages, requiredAbility } from './commands.ts'
import type { SheetsProps } from './grid-props.ts'
import {
  createOriginalOrder,
  formatRange,
  listSelectedPages,
  type PageArrangement,
  parseRange,
  splitEvery,
  splitIntoParts,
} from './page-order.ts'
import words from './words/en.ts'

interface Props extends SheetsProps {
  readonly focused: number
  readonly perform: (id: CommandId) => boolean
  readonly select: (pages: Iterable<number>) => void
  readonly selectAll: () => void
  readonly thumbnailPx: number
  readonly onResize: (thumbnailPx: number) => void
}

const commandOrder: readonly CommandId[] = [
  'rotateLeft',
  'rotateRight',
  'moveBack',
  'moveForward',
  'remove',
  'split',
]

export function Toolbar(props: Props) {
  const {
    arrangement: pageArrangement,
    abilities,
    onChange,
    select,
    focused,
    perform,
    thumbnailPx,
    onResize,
  } = props
  const { sheets } = pageArrangement
  const commands = commandOrder.filter((id) => abilities.includes(requiredAbility[id]))
  const pages = getTargetPages(pageArrangement, focused)
  const targetSheets = sheets.filter(({ page }) => pages.has(page))
  const getLabel = (id: CommandId) => {
    if (id === 'remove' && targetSheets.every(({ isRemoved }) => isRemoved)) return words.restore
    if (id === 'split' && targetSheets.every(({ isSplitAfter }) => isSplitAfter)) return words.unsplit
    return words[id]
  }
  return (
    <div class="grid-tools">
      {props.isForSelecting && <RangeField arrangement={pageArrangement} select={select} />}
      <fieldset class="row" aria-label={words.actions}>
        <button type="button" class="button" onClick={props.selectAll}>
          {words.selectAll}
        </button>
        <button
          type="button"
          class="button"
          disabled={pageArrangement.selected.size === 0}
          onClick={() => select([])}
        >
          {words.selectNone}
        </button>
        {commands.map((id) => (
          <button key={id} type="button" class="button" onClick={() => perform(id)}>
            {getLabel(id)}
          </button>
        ))}
        {abilities.length > 0 && (
          <button
            type="button"
            class="button quiet"
            onClick={() => onChange(createOriginalOrder(sheets.length))}
          >
            {words.reset}
          </button>
        )}
      </fieldset>
      {abilities.includes('split') && <SplitEveryField arrangement={pageArrangement} onChange={onChange} />}
      <label class="grid-size">
        {words.size}
        <input
          type="range"
          min={90}
          max={420}
          step={10}
          value={thumbnailPx}
          onInput={(event) => onResize(Number(event.currentTarget.value))}
        />
      </label>
    </div>
  )
}

/** A text field for the selection: with hundreds of pages, typing is faster than clicking. */
function RangeField({ arrangement: pageArrangement, select }: Pick<Props, 'arrangement' | 'select'>) {
  const [typedText, setTypedText] = useState<string>()
  const { length } = pageArrangement.sheets
  return (
    <Field label={words.range} hint={words.rangeHint}>
      {(ids) => (
        <input
          {...ids}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={typedText ?? formatRange(listSelectedPages(pageArrangement))}
          aria-invalid={
            typedText !== undefined && parseRange(typedText, length) === undefined ? 'true' : undefined
          }
          onInput={(event) => {
            const text = event.currentTarget.value
            setTypedText(text)
            const pages = text.trim() === '' ? [] : parseRange(text, length)
            if (pages) select(pages)
          }}
          onBlur={() => setTypedText(undefined)}
        />
      )}
    </Field>
  )
}

function SplitEveryField({
  arrangement,
  onChange,
}: {
  readonly arrangement: PageArrangement
  readonly onChange: (nextArrangement: PageArrangement) => void
}) {
  const [count, setCount] = useState(2)
  const { sheets } = arrangement
  return (
    <div class="row">
      <label class="grid-cuts">
        {words.splitEvery}
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
        onClick={() => onChange({ ...arrangement, sheets: splitEvery(sheets, Math.floor(count)) })}
      >
        {words.splitNow}
      </button>
      <span class="meta" role="status">
        {words.files(splitIntoParts(arrangement).length)}
      </span>
    </div>
  )
}
