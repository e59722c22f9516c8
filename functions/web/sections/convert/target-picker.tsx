import { useSignal } from '@preact/signals'
import { useId, useRef } from 'preact/hooks'
import type { Format } from '../../api.ts'
import { Icon } from './components.tsx'
import { categoryNames } from './format-catalog.ts'
import words from './words/en.ts'

/** A tool listed among the formats. */
export interface ListedTool {
  readonly id: string
  readonly name: string
  /** Set if it opens on a separate page, with the file. */
  readonly hasOwnPage: boolean
}

type Row =
  | { readonly kind: 'format'; readonly format: Format }
  | { readonly kind: 'tool'; readonly tool: ListedTool }

/**
 * A filtered list of formats: the combobox pattern of the ARIA Authoring Practices Guide ("Editable Combobox With
 * List Autocomplete"), with options grouped by category. It also finds tools.
 */
export function TargetPicker(props: {
  readonly label: string
  readonly placeholder: string
  readonly targets: readonly Format[]
  readonly tools?: readonly ListedTool[]
  readonly onChoose: (format: Format) => void
  readonly onTool?: (tool: ListedTool) => void
}) {
  const id = useId()
  const typed = useSignal('')
  const isOpen = useSignal(false)
  const active = useSignal(-1)
  const input = useRef<HTMLInputElement>(null)
  const rows = isOpen.value ? rowsFor(props.targets, props.tools ?? [], typed.value) : []
  const isShown = isOpen.value && rows.length > 0
  const rowId = (at: number) => `${id}-${at}`

  const open = () => {
    isOpen.value = true
    const found = rowsFor(props.targets, props.tools ?? [], typed.value)
    active.value = typed.value.trim() && found.length > 0 ? 0 : -1
  }
  const close = () => {
    isOpen.value = false
    active.value = -1
  }
  const choose = (row: Row) => {
    typed.value = ''
    close()
    if (row.kind === 'format') props.onChoose(row.format)
    else props.onTool?.(row.tool)
  }
  const move = (to: number) => {
    if (!isOpen.value) open()
    const { length } = rowsFor(props.targets, props.tools ?? [], typed.value)
    if (length > 0) active.value = (to + length) % length
    requestAnimationFrame(() =>
      document.getElementById(rowId(active.value))?.scrollIntoView({ block: 'nearest' }),
    )
    return true
  }
  const keys: Readonly<Record<string, () => boolean>> = {
    ArrowDown: () => move(active.value + 1),
    ArrowUp: () => move(active.value < 0 ? -1 : active.value - 1),
    Home: () => isShown && move(0),
    End: () => isShown && move(-1),
    Enter: () => {
      const row = rows[active.value]
      if (row) choose(row)
      // Text that matches no format must not start a conversion to another one.
      return typed.value !== '' || row !== undefined
    },
    Escape: () => {
      const hadSomething = isShown || typed.value !== ''
      typed.value = ''
      close()
      return hadSomething
    },
  }
  const keepFocus = (event: Event) => event.preventDefault()
  let at = -1
  return (
    <div class="picker">
      <span id={`${id}-label`} class="visually-hidden">
        {props.label}
      </span>
      <Icon name="search" />
      <input
        ref={input}
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
        aria-activedescendant={isShown && active.value >= 0 ? rowId(active.value) : undefined}
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          open()
        }}
        onClick={open}
        onBlur={close}
        onKeyDown={(event) => {
          if (!event.isComposing && keys[event.key]?.()) event.preventDefault()
        }}
      />
      {/* Otherwise pressing on the list would blur the field, which closes the list before the click arrives. */}
      <div
        id={`${id}-list`}
        role="listbox"
        class="picker-list"
        aria-labelledby={`${id}-label`}
        hidden={!isShown}
        onPointerDown={keepFocus}
        onMouseDown={keepFocus}
      >
        {groupsOf(rows).map(([name, members], group) => (
          <div key={name} role="group" aria-labelledby={`${id}-group-${group}`}>
            <div id={`${id}-group-${group}`} class="picker-category" role="presentation">
              {name}
            </div>
            {members.map((row) => {
              at += 1
              return (
                <div
                  key={keyOf(row)}
                  id={rowId(at)}
                  role="option"
                  class="picker-option"
                  aria-selected={at === active.value}
                  onClick={() => choose(row)}
                >
                  {row.kind === 'format' ? (
                    <>
                      <span class="picker-id">{row.format.id.toUpperCase()}</span>{' '}
                      <span class="picker-name">{row.format.name}</span>
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
      <p class="picker-none" role="status">
        {isOpen.value && rows.length === 0 ? words.noSuchFormat(typed.value.trim()) : ''}
      </p>
    </div>
  )
}

const keyOf = (row: Row) => (row.kind === 'format' ? row.format.id : `tool ${row.tool.id}`)

/** Prefix matches come before other matches. */
function rowsFor(targets: readonly Format[], tools: readonly ListedTool[], typed: string): readonly Row[] {
  const needle = typed.trim().toLowerCase().replace(/^\./, '')
  const formats = matching(targets, needle).map((format): Row => ({ kind: 'format', format }))
  // Categories sorted by their best match, so that the first entry is the best overall.
  const sorted = [
    ...Map.groupBy(formats, (row) => (row.kind === 'format' ? row.format.category : '')).values(),
  ].flat()
  if (!needle) return sorted
  const found = tools
    .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(needle))
    .map((tool): Row => ({ kind: 'tool', tool }))
  return [...found, ...sorted]
}

function matching(targets: readonly Format[], needle: string): readonly Format[] {
  if (!needle) return targets
  const searchableNames = (format: Format) => [
    format.id,
    ...format.extensions,
    ...format.aliases,
    format.name.toLowerCase(),
  ]
  const rank = (format: Format) => {
    const formatNames = searchableNames(format)
    if (formatNames.includes(needle)) return 0
    if (formatNames.some((name) => name.startsWith(needle))) return 1
    return formatNames.some((name) => name.includes(needle)) ? 2 : 3
  }
  const ranked = targets.map((format) => ({ format, rank: rank(format) })).filter((row) => row.rank < 3)
  return ranked.sort((a, b) => a.rank - b.rank).map(({ format }) => format)
}

function groupsOf(rows: readonly Row[]): readonly (readonly [string, readonly Row[]])[] {
  const nameOf = (row: Row) => (row.kind === 'format' ? categoryNames[row.format.category] : words.tools)
  return [...Map.groupBy(rows, nameOf)]
}
