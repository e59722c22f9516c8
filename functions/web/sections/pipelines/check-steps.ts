import type { checkConversion } from '../../../routes/check-conversion.ts'
import { ask, type DataOf, type Option, type Problem, problemOf, targetsOfTool } from '../../api.ts'
import { loadOptions } from '../../options/load-options.ts'
import { chosen, faultsIn, fieldOf } from '../../options/option-values.ts'
import type { Step } from './pipeline.ts'

/** Whether a pipeline would work, asked of the service step by step: what one makes is what the next one takes. */

export type Verdict = DataOf<typeof checkConversion>

export interface Checked {
  /** Undefined where a step before it does not work. */
  readonly from?: string | undefined
  readonly options: readonly Option[]
  readonly wrong: Readonly<Record<string, string>>
  readonly problem?: Problem | undefined
  readonly verdict?: Verdict | undefined
}

const unknown: Checked = { options: [], wrong: {} }

const asked = new Map<string, Promise<unknown>>()

/** The same question is asked once; one that was not answered may be asked again. */
function once<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> {
  const answer = (asked.get(key) as Promise<Answer> | undefined) ?? ask() // put there under this key
  asked.set(key, answer)
  answer.catch(() => asked.delete(key))
  return answer
}

export async function checkSteps(from: string, steps: readonly Step[]): Promise<readonly Checked[]> {
  const all: Checked[] = []
  let at: string | undefined = from || undefined
  for (const step of steps) {
    const checked: Checked = at === undefined ? unknown : await checkStep(at, step)
    all.push(checked)
    at = checked.verdict?.to
  }
  return all
}

async function checkStep(from: string, step: Step): Promise<Checked> {
  let options: readonly Option[] = []
  try {
    const to = step.to ?? (await targetOf(from, step.tool ?? ''))
    options = await loadOptions(from, to, step.tool)
    const wrong = faultsIn(options, step.values)
    if (Object.keys(wrong).length > 0) return { from, options, wrong }
    const body = {
      from,
      ...(step.tool === undefined ? { targetFormat: to } : { toolOperation: step.tool }),
      options: chosen(options, step.values),
    }
    const verdict = await once(JSON.stringify(body), () =>
      ask<Verdict>('/v1/convert/check', { method: 'POST', body }),
    )
    return { from, options, wrong: {}, verdict }
  } catch (error) {
    const problem = problemOf(error)
    const field = fieldOf(problem, options)
    return { from, options, wrong: field ? { [field]: problem.message } : {}, problem }
  }
}

/** A tool makes what it can: the same format where it does. */
async function targetOf(from: string, tool: string): Promise<string> {
  const targets = await once(`${from} ${tool}`, () => targetsOfTool(from, tool))
  return targets.includes(from) ? from : (targets[0] ?? from)
}

/** Tools that take files of more than one format; each is offered where it takes this one. */
const general = ['compress', 'thumbnail'] as const

export async function generalToolsFor(from: string): Promise<readonly string[]> {
  const found = await Promise.all(
    general.map(async (tool) => {
      const targets = await once(`${from} ${tool}`, () => targetsOfTool(from, tool)).catch(() => [])
      return targets.length > 0 ? [tool] : []
    }),
  )
  return found.flat()
}
