import { isUnread } from '../../conversion/unreadable-error.ts'
import type { Engine, Shortfall } from '../../engines/engine.ts'
import { EngineCrash } from '../../engines/sandbox/engine-crash.ts'
import { AppError } from '../../errors.ts'
import { toClientError } from '../failure.ts'
import type { PartialResult, JobError, InputPlan, TriedRoute, Warning } from '../job.ts'
import { capabilityOf } from './find-capability.ts'

/** What becomes of a piece whose way leads nowhere, or to too little: it takes another one, or what an earlier one made. */

/** The piece from its start by another way, or what is said when there is none; see `nextWay`. */
export type FindWay = (tried: readonly [TriedRoute, ...TriedRoute[]]) => InputPlan | { readonly error: JobError }

/** What a way made, or that there is another one to go. */
export type Turn = { readonly piece: InputPlan } | { readonly made: PartialResult }

export interface Failed {
  readonly error: unknown
  /** Index of the step that failed. */
  readonly step: number
  /** Percent of the piece when it failed. */
  readonly percent: number
  readonly isLastAttempt: boolean
}

/** @throws what failed; of several ways what says most of the file. */
export function afterFailure(piece: InputPlan, failed: Failed, findWay: FindWay): Turn {
  const { error, isLastAttempt } = failed
  const { fallback, tried } = piece
  const isOver = error instanceof AppError || isLastAttempt
  if (!isOver) throw error
  const said = toClientError(error)
  // After the first way anything is a reason to go on: what was said of the file there is said in the end.
  if (isUnread(said) || error instanceof EngineCrash || tried) {
    const next = turned(piece, { ...failed, said }, findWay)
    if (!('error' in next)) return { piece: next }
    const { code, message, details } = next.error
    if (!fallback) throw new AppError(code, message, details, { cause: error })
  }
  if (fallback) return { made: fallback }
  throw error
}

/** The way that kept the most is the result, if no other one is left. */
export function afterEnd(
  piece: InputPlan,
  made: Omit<PartialResult, 'kept'>,
  shortfall: Shortfall | undefined,
  findWay: FindWay,
): Turn {
  const { fallback } = piece
  if (!shortfall) {
    const share = made.fidelity?.words?.share ?? 1
    return {
      made: fallback && isAsGood(fallback, { ...made, kept: share }) ? fallback : { ...made, kept: 1 },
    }
  }
  const { kept, warning } = shortfall
  const short: PartialResult = { ...made, kept, warnings: [...made.warnings, warning] }
  const best = fallback && isAsGood(fallback, short) ? fallback : short
  const said: JobError = { code: 'CONVERSION_FAILED', message: warning.message }
  const next = turned(piece, { step: piece.steps.length - 1, percent: 99, said }, findWay)
  return 'error' in next ? { made: best } : { piece: { ...next, fallback: best } }
}

/** By so much more what is left without its look is better: a word or two are not worth the layout of all others. */
const worthOfLook = 0.1

const isReduced = ({ warnings }: PartialResult) => warnings.some(({ code }) => code === 'CONTENT_REDUCED')

function isAsGood(earlier: PartialResult, later: PartialResult): boolean {
  const look = isReduced(later) && !isReduced(earlier) ? worthOfLook : 0
  return earlier.kept + look >= later.kept
}

function turned(
  piece: InputPlan,
  { step, percent, said }: Pick<Failed, 'step' | 'percent'> & { readonly said: JobError },
  findWay: FindWay,
): InputPlan | { readonly error: JobError } {
  // The password is taken away at the start of every way.
  const steps = piece.steps
    .slice(0, step + 1)
    .filter(({ operation }) => operation !== 'unlock')
    .map(({ engine, from, to }) => ({ engine, from, to }))
  const last: TriedRoute = { steps, error: said }
  const [first, ...rest] = [...(piece.tried ?? []), last]
  const next = findWay([first ?? last, ...rest])
  if ('error' in next) return next
  const { fallback } = piece
  return { ...next, reached: Math.floor(percent), ...(fallback && { fallback }) }
}

/**
 * What a way loses by design that those before it would have kept. That one engine reads what another one does not know
 * is nobody's business, but what one of them takes for damage may be missing.
 */
export function warningsOfWay({ tried, steps }: InputPlan, engines: readonly Engine[]): Warning[] {
  const [first] = steps
  if (!tried || !first) return []
  const doubtful = tried.find(({ error }) => error.code === 'CORRUPT_FILE')?.steps.at(-1)
  const drops = steps.map((step) => capabilityOf(step, engines).capability.drops)
  return [
    ...(doubtful ? [doubt(doubtful.engine, first.engine)] : []),
    ...drops.flatMap((message) => (message === undefined ? [] : [{ code: 'CONTENT_REDUCED', message }])),
  ]
}

const doubt = (one: string, other: string): Warning => ({
  code: 'MAY_BE_DAMAGED',
  message: `${one} takes the file for damaged, ${other} could read it: look whether anything is missing.`,
})

/** Ways that a piece has gone to their end. */
export const waysOf = ({ tried = [] }: InputPlan): number => tried.length
