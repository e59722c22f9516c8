import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { AppError } from '../../lib/errors.ts'
import { formatByExtension } from '../../lib/formats/index.ts'
import { type Fidelity, type Unit, unitNames } from '../../lib/model/fidelity.ts'
import { convertAlongRoutes, type RouteResult } from '../engines/support/convert-along-routes.ts'
import type { Case } from './cases.ts'
import { FixtureUnavailable, makeFile } from './make-file.ts'
import { measureRetained, type RetainedShare } from './measure-retained.ts'

/** Outcomes from good to unacceptable. `not made`: a program that creates the file is not installed. */
export const outcomes = [
  'ok',
  'warned',
  'coded',
  'silent loss',
  'uncoded',
  'crash',
  'hang',
  'not made',
] as const
export type SweepOutcome = (typeof outcomes)[number]
export const badOutcomes: readonly SweepOutcome[] = ['silent loss', 'uncoded', 'crash', 'hang']

export interface CaseResult {
  readonly outcome: SweepOutcome
  /** A short reason without paths. */
  readonly why: string
}

/** Maximum share of the content that may be lost; smaller losses can be differences in counting. */
const maxLostShare = 0.02
/** The files are small, so even OCR on a busy machine takes less; a longer run counts as a hang. */
const timeLimitS = 120

/** Warnings that do not report lost content. */
const unrelatedWarnings = [
  'NOT_SMALLER',
  'ENCRYPTION_REMOVED',
  'METADATA_NOT_KEPT',
  'METADATA_INCOMPLETE',
  'FONTS_SUBSTITUTED',
]

/** Creates the file of a case, converts it, checks the result, and deletes everything. */
export async function runCase(sweepCase: Case, folder: string, sharedFolder: string): Promise<CaseResult> {
  const ownFolder = await mkdtemp(join(folder, 'case-'))
  try {
    const { path, comparisonPath } = await makeFile(sweepCase, ownFolder, sharedFolder)
    const variant = 'variant' in sweepCase.origin ? sweepCase.origin.variant : undefined
    const options = { ...variant?.options, ...(sweepCase.name.includes('locked.') && { password: 'secret' }) }
    const signal = AbortSignal.timeout(timeLimitS * 1000)
    const routeResult = await convertAlongRoutes(path, sweepCase.to, {
      options,
      signal,
      within: ownFolder,
    }).catch((error: unknown) =>
      signal.aborted
        ? { outcome: 'hang' as const, why: `not finished within ${timeLimitS} s` }
        : toErrorResult(error),
    )
    if ('outcome' in routeResult) return routeResult
    return await judgeResult(sweepCase, routeResult, {
      source: path,
      comparisonPath,
      words: sweepCase.kind === 'whole' ? variant?.words : undefined,
      markup: variant?.markup,
      mustKeepWords: variant?.mustKeepWords === true,
    })
  } catch (error) {
    if (error instanceof FixtureUnavailable) return { outcome: 'not made', why: shortenText(error.message) }
    throw error
  } finally {
    await rm(ownFolder, { recursive: true, force: true })
  }
}

function toErrorResult(error: unknown): CaseResult {
  if (error instanceof EngineCrash) return { outcome: 'crash', why: shortenText(error.message) }
  if (!(error instanceof AppError)) return { outcome: 'uncoded', why: shortenText(String(error)) }
  const { code, message } = error
  if (code === 'TIMEOUT') return { outcome: 'hang', why: message }
  const leaksInternals = /\/tmp\/|\/work\/|\/usr\/|\bat \S+:\d+|node_modules/.test(message)
  if (leaksInternals || code === 'INTERNAL_ERROR')
    return { outcome: 'uncoded', why: `${code}: ${shortenText(message)}` }
  return { outcome: 'coded', why: `${code}: ${shortenText(message)}` }
}

interface Reference {
  readonly source: string
  readonly comparisonPath: string | undefined
  readonly words: string | undefined
  readonly markup: string | undefined
  readonly mustKeepWords: boolean
}

async function judgeResult(
  sweepCase: Case,
  doneRoute: RouteResult,
  { source, comparisonPath, words, markup, mustKeepWords }: Reference,
): Promise<CaseResult> {
  const { fidelity, codes, result, format, route, from } = doneRoute
  const reportedWarnings = [
    ...codes.filter((code) => !unrelatedWarnings.includes(code)),
    ...(result.shortfall ? [result.shortfall.warning.code] : []),
    ...(fidelity?.dropped ?? []),
    ...listUnreportedLosses(fidelity),
  ]
  const isWordCheckNeeded = mustKeepWords && words !== undefined
  if (reportedWarnings.length > 0 && !isWordCheckNeeded)
    return { outcome: 'warned', why: reportedWarnings.join(' ') }
  // A ZIP with one file per page: the service itself counts the entries.
  if (result.files[0].format !== undefined && result.files[0].format !== format)
    return { outcome: 'ok', why: 'packed' }
  // No other program can open a locked file.
  if (comparisonPath === undefined && sweepCase.name.includes('locked.')) return resultByServiceCount
  // Under another name, a compressed archive is detected as one compressed file.
  const sourceFormat = sweepCase.kind === 'wrong extension' ? sweepCase.from : from
  const comparedFormat =
    comparisonPath === undefined ? sourceFormat : (formatByExtension(comparisonPath)?.id ?? from)
  const keptShare = await measureRetained({
    source: comparisonPath ?? source,
    from: comparedFormat,
    result: doneRoute.path,
    to: format,
    route,
    words,
    markup,
  }).catch(
    (error: unknown): RetainedShare => ({
      share: 0,
      finding: `the result cannot be read: ${shortenText(String(error))}`,
    }),
  )
  if (!keptShare) return resultByServiceCount
  const isLost = 1 - keptShare.share > maxLostShare
  return { outcome: isLost ? 'silent loss' : 'ok', why: `${sweepCase.to} by ${route}: ${keptShare.finding}` }
}

const resultByServiceCount: CaseResult = { outcome: 'ok', why: 'by its own count' }

/** Returns the losses that the service counts and the page shows without a warning. */
const listUnreportedLosses = (fidelity: Fidelity | undefined): string[] =>
  unitNames.flatMap((unit: Unit) => {
    const measure = fidelity?.[unit]
    return measure && 1 - measure.share > maxLostShare ? [`${unit}=${measure.share}`] : []
  })

const shortenText = (text: string) =>
  text
    .replaceAll(/(?:\/[\w.@:+-]+)+\/([\w.@:+-]+)/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 260)
