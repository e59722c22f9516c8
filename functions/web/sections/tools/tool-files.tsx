import { useEffect, useRef, useState } from 'preact/hooks'
import { Thumb } from '../../grid/thumbnail.tsx'
import { announce } from '../../shell/announce.ts'
import { Later } from '../../shell/lazy.tsx'
import { Field } from '../../ui/components.tsx'
import { saySize } from '../../ui/format-values.ts'
import type { Chosen } from './tool-file.ts'
import { isRange } from './targets.ts'
import type { Tool } from './tools.ts'
import words from './words/en.ts'

const canMove = ['move'] as const
const chooser = () => import('../../grid/range-chooser.tsx')

interface Props {
  readonly tool: Tool
  readonly files: readonly Chosen[]
  /** Of each file some pages can be taken. */
  readonly hasRanges: boolean
  readonly onTake: (files: readonly File[]) => void
  readonly onChange: (files: readonly Chosen[]) => void
}

export function Files(props: Props) {
  const { tool, files, onTake } = props
  return (
    <div class="drop-zone">
      <Field label={tool.id === 'merge' ? words.chooseSeveral : words.choose} hint={words.drop}>
        {(ids) => (
          <input
            {...ids}
            type="file"
            multiple={tool.optionsOf === undefined}
            accept={tool.takes === 'pdf' ? 'application/pdf,.pdf' : undefined}
            onChange={(event) => {
              onTake([...(event.currentTarget.files ?? [])])
              event.currentTarget.value = ''
            }}
          />
        )}
      </Field>
      {files.length > 0 && <List {...props} />}
    </div>
  )
}

/** In the order in which they are joined: by buttons, by Alt with the arrow keys, and by dragging. */
function List({ tool, files, hasRanges, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState<number>()
  const [over, setOver] = useState<number>()
  const refocus = useRef<{ key: number; action: string } | undefined>(undefined)
  const canMove = tool.isJoint === true && files.length > 1
  const move = (from: number, to: number, action = '') => {
    const next = [...files]
    const [moved] = next.splice(from, 1)
    if (!moved || to < 0 || to >= files.length || from === to) return
    next.splice(to, 0, moved)
    refocus.current = { key: moved.key, action }
    onChange(next)
    announce(words.moved(moved.file.name, to + 1, files.length), 'file moved')
  }
  useEffect(() => {
    // The node that moved has lost the focus; a button that is at the end now can do no more.
    const { key, action } = refocus.current ?? {}
    refocus.current = undefined
    const row = list.current?.querySelector(`[data-key="${key}"]`)
    const wanted = row?.querySelector<HTMLButtonElement>(`[data-action="${action}"]:not(:disabled)`)
    ;(wanted ?? row?.querySelector<HTMLButtonElement>('[data-action]:not(:disabled)'))?.focus()
  }, [files])
  return (
    <ol class="tool-files" ref={list}>
      {files.map((chosen, at) => (
        <li
          key={chosen.key}
          data-key={chosen.key}
          data-over={over === at || undefined}
          onDragOver={(event) => {
            if (dragged === undefined) return
            event.preventDefault()
            setOver(at)
          }}
          onDrop={(event) => {
            if (dragged === undefined) return
            event.preventDefault()
            move(dragged, at)
            setOver(undefined)
          }}
          onKeyDown={(event) => {
            const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
            // In the pages of a file the same keys move pages.
            if (!event.altKey || !step || !canMove || event.defaultPrevented) return
            event.preventDefault()
            move(at, at + step)
          }}
        >
          <Thumb blob={chosen.file} type={chosen.file.type} />
          {/* Not the whole row: a text in it could not be selected, and the pages of a file are dragged, too. */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: dragging is a second way beside the buttons */}
          <span
            class="tool-file-name"
            draggable={canMove}
            onDragStart={(event) => {
              setDragged(at)
              event.dataTransfer?.setData('text/plain', chosen.file.name)
            }}
            onDragEnd={() => {
              setDragged(undefined)
              setOver(undefined)
            }}
          >
            <bdi>{chosen.file.name}</bdi> <span class="meta">{saySize(chosen.file.size)}</span>
          </span>
          <span class="row">
            {canMove && (
              <>
                <Small
                  action="up"
                  sign="↑"
                  label={words.up(chosen.file.name)}
                  isOff={at === 0}
                  does={() => move(at, at - 1, 'up')}
                />
                <Small
                  action="down"
                  sign="↓"
                  label={words.down(chosen.file.name)}
                  isOff={at === files.length - 1}
                  does={() => move(at, at + 1, 'down')}
                />
              </>
            )}
            <Small
              action="remove"
              sign="✕"
              label={words.remove(chosen.file.name)}
              does={() => onChange(files.filter(({ key }) => key !== chosen.key))}
            />
          </span>
          {hasRanges && (
            <Range
              chosen={chosen}
              onChange={(pages) =>
                onChange(files.map((one) => (one.key === chosen.key ? { ...one, pages } : one)))
              }
            />
          )}
        </li>
      ))}
    </ol>
  )
}

const Small = (props: {
  readonly action: string
  readonly sign: string
  readonly label: string
  readonly isOff?: boolean
  readonly does: () => void
}) => (
  <button
    type="button"
    class="button quiet"
    data-action={props.action}
    disabled={props.isOff}
    aria-label={props.label}
    onClick={props.does}
  >
    {props.sign}
  </button>
)

/** As text, or by pictures of the pages. */
function Range({
  chosen,
  onChange,
}: {
  readonly chosen: Chosen
  readonly onChange: (pages: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const { name } = chosen.file
  return (
    <div class="tool-range">
      <label>
        {words.pagesOf} <span class="visually-hidden">{name}</span>
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={words.allPages}
          value={chosen.pages}
          aria-invalid={isRange(chosen.pages) ? undefined : 'true'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.asPictures}
        <span class="visually-hidden">
          {': '}
          <bdi>{name}</bdi>
        </span>
      </button>
      {isOpen && <Later load={chooser} file={chosen.file} can={canMove} onChange={onChange} />}
    </div>
  )
}
