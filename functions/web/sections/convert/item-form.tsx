import { useEffect, useId, useRef } from 'preact/hooks'
import type { Format } from '../../api.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { keyShortcut } from '../../shell/shortcuts.ts'
import { setTarget, setTool } from './choose-target.ts'
import { Notice } from './components.tsx'
import { attachFile, convertItem } from './convert-item.ts'
import { chooseFile } from './file-input.ts'
import { getToolName, type ListedTool, listToolsFor } from './file-tools.ts'
import { sortByPopularity, suggestTargets } from './format-catalog.ts'
import { formatFileSize } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import { openToolWith } from './open-tool.ts'
import { saveItemDraft } from './persist-drafts.ts'
import { TargetPicker } from './target-picker.tsx'
import { isOpaque } from './transparency.ts'
import words from './words/en.ts'

const loadOptionFields = () => import('./item-options.tsx')

/** The form of a file that waits for its conversion. */
export function ItemForm({ item }: { readonly item: ConversionItem }) {
  const group = useId()
  const form = useRef<HTMLFormElement>(null)
  const { targets, source } = item
  const target = item.target.value
  const tool = item.tool.value
  const tools = listToolsFor(source)
  const errors = item.fieldErrors.value
  useEffect(() => {
    const [firstName] = Object.keys(errors)
    // A field inside a closed details element cannot show its error, so the element is opened.
    const field =
      firstName && form.current?.querySelector<HTMLElement>(`[data-option="${CSS.escape(firstName)}"]`)
    if (!field) return
    for (let at = field.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
      at.open = true
    field.focus()
  }, [errors])
  if (targets.length === 0)
    return <p class="notice">{words.outputOnly(source?.name ?? words.thisFileType)}</p>
  if (!item.hasBytes.value) return <MissingFile item={item} />
  const suggestedTargets = suggestTargets(source, targets)
  const chips =
    target && !suggestedTargets.includes(target) && !tool ? [...suggestedTargets, target] : suggestedTargets
  const focusSubmit = () => form.current?.querySelector<HTMLElement>('[type="submit"]')?.focus()
  return (
    <form
      ref={form}
      class="ready"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void convertItem(item)
      }}
    >
      <div class="notices">
        <Notice text={item.notice.value} />
      </div>
      {item.password.value !== undefined && <PasswordField item={item} />}
      <fieldset>
        <legend>{words.convertTo}</legend>
        <div class="chips">
          {chips.map((format) => (
            <Chip
              key={format.id}
              group={group}
              format={format}
              isChosen={format === target && !tool}
              item={item}
            />
          ))}
          {tool && <ToolChip group={group} tool={tools.find(({ id }) => id === tool)} />}
        </div>
        <TargetPicker
          label={words.allFormats}
          placeholder={words.search(targets.length)}
          sources={source ? [source.id] : []}
          targets={sortByPopularity(source, targets)}
          tools={tools}
          onChoose={(format) => {
            setTarget(item, format)
            focusSubmit()
          }}
          onTool={({ id, hasOwnPage }) => {
            if (hasOwnPage) return openToolWith(id, item)
            void setTool(item, id)
            focusSubmit()
          }}
        />
      </fieldset>
      {item.hasAlpha.value && target && !tool && (
        <p class="hint">
          {isOpaque(target.id) ? words.losesTransparency(target.id.toUpperCase()) : words.keepsTransparency}
        </p>
      )}
      {/* Keeps the button below in place while the options are loading. */}
      {item.options.value === undefined && <p class="options-space" />}
      <Lazy load={loadOptionFields} item={item} />
      {source?.id === 'pdf' && item.file.value && (
        <p>
          <button type="button" class="link" onClick={() => openToolWith(undefined, item)}>
            {words.moreTools}
          </button>
        </p>
      )}
      <div class="actions">
        <button type="submit" class="button primary" data-primary {...keyShortcut('c')}>
          {tool ? getToolName(tool) : target ? words.convertToFormat(target.id.toUpperCase()) : words.convert}
        </button>
      </div>
    </form>
  )
}

/** Shown once the service has found that the file is locked; entering the password continues the conversion. */
function PasswordField({ item }: { readonly item: ConversionItem }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <div class="field">
      <label for={id}>{words.password}</label>
      <input
        ref={input}
        id={id}
        type="password"
        autocomplete="off"
        value={item.password.value}
        onInput={(event) => {
          item.password.value = event.currentTarget.value
        }}
      />
    </div>
  )
}

function Chip(props: {
  readonly group: string
  readonly format: Format
  readonly isChosen: boolean
  readonly item: ConversionItem
}) {
  return (
    <label class="chip" title={props.format.name}>
      <input
        type="radio"
        name={props.group}
        value={props.format.id}
        checked={props.isChosen}
        onChange={() => setTarget(props.item, props.format)}
      />
      <span>{props.format.id.toUpperCase()}</span>
    </label>
  )
}

const ToolChip = (props: { readonly group: string; readonly tool: ListedTool | undefined }) => (
  <label class="chip">
    <input type="radio" name={props.group} value={props.tool?.id} checked />
    <span>{props.tool?.name}</span>
  </label>
)

/** Shown for the draft of a large file: only its name is stored, so the user must choose the file again. */
function MissingFile({ item }: { readonly item: ConversionItem }) {
  const uploadedBytes = item.uploadedBytes.value
  return (
    <div class="stranded">
      <Notice text={item.notice.value} />
      <p>
        {uploadedBytes === undefined
          ? words.chooseAgain
          : words.uploadPaused(formatFileSize(uploadedBytes), formatFileSize(item.size ?? 0))}
      </p>
      <div class="actions">
        <button
          type="button"
          class="button"
          data-primary
          onClick={async () => {
            const file = await chooseFile()
            if (file) attachFile(item, file)
            void saveItemDraft(item)
          }}
        >
          {words.chooseAgain}
        </button>
      </div>
    </div>
  )
}
