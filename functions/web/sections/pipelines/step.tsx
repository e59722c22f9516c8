import { useId } from 'preact/hooks'
import { OptionFields } from '../../options/fields.tsx'
import { withValue } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import { Field } from '../../ui/components.tsx'
import { listEngines } from '../../ui/engine-names.ts'
import { useQuery } from '../../ui/use-query.ts'
import { WarningText } from '../../ui/warning-text.tsx'
import { getToolName, listToolsFor } from '../convert/file-tools.ts'
import { type FormatCatalog, suggestTargets } from '../convert/format-catalog.ts'
import { listGeneralTools, type StepCheck } from './check-steps.ts'
import type { PipelineStep } from './pipeline.ts'
import { addStep, checks, isChecking, moveStep, removeStep, updateStep } from './state.ts'
import words from './words/en.ts'

const getStepTitle = ({ to, tool }: Pick<PipelineStep, 'to' | 'tool'>) =>
  tool === undefined ? words.convertTo((to ?? '').toUpperCase()) : getToolName(tool)

export function StepCard(props: {
  readonly step: PipelineStep
  readonly at: number
  readonly count: number
  readonly catalog: FormatCatalog
}) {
  const { step, at, count, catalog } = props
  const titleId = useId()
  const stepCheck = checks.value[at]
  const name = getStepTitle(step)
  const moveBy = (by: 1 | -1) => {
    moveStep(at, by)
    announce(words.movedTo(name, at + 1 + by))
  }
  return (
    <li class="pipeline-step" data-state={getStepState(stepCheck)} aria-labelledby={titleId}>
      <div class="pipeline-head">
        <h3 id={titleId}>{words.stepName(at + 1, name)}</h3>
        <div class="pipeline-moves">
          <button type="button" class="button small" disabled={at === 0} onClick={() => moveBy(-1)}>
            {words.up}
            <span class="visually-hidden"> {name}</span>
          </button>
          <button type="button" class="button small" disabled={at === count - 1} onClick={() => moveBy(1)}>
            {words.down}
            <span class="visually-hidden"> {name}</span>
          </button>
          <button
            type="button"
            class="button small"
            onClick={() => {
              removeStep(step.key)
              announce(words.removed(name))
            }}
          >
            {words.remove}
            <span class="visually-hidden"> {name}</span>
          </button>
        </div>
      </div>
      <StepStatus stepCheck={stepCheck} />
      {stepCheck?.from !== undefined && (
        <StepSelect
          label={words.action}
          from={stepCheck.from}
          catalog={catalog}
          chosen={step}
          onChoose={(choice) => updateStep(step.key, { to: undefined, tool: undefined, ...choice })}
        />
      )}
      {stepCheck && stepCheck.options.length > 0 && (
        <details class="options" open={Object.keys(stepCheck.errors).length > 0 || undefined}>
          <summary>{words.options}</summary>
          <OptionFields
            options={stepCheck.options}
            values={step.values}
            errors={stepCheck.errors}
            onChange={(option, value) =>
              updateStep(step.key, { values: withValue(step.values, option, value) })
            }
          />
        </details>
      )}
    </li>
  )
}

function getStepState(stepCheck: StepCheck | undefined): 'good' | 'bad' | 'open' {
  if (stepCheck?.result) return 'good'
  return stepCheck?.problem || Object.keys(stepCheck?.errors ?? {}).length > 0 ? 'bad' : 'open'
}

/** Shows the check result of a step while it is edited. */
function StepStatus({ stepCheck }: { readonly stepCheck: StepCheck | undefined }) {
  const { result, problem, errors = {} } = stepCheck ?? {}
  return (
    <div role="status">
      {!stepCheck && <p class="hint">{words.checking}</p>}
      {stepCheck && stepCheck.from === undefined && !isChecking.value && <p class="hint">{words.waits}</p>}
      {result && (
        <p class="hint">
          <span class="icon icon-check" aria-hidden="true" />{' '}
          {words.works(result.from.toUpperCase(), result.to.toUpperCase(), listEngines(result.engines))}
        </p>
      )}
      {result?.warnings.map((warning) => (
        <div key={warning.message} class="notice">
          <WarningText warning={warning} />
        </div>
      ))}
      {problem && Object.keys(errors).length === 0 && <p class="notice problem">{problem.message}</p>}
      {Object.keys(errors).length > 0 && <p class="hint">{words.wrongOption}</p>}
    </div>
  )
}

type StepChoice = Pick<PipelineStep, 'to' | 'tool'>

/** A select with all targets and tools. Its values look like `to:pdf` or `tool:rotate-pdf`. */
function StepSelect(props: {
  readonly label: string
  readonly from: string
  readonly catalog: FormatCatalog
  readonly chosen?: StepChoice
  readonly onChoose: (choice: StepChoice) => void
}) {
  const { from, catalog, chosen } = props
  const source = catalog.findById(from)
  const generalTools = useQuery(`tools of ${from}`, () => listGeneralTools(from))
  const targets = catalog.getTargets(source)
  const suggestedTargets = suggestTargets(source, targets)
  const otherTargets = targets.filter((target) => !suggestedTargets.includes(target))
  // Tools for several files or for selected pages cannot run unattended, so they are omitted.
  const fileTools = listToolsFor(source).filter(({ hasOwnPage }) => !hasOwnPage)
  const tools = [...fileTools, ...(generalTools.data ?? []).map((id) => ({ id, name: getToolName(id) }))]
  const value = chosen?.tool !== undefined ? `tool:${chosen.tool}` : chosen?.to ? `to:${chosen.to}` : ''
  const offeredValues = [...targets.map(({ id }) => `to:${id}`), ...tools.map(({ id }) => `tool:${id}`)]
  const renderFormats = (list: typeof targets) =>
    list.map(({ id, name }) => (
      <option key={id} value={`to:${id}`}>
        {`${id.toUpperCase()} – ${name}`}
      </option>
    ))
  return (
    <Field label={props.label}>
      {(ids) => (
        <select
          {...ids}
          value={value}
          onChange={({ currentTarget }) => {
            const [kind, id] = currentTarget.value.split(':')
            if (id) props.onChoose(kind === 'tool' ? { tool: id } : { to: id })
          }}
        >
          {value === '' && <option value="">{words.choose}</option>}
          {/* Keeps a choice that was made for another input format visible. */}
          {value !== '' && chosen && !offeredValues.includes(value) && (
            <option value={value}>{getStepTitle(chosen)}</option>
          )}
          <optgroup label={words.likely}>{renderFormats(suggestedTargets)}</optgroup>
          {tools.length > 0 && (
            <optgroup label={words.toolsGroup}>
              {tools.map(({ id, name }) => (
                <option key={id} value={`tool:${id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label={words.otherFormats}>{renderFormats(otherTargets)}</optgroup>
        </select>
      )}
    </Field>
  )
}

export const AddStep = ({ from, catalog }: { readonly from: string; readonly catalog: FormatCatalog }) => (
  <StepSelect
    label={words.add(from.toUpperCase())}
    from={from}
    catalog={catalog}
    onChoose={(choice) => {
      addStep(choice)
      announce(words.added(getStepTitle(choice)))
    }}
  />
)
