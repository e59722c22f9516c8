import { useId } from 'preact/hooks'
import { OptionFields } from '../../options/fields.tsx'
import { withValue } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import { Field } from '../../ui/components.tsx'
import { useLoaded } from '../../ui/use-query.ts'
import { type Catalogue, likelyTargets } from '../convert/format-catalog.ts'
import { nameOfTool, toolsFor } from '../convert/file-tools.ts'
import { type Checked, generalToolsFor } from './check-steps.ts'
import type { Step } from './pipeline.ts'
import { addStep, changeStep, checks, isChecking, moveStep, removeStep } from './state.ts'
import words from './words/en.ts'

const nameOf = ({ to, tool }: Pick<Step, 'to' | 'tool'>) =>
  tool === undefined ? words.convertTo((to ?? '').toUpperCase()) : nameOfTool(tool)

export function StepCard(props: {
  readonly step: Step
  readonly at: number
  readonly count: number
  readonly catalogue: Catalogue
}) {
  const { step, at, count, catalogue } = props
  const titleId = useId()
  const checked = checks.value[at]
  const name = nameOf(step)
  const move = (by: 1 | -1) => {
    moveStep(at, by)
    announce(words.movedTo(name, at + 1 + by))
  }
  return (
    <li class="pipeline-step" data-state={stateOf(checked)} aria-labelledby={titleId}>
      <div class="pipeline-head">
        <h3 id={titleId}>{words.stepName(at + 1, name)}</h3>
        <div class="pipeline-moves">
          <button type="button" class="button small" disabled={at === 0} onClick={() => move(-1)}>
            {words.up}
            <span class="visually-hidden"> {name}</span>
          </button>
          <button type="button" class="button small" disabled={at === count - 1} onClick={() => move(1)}>
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
      <Verdict checked={checked} />
      {checked?.from !== undefined && (
        <Choice
          label={words.does}
          from={checked.from}
          catalogue={catalogue}
          chosen={step}
          onChoose={(choice) => changeStep(step.key, { to: undefined, tool: undefined, ...choice })}
        />
      )}
      {checked && checked.options.length > 0 && (
        <details class="options" open={Object.keys(checked.wrong).length > 0 || undefined}>
          <summary>{words.options}</summary>
          <OptionFields
            options={checked.options}
            values={step.values}
            wrong={checked.wrong}
            onChange={(option, value) =>
              changeStep(step.key, { values: withValue(step.values, option, value) })
            }
          />
        </details>
      )}
    </li>
  )
}

function stateOf(checked: Checked | undefined): 'good' | 'bad' | 'open' {
  if (checked?.verdict) return 'good'
  return checked?.problem || Object.keys(checked?.wrong ?? {}).length > 0 ? 'bad' : 'open'
}

/** What the service says of the step, while it is being put together. */
function Verdict({ checked }: { readonly checked: Checked | undefined }) {
  const { verdict, problem, wrong = {} } = checked ?? {}
  return (
    <div role="status">
      {!checked && <p class="hint">{words.checking}</p>}
      {checked && checked.from === undefined && !isChecking.value && <p class="hint">{words.waits}</p>}
      {verdict && (
        <p class="hint">
          <span class="icon icon-check" aria-hidden="true" />{' '}
          {words.works(verdict.from.toUpperCase(), verdict.to.toUpperCase(), verdict.engines.join(', '))}
        </p>
      )}
      {verdict?.warnings.map(({ message }) => (
        <p key={message} class="notice">
          {message}
        </p>
      ))}
      {problem && Object.keys(wrong).length === 0 && <p class="notice problem">{problem.message}</p>}
      {Object.keys(wrong).length > 0 && <p class="hint">{words.wrongOption}</p>}
    </div>
  )
}

type ChoiceOf = Pick<Step, 'to' | 'tool'>

/** A select, as all that a format can become fits into one: a value is `to:pdf` or `tool:rotate-pdf`. */
function Choice(props: {
  readonly label: string
  readonly from: string
  readonly catalogue: Catalogue
  readonly chosen?: ChoiceOf
  readonly onChoose: (choice: ChoiceOf) => void
}) {
  const { from, catalogue, chosen } = props
  const source = catalogue.byId(from)
  const general = useLoaded(`tools of ${from}`, () => generalToolsFor(from))
  const targets = catalogue.targetsOf(source)
  const likely = likelyTargets(source, targets)
  const others = targets.filter((target) => !likely.includes(target))
  // Several files, or pages chosen by eye, are nothing that runs by itself.
  const own = toolsFor(source).filter(({ hasOwnPage }) => !hasOwnPage)
  const tools = [...own, ...(general.data ?? []).map((id) => ({ id, name: nameOfTool(id) }))]
  const value = chosen?.tool !== undefined ? `tool:${chosen.tool}` : chosen?.to ? `to:${chosen.to}` : ''
  const offered = [...targets.map(({ id }) => `to:${id}`), ...tools.map(({ id }) => `tool:${id}`)]
  const formats = (list: typeof targets) =>
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
          {/* What it was chosen for came from another step. */}
          {value !== '' && chosen && !offered.includes(value) && (
            <option value={value}>{nameOf(chosen)}</option>
          )}
          <optgroup label={words.likely}>{formats(likely)}</optgroup>
          {tools.length > 0 && (
            <optgroup label={words.toolsGroup}>
              {tools.map(({ id, name }) => (
                <option key={id} value={`tool:${id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label={words.otherFormats}>{formats(others)}</optgroup>
        </select>
      )}
    </Field>
  )
}

export const AddStep = ({ from, catalogue }: { readonly from: string; readonly catalogue: Catalogue }) => (
  <Choice
    label={words.add(from.toUpperCase())}
    from={from}
    catalogue={catalogue}
    onChoose={(choice) => {
      addStep(choice)
      announce(words.added(nameOf(choice)))
    }}
  />
)
