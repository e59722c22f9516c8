import { useEffect, useRef, useState } from 'preact/hooks'
import { cancelJob, type Option, type Problem, toProblem } from '../../api.ts'
import type { PageArrangement } from '../../grid/page-order.ts'
import type { PdfAccess } from '../../grid/use-pages.ts'
import { OptionFields } from '../../options/fields.tsx'
import {
  collectValues,
  findProblemOption,
  type Values,
  validateOptions,
  withValue,
} from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { toolFiles } from '../../shell/pending-files.ts'
import { ErrorNotice, Field, Page, QueryView } from '../../ui/components.tsx'
import { getGridUse } from './grid-uses.ts'
import names from './names/words/en.ts'
import { type RunState, runToolJob } from './run-tool.ts'
import { appendFiles, type ToolFile } from './tool-file.ts'
import { ToolFiles } from './tool-files.tsx'
import { findInputFault, listReplacedOptions, type ToolInput, toToolRequest } from './tool-request.ts'
import { RunProgress } from './tool-result.tsx'
import type { Tool } from './tools.ts'
import { useToolOptions } from './use-tool-options.ts'
import words from './words/en.ts'

const loadGrid = () => import('../../grid/grid.tsx')

/** The page of a tool: files, options and results. */
export function ToolPage({ tool }: { readonly tool: Tool }) {
  const [files, setFiles] = useState<readonly ToolFile[]>([])
  const [arrangement, setArrangement] = useState<PageArrangement>()
  const [access, setAccess] = useState<PdfAccess>({})
  const [values, setValues] = useState<Values>({})
  const { state, problem, start, cancel, forgetRun } = useToolRun()
  const changeFiles = (nextFiles: readonly ToolFile[]) => {
    // The page grid works with a single file only, so it is reset for another file or several.
    if (nextFiles.length !== 1 || nextFiles[0]?.key !== files[0]?.key) {
      setArrangement(undefined)
      setAccess({})
    }
    setFiles(nextFiles)
  }
  const addFiles = (moreFiles: readonly File[]) => {
    changeFiles(appendFiles(files, moreFiles))
    forgetRun()
  }
  useEffect(() => {
    if (toolFiles.value.length === 0) return
    addFiles(toolFiles.value)
    toolFiles.value = []
  }, [toolFiles.value])

  const { query, options, targets, to, setTarget, isPdf, ...details } = useToolOptions(tool, files)
  const gridUse = getGridUse(
    tool.id,
    options.map(({ name }) => name),
  )
  const [singlePdf] = files.length === 1 && isPdf && !tool.usesAllFiles ? files : []
  const toolInput: ToolInput = { tool, files, gridUse, arrangement, access, ...details }
  const [needsPassword, setNeedsPassword] = useState(false)
  useEffect(() => {
    if (problem && isLocked(problem)) setNeedsPassword(true)
  }, [problem])
  // Only locked PDFs need a password; for an archive, the option is the new password.
  const hidesPassword =
    !needsPassword && !['encrypt-pdf', 'decrypt-pdf', 'archive', 'extract'].includes(tool.id)
  const replacedOptions = listReplacedOptions(toolInput)
  const fields = options.filter(
    ({ name }) => !replacedOptions.includes(name) && !(hidesPassword && name === 'password'),
  )
  const inputFault = findInputFault(toolInput)
  const { form, errors, setErrors, wrongField } = useFieldErrors(problem, fields, values)
  return (
    <Page title={names[tool.id]} lead={words.descriptions[tool.id]}>
      <ToolFiles
        tool={tool}
        files={files}
        hasRanges={details.kind === 'pdf'}
        onTake={addFiles}
        onChange={changeFiles}
      />
      {singlePdf && gridUse && (
        <Lazy
          key={singlePdf.key}
          load={loadGrid}
          file={singlePdf.file}
          abilities={gridUse.abilities}
          isForSelecting={gridUse.isForSelecting}
          arrangement={arrangement}
          onChange={setArrangement}
          onOpen={setAccess}
        />
      )}
      <QueryView query={query}>
        {() => (
          <form
            ref={form}
            class="form"
            noValidate
            onSubmit={(event) => {
              event.preventDefault()
              const optionErrors = validateOptions(fields, values)
              setErrors(optionErrors)
              if (Object.keys(optionErrors).length === 0)
                void start(toToolRequest(toolInput, collectValues(fields, values)))
            }}
          >
            {targets.length > 0 && <TargetField targets={targets} to={to} onChange={setTarget} />}
            <OptionFields
              values={values}
              errors={errors}
              options={fields}
              file={files.length === 1 ? files[0]?.file : undefined}
              onChange={(option, value) => setValues(withValue(values, option, value))}
            />
            <SubmitButton
              tool={tool}
              fault={inputFault}
              isRunning={state !== undefined && state.state !== 'over'}
            />
          </form>
        )}
      </QueryView>
      {problem && (!wrongField || isLocked(problem)) && <ErrorNotice problem={problem} />}
      {state && <RunProgress state={state} onCancel={cancel} />}
      <p>
        <a href="/tools">{words.all}</a>
      </p>
    </Page>
  )
}

const isLocked = ({ code }: Problem) => code === 'PDF_ENCRYPTED' || code === 'FILE_ENCRYPTED'

/** The submit button, with the reason why it is disabled; there is no reason if there are too few files. */
const SubmitButton = (props: {
  readonly tool: Tool
  readonly fault: ReturnType<typeof findInputFault>
  readonly isRunning: boolean
}) => (
  <>
    {props.fault && props.fault !== 'few' && (
      <p class="notice" role="status">
        {words.errors[props.fault]}
      </p>
    )}
    <p>
      <button type="submit" class="button primary" disabled={props.fault !== undefined || props.isRunning}>
        {names[props.tool.id]}
      </button>
    </p>
  </>
)

/** Errors by option, found by the page or reported by the service. The field of the first error receives the focus. */
function useFieldErrors(problem: Problem | undefined, fields: readonly Option[], values: Values) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const form = useRef<HTMLFormElement>(null)
  const option = problem && findProblemOption(problem, fields)
  const wrongField = option?.name
  useEffect(() => {
    if (!option || !problem) return
    const show = (sentence: string) => setErrors({ [option.name]: sentence })
    if (isLocked(problem)) return show(problem.message)
    import('../../problems/describe-field-problem.ts').then(
      ({ describeFieldProblem }) => show(describeFieldProblem(problem.details, option, values[option.name])),
      () => show(problem.message),
    )
  }, [wrongField, problem])
  useEffect(() => focusFirstError(errors, form.current), [errors])
  return { form, errors, setErrors, wrongField }
}

/** A field inside a closed details element cannot show its error, so the element is opened. */
function focusFirstError(errors: Readonly<Record<string, string>>, form: HTMLFormElement | null): void {
  const [firstName] = Object.keys(errors)
  const field = firstName && form?.querySelector<HTMLElement>(`[data-option="${CSS.escape(firstName)}"]`)
  if (!field) return
  for (let at = field.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
    at.open = true
  field.focus()
}

/** Runs a tool, one run at a time, from the upload to the result. */
function useToolRun() {
  const [state, setState] = useState<RunState>()
  const [problem, setProblem] = useState<Problem>()
  const controller = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const forgetRun = () => {
    setState(undefined)
    setProblem(undefined)
  }
  const start = async (request: Parameters<typeof runToolJob>[0]) => {
    const abort = new AbortController()
    controller.current = abort
    forgetRun()
    try {
      await runToolJob(request, setState, abort.signal)
      announce(words.done)
    } catch (error) {
      setState(undefined)
      if (!abort.signal.aborted) setProblem(toProblem(error))
    }
  }
  const cancel = () => {
    controller.current?.abort()
    if (state?.state === 'working') void cancelJob(state.job.jobId).catch(() => {})
  }
  return { state, problem, start, cancel, forgetRun }
}

const TargetField = (props: {
  readonly targets: readonly string[]
  readonly to: string | undefined
  readonly onChange: (to: string) => void
}) => (
  <Field label={words.resultFormat}>
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
