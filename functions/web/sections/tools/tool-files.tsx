import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Thumbnail } from '../../grid/thumbnail.tsx'
import { announce } from '../../shell/announce.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { FileButton } from '../../ui/file-button.tsx'
import { formatSize } from '../../ui/format-values.ts'
import { isRange } from './targets.ts'
import type { ToolFile } from './tool-file.ts'
import type { Tool } from './tools.ts'
import words from './words/en.ts'

const rangeAbilities = ['move'] as const
const loadRangeChooser = () => import('../../grid/range-chooser.tsx')

interface Props {
  readonly tool: Tool
  readonly files: readonly ToolFile[]
  /** Whether a page range can be chosen for each file. */
  readonly hasRanges: boolean
  readonly onTake: (files: readonly File[]) => void
  readonly onChange: (files: readonly ToolFile[]) => void
}

const takesOneFile = ({ optionsOf }: Tool) => optionsOf !== undefined

function getToolLabel(tool: Tool): string {
  if (tool.id === 'merge') return words.chooseSeveral
  return takesOneFile(tool) ? words.chooseOne : words.choose
}

export function ToolFiles(props: Props) {
  const { tool, files, onTake } = props
  const hintId = useId()
  return (
    <div class="drop-zone">
      <div class="choose-files">
        <FileButton
          label={getToolLabel(tool)}
          isPrimary={files.length === 0}
          isMultiple={!takesOneFile(tool)}
          accept={tool.sourceFormat === 'pdf' ? 'application/pdf,.pdf' : undefined}
          describedBy={hintId}
          onChoose={onTake}
        />
        <span id={hintId} class="hint">
          {takesOneFile(tool) ? words.dropOne : words.drop}
        </span>
      </div>
      {files.length > 0 && <FileList {...props} />}
    </div>
  )
}

/** The files in merge order, which users change with buttons, Alt and arrow keys, or dragging. */
function FileList({ tool, files, hasRanges, onChange }: Props) {
  const list = useRef<HTMLOListElement>(null)
  const [dragged, setDragged] = useState<number>()
  const [overIndex, setOverIndex] = useState<number>()
  const refocus = useRef<{ key: number; action: string } | undefined>(undefined)
  const canMove = tool.usesAllFiles === true && files.length > 1
  const move = (from: number, to: number, action = '') => {
    const nextFiles = [...files]
    const [movedFile] = nextFiles.splice(from, 1)
    if (!movedFile || to < 0 || to >= files.length || from === to) return
    nextFiles.splice(to, 0, movedFile)
    refocus.current = { key: movedFile.key, action }
    onChange(nextFiles)
    announce(words.moved(movedFile.file.name, to + 1, files.length), 'file moved')
  }
  useEffect(() => {
    // The moved row has lost the focus, and the pressed button may be disabled at the end of the list.
    const { key, action } = refocus.current ?? {}
    refocus.current = undefined
    const row = list.current?.querySelector(`[data-key="${key}"]`)
    const button = row?.querySelector<HTMLButtonElement>(`[data-action="${action}"]:not(:disabled)`)
    ;(button ?? row?.querySelector<HTMLButtonElement>('[data-action]:not(:disabled)'))?.focus()
  }, [files])
  return (
    <ol class="tool-files" ref={list}>
      {files.map((toolFile, at) => (
        <li
          key={toolFile.key}
          data-key={toolFile.key}
          data-over={overIndex === at || undefined}
          onDragOver={(event) => {
            if (dragged === undefined) return
            event.preventDefault()
            setOverIndex(at)
          }}
          onDrop={(event) => {
            if (dragged === undefined) return
            event.preventDefault()
            move(dragged, at)
            setOverIndex(undefined)
          }}
          onKeyDown={(event) => {
            const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
            // In the page grid of a file, Alt and arrow keys move pages instead.
            if (!event.altKey || !step || !canMove || event.defaultPrevented) return
            event.preventDefault()
            move(at, at + step)
          }}
        >
          <Thumbnail blob={toolFile.file} type={toolFile.file.type} />
          {/* Only the name is draggable: a draggable row would prevent selecting text and dragging pages in it. */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same as dragging */}
          <span
            class="tool-file-name"
            draggable={canMove}
            onDragStart={(event) => {
              setDragged(at)
              event.dataTransfer?.setData('text/plain', toolFile.file.name)
            }}
            onDragEnd={() => {
              setDragged(undefined)
              setOverIndex(undefined)
            }}
          >
            <bdi>{toolFile.file.name}</bdi> <span class="meta">{formatSize(toolFile.file.size)}</span>
          </span>
          <RowButtons
            name={toolFile.file.name}
            isFirst={at === 0}
            isLast={at === files.length - 1}
            canMove={canMove}
            onMove={(step, action) => move(at, at + step, action)}
            onRemove={() => onChange(files.filter(({ key }) => key !== toolFile.key))}
          />
          {hasRanges && (
            <PageRange
              toolFile={toolFile}
              onChange={(pages) =>
                onChange(files.map((other) => (other.key === toolFile.key ? { ...other, pages } : other)))
              }
            />
          )}
        </li>
      ))}
    </ol>
  )
}

const RowButtons = (props: {
  readonly name: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly canMove: boolean
  readonly onMove: (step: -1 | 1, action: string) => void
  readonly onRemove: () => void
}) => (
  <span class="row">
    {props.canMove && (
      <>
        <SmallButton
          action="up"
          symbol="↑"
          label={words.up(props.name)}
          isDisabled={props.isFirst}
          onPress={() => props.onMove(-1, 'up')}
        />
        <SmallButton
          action="down"
          symbol="↓"
          label={words.down(props.name)}
          isDisabled={props.isLast}
          onPress={() => props.onMove(1, 'down')}
        />
      </>
    )}
    <SmallButton action="remove" symbol="✕" label={words.remove(props.name)} onPress={props.onRemove} />
  </span>
)

const SmallButton = (props: {
  readonly action: string
  readonly symbol: string
  readonly label: string
  readonly isDisabled?: boolean
  readonly onPress: () => void
}) => (
  <button
    type="button"
    class="button quiet"
    data-action={props.action}
    disabled={props.isDisabled}
    aria-label={props.label}
    onClick={props.onPress}
  >
    {props.symbol}
  </button>
)

/** A page range as text or by selecting thumbnails. */
function PageRange({
  toolFile,
  onChange,
}: {
  readonly toolFile: ToolFile
  readonly onChange: (pages: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const { name } = toolFile.file
  return (
    <div class="tool-range">
      <label>
        {words.pagesOf} <span class="visually-hidden">{name}</span>
        <input
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={words.allPages}
          value={toolFile.pages}
          aria-invalid={isRange(toolFile.pages) ? undefined : 'true'}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {words.pickPages}
        <span class="visually-hidden">
          {': '}
          <bdi>{name}</bdi>
        </span>
      </button>
      {isOpen && (
        <Lazy load={loadRangeChooser} file={toolFile.file} abilities={rangeAbilities} onChange={onChange} />
      )}
    </div>
  )
}
