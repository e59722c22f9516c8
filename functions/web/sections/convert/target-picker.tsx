import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Format } from '../../api.ts'
import { Icon } from './components.tsx'
import type { ListedTool } from './file-tools.ts'
import { categoryNames } from './format-catalog.ts'
import { findCommonOtherTargets, loadOtherTargets, synonyms } from './other-targets.ts'
import { type Row, searchTargets } from './target-search.ts'
import words from './words/en.ts'

interface Props {
  readonly label: string
  readonly placeholder: string
  /** Source formats of the files. */
  readonly sources: readonly string[]
  /** The usual targets, most popular first. */
  readonly targets: readonly Format[]
  readonly tools?: readonly ListedTool[]
  readonly onChoose: (format: Format) => void
  readonly onTool?: (tool: ListedTool) => void
}

/**
 * A filtered list of formats and tools. It follows the combobox pattern of the ARIA Authoring Practices Guide
 * ("Editable Combobox With List Autocomplete"), with options grouped by category.
 */
export function TargetPicker(props: Props) {
  const id = useId()
  const { typed, isOpen, rows, activeIndex, open, close, choose, type, pressKey } = useCombobox(id, props)
  const isShown = isOpen && rows.length > 0
  return (
    <div class="picker">
      <span id={`${id}-label`} class="visually-hidden">
        {props.label}
      </span>
      <Icon name="search" />
      <input
        type="text"
        role="combobox"
        class="picker-input"
        placeholder={props.placeholder}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-labelledby={`${id}-label`}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && activeIndex >= 0 ? getRowId(id, activeIndex) : undefined}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        onClick={open}
        onBlur={close}
        onKeyDown={(event) => {
          if (!event.isComposing && pressKey(event.key)) event.preventDefault()
        }}
      />
      <RowList id={id} rows={rows} activeIndex={activeIndex} isShown={isShown} onChoose={choose} />
      <p class="picker-none" role="status">
        {isOpen && rows.length === 0 ? words.noSuchFormat(typed.trim()) : ''}
      </p>
    </div>
  )
}

const getRowId = (id: string, index: number) => `${id}-${index}`

/** State of the text field and of the list that opens below it. */
function useCombobox(id: string, { sources, targets, tools = [], onChoose, onTool }: Props) {
  const typedText = useSignal('')
  const isOpen = useSignal(false)
  const activeRow = useSignal(-1)
  const findRows = () => {
    const { experimental, sourceFormat } = findCommonOtherTargets(sources)
    const searchableTargets = { targets, experimentalTargets: experimental, sameFormat: sourceFormat, tools }
    return searchTargets({ ...searchableTargets, synonyms: synonyms.value }, typedText.value)
  }
  const rows = isOpen.value ? findRows() : []
  const isShown = isOpen.value && rows.length > 0

  const openPicker = () => {
    isOpen.value = true
    loadOtherTargets(sources)
    // Selects the first row without checking that it exists, because more rows may still be loading.
    activeRow.value = typedText.value.trim() ? 0 : -1
  }
  const close = () => {
    isOpen.value = false
    activeRow.value = -1
  }
  const choose = (row: Row) => {
    typedText.value = ''
    close()
    if (row.kind === 'format') onChoose(row.format)
    else onTool?.(row.tool)
  }
  const move = (to: number) => {
    if (!isOpen.value) openPicker()
    const { length } = findRows()
    if (length > 0) activeRow.value = (to + length) % length
    requestAnimationFrame(() =>
      document.getElementById(getRowId(id, activeRow.value))?.scrollIntoView({ block: 'nearest' }),
    )
    return true
  }
  const keys: Readonly<Record<string, () => boolean>> = {
    ArrowDown: () => move(activeRow.value + 1),
    ArrowUp: () => move(activeRow.value < 0 ? -1 : activeRow.value - 1),
    Home: () => isShown && move(0),
    End: () => isShown && move(-1),
    Enter: () => {
      const row = rows[activeRow.value]
      if (row) choose(row)
      // A text that matches no format must not start a conversion to the previous target.
      return typedText.value !== '' || row !== undefined
    },
    Escape: () => {
      const hadContent = isShown || typedText.value !== ''
      typedText.value = ''
      close()
      return hadContent
    },
  }
  return {
    typed: typedText.value,
    isOpen: isOpen.value,
    rows,
    activeIndex: activeRow.value,
    open: openPicker,
    close,
    choose,
    type: (text: string) => {
      typedText.value = text
      openPicker()
    },
    /** Handles a key and returns whether it had an effect. */
    pressKey: (key: string) => keys[key]?.() ?? false,
  }
}

function RowList(props: {
  readonly id: string
  readonly rows: readonly Row[]
  readonly activeIndex: number
  readonly isShown: boolean
  readonly onChoose: (row: Row) => void
}) {
  const { id } = props
  // Without this, pressing the mouse button would blur the field, which closes the list before the click arrives.
  const keepFocus = (event: Event) => event.preventDefault()
  let index = -1
  return (
    <div
      id={`${id}-list`}
      role="listbox"
      class="picker-list"
      aria-labelledby={`${id}-label`}
      hidden={!props.isShown}
      onPointerDown={keepFocus}
      onMouseDown={keepFocus}
    >
      {groupRows(props.rows).map(([name, members], group) => (
        <div key={name} role="group" aria-labelledby={`${id}-group-${group}`}>
          <div id={`${id}-group-${group}`} class="picker-category" role="presentation">
            {name}
          </div>
          {members.map((row) => {
            index += 1
            return (
              <div
                key={getRowKey(row)}
                id={getRowId(id, index)}
                role="option"
                class="picker-option"
                aria-selected={index === props.activeIndex}
                onClick={() => props.onChoose(row)}
              >
                {row.kind === 'format' ? (
                  <>
                    <span class="picker-id">{row.format.id.toUpperCase()}</span>{' '}
                    <span class="picker-name">{row.format.name}</span>
                    {row.note && <span class="picker-note">{words.targetNotes[row.note]}</span>}
                  </>
                ) : (
                  <span class="picker-tool">{row.tool.name}</span>
                )}
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

const getRowKey = (row: Row) => (row.kind === 'format' ? row.format.id : `tool ${row.tool.id}`)

function groupRows(rows: readonly Row[]): readonly (readonly [string, readonly Row[]])[] {
  const getGroupName = (row: Row) =>
    row.kind === 'format' ? categoryNames[row.format.category] : words.tools
  return [...Map.groupBy(rows, getGroupName)]
}
