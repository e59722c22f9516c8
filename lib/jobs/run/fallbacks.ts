import type { Engine, Shortfall } from '../../engines/engine.ts'
import { EngineCrash } from '../../engines/sandbox/engine-crash.ts'
import { AppError } from '../../errors.ts'
import { type Unit, unitNames } from '../../model/fidelity.ts'
import type { InputPlan, JobError, PartialResult, TriedRoute, Warning } from '../../model/job.ts'
import { isUnreadableError } from '../../plan/unreadable-error.ts'
import { defined } from '../../validation/defined.ts'
import { toClientError } from '../failure.ts'
import { findCapability } from './find-capability.ts'

/** Decides what happens when a route fails or loses content: try a fallback route, or use an earlier partial result. */

/** Returns a plan of the input with another route; if there is none, the error to report. See `planFallback`. */
export type FindFallback = (
  triedRoutes: readonly [TriedRoute, ...TriedRoute[]],
) => InputPlan | { readonly error: JobError }

/** Either the final result of an input, or the plan of the next route. */
export type FallbackDecision = { readonly inputPlan: InputPlan } | { readonly result: PartialResult }

interface RouteFailure {
  readonly error: unknown
  /** Index of the step that failed. */
  readonly step: number
  /** Progress of the input in percent when the step failed. */
  readonly percent: number
  readonly isLastAttempt: boolean
}

/**
 * Decides what follows a failure.
 * @throws the failure; after several routes, the error that says most about the file.
 */
export function decideAfterFailure(
  inputPlan: InputPlan,
  failure: RouteFailure,
  findFallback: FindFallback,
): FallbackDecision {
  const { error, isLastAttempt } = failure
  const { fallback, tried } = inputPlan
  const isFinal = error instanceof AppError || isLastAttempt
  if (!isFinal) throw error
  const clientError = toClientError(error)
  // After a fallback, any error leads to another route. If all routes fail, `planFallback` chooses the error to report.
  if (isUnreadableError(clientError) || error instanceof EngineCrash || tried) {
    const nextPlan = startFallback(inputPlan, { ...failure, clientError }, findFallback)
    if (!('error' in nextPlan)) return { inputPlan: nextPlan }
    const { code, message, details } = nextPlan.error
    if (!fallback) throw new AppError(code, message, details, { cause: error })
  }
  if (fallback) return { result: fallback }
  throw error
}

/**
 * Decides what follows a success. If content was lost, another route is tried; if there is no other route, the result
 * is that of the route that kept the most content.
 */
export function decideAfterSuccess(
  inputPlan: InputPlan,
  result: Omit<PartialResult, 'kept'>,
  shortfall: Shortfall | undefined,
  findFallback: FindFallback,
): FallbackDecision {
  const { fallback } = inputPlan
  if (!shortfall) {
    const share = result.fidelity?.words?.share ?? 1
    return {
      result:
        fallback && isAtLeastAsGood(fallback, { ...result, kept: share }) ? fallback : { ...result, kept: 1 },
    }
  }
  const { kept, warning } = shortfall
  const partialResult: PartialResult = { ...result, kept, warnings: [...result.warnings, warning] }
  const bestResult = fallback && isAtLeastAsGood(fallback, partialResult) ? fallback : partialResult
  const clientError: JobError = { code: 'CONVERSION_FAILED', message: warning.message }
  const nextPlan = startFallback(
    inputPlan,
    { step: inputPlan.steps.length - 1, percent: 99, clientError },
    findFallback,
  )
  return 'error' in nextPlan ? { result: bestResult } : { inputPlan: { ...nextPlan, fallback: bestResult } }
}

/**
 * How much more content a result without layout must keep to be better, because a few words do not outweigh the layout.
 */
const keptLayoutBonus = 0.1

/** How much the measured shares of two equally good results may differ. */
const measurementErrors: Readonly<Partial<Record<Unit, number>>> = { order: 0.05, imageArea: 0.1 }

const isReduced = ({ warnings }: PartialResult) => warnings.some(({ code }) => code === 'CONTENT_REDUCED')

/**
 * Whether the earlier result is at least as good as the later result. The later result is only better if it keeps more
 * in total, and not less of any unit.
 */
function isAtLeastAsGood(earlierResult: PartialResult, laterResult: PartialResult): boolean {
  const bonus = isReduced(laterResult) && !isReduced(earlierResult) ? keptLayoutBonus : 0
  if (earlierResult.kept + bonus >= laterResult.kept) return true
  const [earlierFidelity, laterFidelity] = [earlierResult.fidelity, laterResult.fidelity]
  return unitNames.some((unit) => {
    const laterShare = laterFidelity?.[unit]?.share ?? 1
    return (earlierFidelity?.[unit]?.share ?? 0) > laterShare + (measurementErrors[unit] ?? 0)
  })
}

function startFallback(
  inputPlan: InputPlan,
  { step, percent, clientError }: Pick<RouteFailure, 'step' | 'percent'> & { readonly clientError: JobError },
  findFallback: FindFallback,
): InputPlan | { readonly error: JobError } {
  // `unlock`, the first step for encrypted documents, is the same on every route, so it does not identify a route.
  const steps = inputPlan.steps
    .slice(0, step + 1)
    .filter(({ operation }) => operation !== 'unlock')
    .map(({ engine, from, to }) => ({ engine, from, to }))
  const lastRoute: TriedRoute = { steps, error: clientError }
  const [firstRoute, ...otherRoutes] = [...(inputPlan.tried ?? []), lastRoute]
  const nextRoute = findFallback([firstRoute ?? lastRoute, ...otherRoutes])
  if ('error' in nextRoute) return nextRoute
  const { fallback } = inputPlan
  return { ...nextRoute, reached: Math.floor(percent), ...defined({ fallback }) }
}

/**
 * Warns about content that a fallback route drops by design, and about content that may be missing because one engine
 * considered the file damaged. Does not warn about a mere change of the engine.
 */
export function createFallbackWarnings({ tried, steps }: InputPlan, engines: readonly Engine[]): Warning[] {
  const [firstStep] = steps
  if (!tried || !firstStep) return []
  const refusingStep = tried.find(({ error }) => error.code === 'CORRUPT_FILE')?.steps.at(-1)
  const lossWarnings = steps.map((step) => findCapability(step, engines).capability.lossWarning)
  return [
    ...(refusingStep ? [createDamageWarning(refusingStep.engine, firstStep.engine)] : []),
    ...lossWarnings.flatMap((message) =>
      message === undefined ? [] : [{ code: 'CONTENT_REDUCED', message }],
    ),
  ]
}

const createDamageWarning = (refusingEngine: string, readingEngine: string): Warning => ({
  code: 'MAY_BE_DAMAGED',
  message: `${refusingEngine} considers the file damaged, but ${readingEngine} could read it. Check whether anything is missing.`,
})

/** Returns the number of routes that an input has tried before the current one. */
export const countTriedRoutes = ({ tried = [] }: InputPlan): number => tried.length
