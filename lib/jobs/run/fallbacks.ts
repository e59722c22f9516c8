import { isUnreadableError } from '../../conversion/unreadable-error.ts'
import type { Engine, Shortfall } from '../../engines/engine.ts'
import { EngineCrash } from '../../engines/sandbox/engine-crash.ts'
import { AppError } from '../../errors.ts'
import { toClientError } from '../failure.ts'
import type { InputPlan, JobError, PartialResult, TriedRoute, Warning } from '../job.ts'
import { findCapability } from './find-capability.ts'

/** What becomes of a piece whose way leads nowhere, or to too little: it takes another one, or what an earlier one made. */

/** The piece from its start by another way, or what is said when there is none; see `nextWay`. */
export type FindFallback = (
  tried: readonly [TriedRoute, ...TriedRoute[]],
) => InputPlan | { readonly error: JobError }

/** What a way made, or that there is another one to go. */
export type FallbackDecision = { readonly inputPlan: InputPlan } | { readonly result: PartialResult }

export interface RouteFailure {
  readonly error: unknown
  /** Index of the step that failed. */
  readonly step: number
  /** Percent of the piece when it failed. */
  readonly percent: number
  readonly isLastAttempt: boolean
}

/** @throws what failed; of several ways what says most of the file. */
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
  // After the first way anything is a reason to go on: what was said of the file there is said in the end.
  if (isUnreadableError(clientError) || error instanceof EngineCrash || tried) {
    const next = startFallback(inputPlan, { ...failure, clientError }, findFallback)
    if (!('error' in next)) return { inputPlan: next }
    const { code, message, details } = next.error
    if (!fallback) throw new AppError(code, message, details, { cause: error })
  }
  if (fallback) return { result: fallback }
  throw error
}

/** The way that kept the most is the result, if no other one is left. */
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
      result: fallback && isAsGood(fallback, { ...result, kept: share }) ? fallback : { ...result, kept: 1 },
    }
  }
  const { kept, warning } = shortfall
  const short: PartialResult = { ...result, kept, warnings: [...result.warnings, warning] }
  const best = fallback && isAsGood(fallback, short) ? fallback : short
  const clientError: JobError = { code: 'CONVERSION_FAILED', message: warning.message }
  const next = startFallback(
    inputPlan,
    { step: inputPlan.steps.length - 1, percent: 99, clientError },
    findFallback,
  )
  return 'error' in next ? { result: best } : { inputPlan: { ...next, fallback: best } }
}

/** By so much more what is left without its look is better: a word or two are not worth the layout of all others. */
const layoutBonus = 0.1

const isReduced = ({ warnings }: PartialResult) => warnings.some(({ code }) => code === 'CONTENT_REDUCED')

function isAsGood(earlier: PartialResult, later: PartialResult): boolean {
  const bonus = isReduced(later) && !isReduced(earlier) ? layoutBonus : 0
  return earlier.kept + bonus >= later.kept
}

function startFallback(
  inputPlan: InputPlan,
  { step, percent, clientError }: Pick<RouteFailure, 'step' | 'percent'> & { readonly clientError: JobError },
  findFallback: FindFallback,
): InputPlan | { readonly error: JobError } {
  // The password is taken away at the start of every way.
  const steps = inputPlan.steps
    .slice(0, step + 1)
    .filter(({ operation }) => operation !== 'unlock')
    .map(({ engine, from, to }) => ({ engine, from, to }))
  const last: TriedRoute = { steps, error: clientError }
  const [first, ...rest] = [...(inputPlan.tried ?? []), last]
  const next = findFallback([first ?? last, ...rest])
  if ('error' in next) return next
  const { fallback } = inputPlan
  return { ...next, reached: Math.floor(percent), ...(fallback && { fallback }) }
}

/**
 * What a way loses by design that those before it would have kept. That one engine reads what another one does not know
 * is nobody's business, but what one of them takes for damage may be missing.
 */
export function fallbackWarnings({ tried, steps }: InputPlan, engines: readonly Engine[]): Warning[] {
  const [first] = steps
  if (!tried || !first) return []
  const damagedFor = tried.find(({ error }) => error.code === 'CORRUPT_FILE')?.steps.at(-1)
  const drops = steps.map((step) => findCapability(step, engines).capability.drops)
  return [
    ...(damagedFor ? [damageWarning(damagedFor.engine, first.engine)] : []),
    ...drops.flatMap((message) => (message === undefined ? [] : [{ code: 'CONTENT_REDUCED', message }])),
  ]
}

const damageWarning = (refusing: string, reading: string): Warning => ({
  code: 'MAY_BE_DAMAGED',
  message: `${refusing} takes the file for damaged, ${reading} could read it: look whether anything is missing.`,
})

/** Ways that a piece has gone to their end. */
export const countTriedRoutes = ({ tried = [] }: InputPlan): number => tried.length
