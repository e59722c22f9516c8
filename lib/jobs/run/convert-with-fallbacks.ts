import { link, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { InputFile } from '../../engines/engine.ts'
import type { InputPlan } from '../../model/job.ts'
import { countTriedRoutes, decideAfterFailure, type FindFallback } from './fallbacks.ts'
import { runSteps, type StepsResult, type StepsRun } from './run-steps.ts'

/** The input plan that succeeded, and its result. */
export interface ConvertedWithFallbacks extends StepsResult {
  readonly inputPlan: InputPlan
}

/**
 * Runs the fallback routes of local files one after another, as workers do, but all steps run in this process, whatever
 * container image they belong to. Does not compare partial results.
 */
export async function convertWithFallbacks(
  initialPlan: InputPlan,
  run: Omit<StepsRun, 'steps' | 'firstIndex' | 'onStep' | 'image'>,
  findFallback: FindFallback,
): Promise<ConvertedWithFallbacks> {
  let inputPlan = initialPlan
  for (;;) {
    const routeIndex = countTriedRoutes(inputPlan)
    const { workDir, inputs } = routeIndex === 0 ? run : await linkInputs(run, `route-${routeIndex + 1}`)
    let step = 0
    const onStep = (index: number) => {
      step = index
    }
    try {
      const result = await runSteps({
        ...run,
        workDir,
        inputs,
        steps: inputPlan.steps,
        firstIndex: 0,
        onStep,
      })
      return { ...result, inputPlan }
    } catch (error) {
      run.signal.throwIfAborted()
      const decision = decideAfterFailure(
        inputPlan,
        { error, step, percent: 0, isLastAttempt: true },
        findFallback,
      )
      if ('result' in decision) throw error
      inputPlan = decision.inputPlan
    }
  }
}

/** Links the inputs into a new folder, because engines only see the files in their folder. */
async function linkInputs(
  run: { readonly workDir: string; readonly inputs: readonly InputFile[] },
  name: string,
) {
  const workDir = join(run.workDir, name)
  await mkdir(workDir)
  const inputs = run.inputs.map((input) => ({ ...input, path: join(workDir, basename(input.path)) }))
  for (const [index, { path }] of run.inputs.entries()) await link(path, inputs[index]?.path ?? path)
  return { workDir, inputs }
}
