import type { checkConversion } from '../../../routes/check-conversion.ts'
import { callApi, fetchToolTargets, type Option, type Problem, type ReplyData, toProblem } from '../../api.ts'
import { loadOptions } from '../../options/load-options.ts'
import { collectValues, findProblemOption, validateOptions } from '../../options/option-values.ts'
import type { PipelineStep } from './pipeline.ts'

/** Checks a pipeline step by step with the service; each step converts the result of the previous step. */

type CheckResult = ReplyData<typeof checkConversion>

export interface StepCheck {
  /** Input format of the step; undefined if an earlier step does not work. */
  readonly from?: string | undefined
  readonly options: readonly Option[]
  readonly errors: Readonly<Record<string, string>>
  readonly problem?: Problem | undefined
  readonly result?: CheckResult | undefined
}

const uncheckedStep: StepCheck = { options: [], errors: {} }

const pendingRequests = new Map<string, Promise<unknown>>()

/** Shares the reply among equal requests; a failed request can be repeated. */
function requestOnce<Answer>(key: string, send: () => Promise<Answer>): Promise<Answer> {
  const answer = (pendingRequests.get(key) as Promise<Answer> | undefined) ?? send() // each key has one reply type
  pendingRequests.set(key, answer)
  answer.catch(() => pendingRequests.delete(key))
  return answer
}

export async function checkSteps(
  from: string,
  steps: readonly PipelineStep[],
): Promise<readonly StepCheck[]> {
  const stepChecks: StepCheck[] = []
  let format: string | undefined = from || undefined
  for (const step of steps) {
    const stepCheck: StepCheck = format === undefined ? uncheckedStep : await checkStep(format, step)
    stepChecks.push(stepCheck)
    format = stepCheck.result?.to
  }
  return stepChecks
}

async function checkStep(from: string, step: PipelineStep): Promise<StepCheck> {
  let options: readonly Option[] = []
  try {
    const to = step.to ?? (await chooseToolTarget(from, step.tool ?? ''))
    options = await loadOptions(from, to, step.tool)
    const errors = validateOptions(options, step.values)
    if (Object.keys(errors).length > 0) return { from, options, errors }
    const body = {
      from,
      ...(step.tool === undefined ? { targetFormat: to } : { toolOperation: step.tool }),
      options: collectValues(options, step.values),
    }
    const result = await requestOnce(JSON.stringify(body), () =>
      callApi<CheckResult>('/v1/convert/check', { method: 'POST', body }),
    )
    return { from, options, errors: {}, result }
  } catch (error) {
    const problem = toProblem(error)
    const option = findProblemOption(problem, options)
    if (!option) return { from, options, errors: {}, problem }
    const texts = await import('../../problems/describe-field-problem.ts').catch(() => undefined)
    const sentence = texts?.describeFieldProblem(problem.details, option, step.values[option.name])
    return { from, options, errors: { [option.name]: sentence ?? problem.message }, problem }
  }
}

/** Returns the source format if the tool can write it, else the tool's first target. */
async function chooseToolTarget(from: string, tool: string): Promise<string> {
  const targets = await requestOnce(`${from} ${tool}`, () => fetchToolTargets(from, tool))
  return targets.includes(from) ? from : (targets[0] ?? from)
}

/** Tools that support several formats; the page offers them if they accept the step's input format. */
const generalTools = ['compress', 'thumbnail'] as const

export async function listGeneralTools(from: string): Promise<readonly string[]> {
  const supportedTools = await Promise.all(
    generalTools.map(async (tool) => {
      const targets = await requestOnce(`${from} ${tool}`, () => fetchToolTargets(from, tool)).catch(() => [])
      return targets.length > 0 ? [tool] : []
    }),
  )
  return supportedTools.flat()
}
