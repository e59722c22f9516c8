import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { listConversions } from '../../../routes/list-conversions.ts'
import { ask, type DataOf, type Job, listFormats, type Option, type Problem, problemOf } from '../../api.ts'
import { Block, Field, Page, Shown, Trouble } from '../../desk/parts.tsx'
import { saySize } from '../../desk/say.ts'
import { useLoaded } from '../../desk/use-loaded.ts'
import { said } from '../../options/said.ts'
import { announce } from '../../shell/announce.ts'
import { go, type Whereabouts } from '../../shell/router.ts'
import { useStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import { createCatalogue } from '../convert/catalogue.ts'
import { OptionFields, valuesOf } from './option-fields.tsx'
import { type Run, run } from './run.ts'
import rules from './tools.css'
import { groupIds, groups, type Tool, toolOf } from './tools.ts'
import words from './words/en.ts'

useStyles(rules)

type Conversions = DataOf<typeof listConversions>

/** `/tools` and `/tools/split-pdf`. */
export default function Tools({ at }: { readonly at: Whereabouts }) {
  const asked = at.params['tool']
  const tool = toolOf(asked)
  useEffect(() => {
    sectionTitle.value = tool ? words.tools[tool.id].name : undefined
  }, [tool])
  if (asked && !tool)
    return (
      <Page title={words.unknown(asked)}>
        <p>
          <a href="/tools">{words.all}</a>
        </p>
      </Page>
    )
  return tool ? <OneTool key={tool.id} tool={tool} /> : <All query={at.query.get('q') ?? ''} />
}

function All({ query }: { readonly query: string }) {
  const [text, setText] = useState(query)
  const needle = text.trim().toLowerCase()
  const search = (value: string) => {
    setText(value)
    go(value ? `/tools?${new URLSearchParams({ q: value })}` : '/tools', { replace: true })
  }
  const shown = groupIds.map((group) => ({
    group,
    some: groups[group].filter((id) =>
      [id, words.tools[id].name, words.tools[id].about].some((one) => one.toLowerCase().includes(needle)),
    ),
  }))
  return (
    <Page title={words.title} lead={words.lead}>
      <search>
        <Field label={words.search}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              autocomplete="off"
              value={text}
              onInput={(event) => search(event.currentTarget.value)}
            />
          )}
        </Field>
      </search>
      <p class="meta" role="status">
        {words.found(shown.reduce((sum, { some }) => sum + some.length, 0))}
      </p>
      {shown.map(
        ({ group, some }) =>
          some.length > 0 && (
            <Block key={group} title={words.groups[group]}>
              <ul class="tool-grid">
                {some.map((id) => (
                  <li key={id}>
                    <a href={`/tools/${id}`}>
                      <strong>{words.tools[id].name}</strong>
                      <span>{words.tools[id].about}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </Block>
          ),
      )}
    </Page>
  )
}

function OneTool({ tool }: { readonly tool: Tool }) {
  const { name, about } = words.tools[tool.id]
  const [files, setFiles] = useState<readonly File[]>([])
  const [state, setState] = useState<Run>()
  const [problem, setProblem] = useState<Problem>()
  const going = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => going.current?.abort(), [])
  const formats = useLoaded('formats', listFormats)
  const catalogue = useMemo(() => formats.data && createCatalogue(formats.data), [formats.data])
  const [first] = files
  const from = tool.takes ?? (first && catalogue?.ofFile(first)?.id)
  const options = useLoaded(`${tool.id} ${from}`, async () => {
    if (!from) return []
    const query = new URLSearchParams({ operation: tool.id, from })
    const { conversions } = await ask<Conversions>(`/v1/formats/conversions?${query}`)
    return (conversions[0]?.options ?? []).map(said)
  })
  const take = (more: Iterable<File>) => {
    setFiles([...files, ...more])
    setState(undefined)
    setProblem(undefined)
  }
  const start = async (given: FormData) => {
    const abort = new AbortController()
    going.current = abort
    setProblem(undefined)
    try {
      await run(tool, files, valuesOf(options.data ?? [], given), setState, abort.signal)
      announce(words.done)
    } catch (error) {
      setState(undefined)
      if (!abort.signal.aborted) setProblem(problemOf(error))
    }
  }
  const enough = tool.id === 'merge' ? files.length > 1 : files.length > 0
  return (
    <Page title={name} lead={about}>
      <Files tool={tool} files={files} onTake={take} onChange={setFiles} />
      <Shown of={options}>
        {(list) => (
          <OptionForm
            tool={tool}
            options={list}
            isReady={enough && !isBusy(state)}
            onStart={(given) => void start(given)}
          />
        )}
      </Shown>
      {problem && <Trouble problem={problem} />}
      {state && <Progress state={state} onCancel={() => going.current?.abort()} />}
      <p>
        <a href="/tools">{words.all}</a>
      </p>
    </Page>
  )
}

const isBusy = (state: Run | undefined) => state !== undefined && state.state !== 'over'

function OptionForm(props: {
  readonly tool: Tool
  readonly options: readonly Option[]
  readonly isReady: boolean
  readonly onStart: (given: FormData) => void
}) {
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        props.onStart(new FormData(event.currentTarget))
      }}
    >
      <OptionFields options={props.options} />
      <p>
        <button type="submit" class="button primary" disabled={!props.isReady}>
          {words.tools[props.tool.id].name}
        </button>
      </p>
    </form>
  )
}

function Files(props: {
  readonly tool: Tool
  readonly files: readonly File[]
  readonly onTake: (files: Iterable<File>) => void
  readonly onChange: (files: readonly File[]) => void
}) {
  const { tool, files, onTake, onChange } = props
  const move = (at: number, by: number) => {
    const next = [...files]
    const [moved] = next.splice(at, 1)
    if (moved) next.splice(at + by, 0, moved)
    onChange(next)
    announce(words.moved(moved?.name ?? '', at + by + 1, files.length))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way beside the field in it
    <div
      class="drop-zone"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        onTake(event.dataTransfer?.files ?? [])
      }}
    >
      <Field label={tool.id === 'merge' ? words.chooseSeveral : words.choose} hint={words.drop}>
        {(ids) => (
          <input
            {...ids}
            type="file"
            multiple
            accept={tool.takes === 'pdf' ? 'application/pdf,.pdf' : undefined}
            onChange={(event) => {
              onTake(event.currentTarget.files ?? [])
              event.currentTarget.value = ''
            }}
          />
        )}
      </Field>
      {files.length > 0 && (
        <ol class="tool-files">
          {files.map((file, at) => (
            <li key={`${at} ${file.name}`}>
              <bdi>{file.name}</bdi> <span class="meta">{saySize(file.size)}</span>
              <span class="row">
                {tool.isJoint && (
                  <>
                    <button
                      type="button"
                      class="button quiet"
                      disabled={at === 0}
                      aria-label={words.up(file.name)}
                      onClick={() => move(at, -1)}
                    >
                      ↑
                    </button>
                    <button
                      type="button"
                      class="button quiet"
                      disabled={at === files.length - 1}
                      aria-label={words.down(file.name)}
                      onClick={() => move(at, 1)}
                    >
                      ↓
                    </button>
                  </>
                )}
                <button
                  type="button"
                  class="button quiet"
                  aria-label={words.remove(file.name)}
                  onClick={() => onChange(files.filter((_, other) => other !== at))}
                >
                  ✕
                </button>
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function Progress({ state, onCancel }: { readonly state: Run; readonly onCancel: () => void }) {
  if (state.state === 'over') return <Outcome job={state.job} />
  const isUploading = state.state === 'uploading'
  const value = isUploading ? state.share : state.job.progress.percent / 100
  return (
    <div class="stack">
      <label class="tool-progress">
        {isUploading ? words.uploading : words.working}
        <progress max={1} value={value} />
      </label>
      <button type="button" class="button" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  )
}

function Outcome({ job }: { readonly job: Job }) {
  if (job.error || !job.result)
    return (
      <p class="notice problem" role="alert">
        {job.error?.message ?? words.nothing}
      </p>
    )
  return (
    <Block title={words.results}>
      {job.warnings.map(({ message }) => (
        <p key={message} class="notice">
          {message}
        </p>
      ))}
      <ul class="stack">
        {job.result.files.map(({ filename, size, downloadUrl }) => (
          <li key={downloadUrl}>
            <a class="button" href={downloadUrl} download>
              <bdi>{filename}</bdi>
            </a>{' '}
            <span class="meta">{saySize(size)}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={`/history/${job.jobId}`}>{words.details}</a>
      </p>
    </Block>
  )
}
