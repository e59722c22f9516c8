import { useEffect, useRef, useState } from 'preact/hooks'
import { cancelJob, type Problem, problemOf } from '../../api.ts'
import type { Arranged } from '../../grid/page-order.ts'
import type { Way } from '../../grid/use-pages.ts'
import { OptionFields } from '../../options/fields.tsx'
import { chosen, faultsIn, fieldOf, type Values, withValue } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import { Later } from '../../shell/lazy.tsx'
import { carried } from '../../shell/pending-files.ts'
import { Field, Page, Shown, Trouble } from '../../ui/components.tsx'
import { type Chosen, taken } from './tool-file.ts'
import { Files } from './tool-files.tsx'
import names from './names/words/en.ts'
import { type Choice, faultOf, instead, orderOf } from './tool-request.ts'
import { Progress } from './tool-result.tsx'
import { type Run, run } from './run-tool.ts'
import type { Tool } from './tools.ts'
import { useOptions } from './use-tool-options.ts'
import { useOf } from './grid-uses.ts'
import words from './words/en.ts'

const grid = () => import('../../grid/grid.tsx')

/** Files, what is to be done with them, and what came of it. */
export function OneTool({ tool }: { readonly tool: Tool }) {
  const [files, setFiles] = useState<readonly Chosen[]>([])
  const [arranged, setArranged] = useState<Arranged>()
  const [way, setWay] = useState<Way>({})
  const [values, setValues] = useState<Values>({})
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({})
  const form = useRef<HTMLFormElement>(null)
  const { state, problem, start, cancel, forget } = useRun()
  const change = (next: readonly Chosen[]) => {
    // Of one file alone the pages are shown.
    if (next.length !== 1 || next[0]?.key !== files[0]?.key) {
      setArranged(undefined)
      setWay({})
    }
    setFiles(next)
  }
  const take = (more: readonly File[]) => {
    change(taken(files, more))
    forget()
  }
  useEffect(() => {
    if (carried.value.length === 0) return
    take(carried.value)
    carried.value = []
  }, [carried.value])

  const { loaded, options, targets, to, setTarget, isPdf, ...known } = useOptions(tool, files)
  const use = useOf(
    tool.id,
    options.map(({ name }) => name),
  )
  const [only] = files.length === 1 && isPdf && !tool.isJoint ? files : []
  const choice: Choice = { tool, files, use, arranged, way, ...known }
  const hidden = instead(choice)
  const fields = options.filter((option) => !hidden.includes(option.name))
  const fault = faultOf(choice)
  const refused = problem && fieldOf(problem, fields)
  useEffect(() => {
    if (refused && problem) setWrong({ [refused]: problem.message })
  }, [refused, problem])
  useEffect(() => showFirst(wrong, form.current), [wrong])
  return (
    <Page title={names[tool.id]} lead={words.abouts[tool.id]}>
      <Files tool={tool} files={files} hasRanges={known.kind === 'pdf'} onTake={take} onChange={change} />
      {only && use && (
        <Later
          key={only.key}
          load={grid}
          file={only.file}
          can={use.can}
          isChoice={use.isChoice}
          arranged={arranged}
          onChange={setArranged}
          onOpen={setWay}
        />
      )}
      <Shown of={loaded}>
        {() => (
          <form
            ref={form}
            class="form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              const faults = faultsIn(fields, values)
              setWrong(faults)
              if (Object.keys(faults).length === 0) void start(orderOf(choice, chosen(fields, values)))
            }}
          >
            {targets.length > 0 && <TargetField targets={targets} to={to} onChange={setTarget} />}
            <OptionFields
              {...{ values, wrong }}
              options={fields}
              file={files.length === 1 ? files[0]?.file : undefined}
              onChange={(option, value) => setValues(withValue(values, option, value))}
            />
            {fault && fault !== 'few' && (
              <p class="notice" role="status">
                {words.faults[fault]}
              </p>
            )}
            <p>
              <button
                type="submit"
                class="button primary"
                disabled={fault !== undefined || (state !== undefined && state.state !== 'over')}
              >
                {names[tool.id]}
              </button>
            </p>
          </form>
        )}
      </Shown>
      {problem && !refused && <Trouble problem={problem} />}
      {state && <Progress state={state} onCancel={cancel} />}
      <p>
        <a href="/tools">{words.all}</a>
      </p>
    </Page>
  )
}

/** A field inside closed details cannot show what is wrong with it. */
function showFirst(wrong: Readonly<Record<string, string>>, form: HTMLFormElement | null): void {
  const [first] = Object.keys(wrong)
  const field = first && form?.querySelector<HTMLElement>(`[data-option="${CSS.escape(first)}"]`)
  if (!field) return
  for (let at = field.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
    at.open = true
  field.focus()
}

/** One order at a time, from the first byte to its end. */
function useRun() {
  const [state, setState] = useState<Run>()
  const [problem, setProblem] = useState<Problem>()
  const going = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => going.current?.abort(), [])
  const forget = () => {
    setState(undefined)
    setProblem(undefined)
  }
  const start = async (order: Parameters<typeof run>[0]) => {
    const abort = new AbortController()
    going.current = abort
    forget()
    try {
      await run(order, setState, abort.signal)
      announce(words.done)
    } catch (error) {
      setState(undefined)
      if (!abort.signal.aborted) setProblem(problemOf(error))
    }
  }
  const cancel = () => {
    going.current?.abort()
    if (state?.state === 'working') void cancelJob(state.job.jobId).catch(() => {})
  }
  return { state, problem, start, cancel, forget }
}

const TargetField = (props: {
  readonly targets: readonly string[]
  readonly to: string | undefined
  readonly onChange: (to: string) => void
}) => (
  <Field label={words.becomes}>
    {(ids) => (
      <select {...ids} value={props.to} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.targets.map((id) => (
          <option key={id} value={id}>
            {id.toUpperCase()}
          </option>
        ))}
      </select>
    )}
  </Field>
)
