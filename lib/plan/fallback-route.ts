import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { formatById } from '../formats/index.ts'
import { toDetectedFormat } from '../formats/locked-office.ts'
import type { InputPlan, JobError, StoredFile, TriedRoute } from '../model/job.ts'
import { defined } from '../validation/defined.ts'
import { groupInputs } from './file-lists.ts'
import { createOptionsSchema, planOtherRoute, type Route } from './index.ts'
import { applyOptions, listKnownOptions } from './options.ts'
import { type ConversionSpec, planFiles, routeFiles } from './plan-files.ts'
import { isRejection } from './unreadable-error.ts'

/** Chooses the next route after an engine could not read a file. */

/** Maximum number of routes per file; each starts again from the source file. */
export const maxRoutes = 3

interface FallbackAttempt {
  /** Index of the input plan in its task. */
  readonly index: number
  readonly triedRoutes: readonly [TriedRoute, ...TriedRoute[]]
  readonly engines: readonly Engine[]
}

/**
 * Plans the next route of an input: the cheapest one on which no engine reads again what it could not read, and that
 * accepts all options of the first route. Returns the error to report if there is no such route, or if the
 * request pins an engine.
 */
export function planFallback(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  attempt: FallbackAttempt,
): InputPlan | { readonly error: JobError } {
  const detectedFiles = applyDetectedFormat(files, spec, attempt)
  if (toDetectedFormat(attempt.triedRoutes.at(-1)?.error))
    return planForDetectedFormat(detectedFiles, spec, attempt)
  // Attempts with a wrong format are ignored, because they say nothing about the file's content.
  const [firstRoute, ...otherRoutes] = attempt.triedRoutes.filter(({ error }) => !toDetectedFormat(error))
  if (!firstRoute) throw new Error('a fallback was requested, but no route has failed')
  const failedRoutes = [firstRoute, ...otherRoutes] as const
  const { engine, ...unpinnedSpec } = spec
  const inputPlan =
    failedRoutes.length < maxRoutes
      ? planAnotherRoute(detectedFiles, unpinnedSpec, { ...attempt, triedRoutes: failedRoutes })
      : undefined
  if (inputPlan && engine === undefined) return { ...inputPlan, tried: [...attempt.triedRoutes] }
  const error = pickMostInformative(failedRoutes.map((failedRoute) => failedRoute.error))
  if (!inputPlan) return { error }
  const message = `${error.message} Only ${engine} was tried, because the request selects it as "engine". Leave "engine" out to try other engines.`
  return { error: { ...error, message, details: { ...error.details, engine } } }
}

/** Returns the files with the detected format of a file whose extension was wrong. */
function applyDetectedFormat(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  { index, triedRoutes }: FallbackAttempt,
): readonly StoredFile[] {
  const detectedFormat = triedRoutes
    .map(({ error }) => toDetectedFormat(error))
    .find((kind) => kind !== undefined)
  if (detectedFormat === undefined) return files
  const misnamedFile = groupInputs(files, spec)[index]?.[0]
  const mimeType = formatById(detectedFormat).mimeTypes[0] ?? 'application/octet-stream'
  return files.map((file) => (file === misnamedFile ? { ...file, format: detectedFormat, mimeType } : file))
}

/** Plans the input again with its detected format; errors then name that format. */
function planForDetectedFormat(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  { index, triedRoutes, engines }: FallbackAttempt,
): InputPlan | { readonly error: JobError } {
  try {
    const [inputPlan] = planFiles(groupInputs(files, spec)[index] ?? [], spec, engines).inputPlans
    if (!inputPlan) throw new Error('no route was planned for the files')
    return { ...inputPlan, tried: [...triedRoutes] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    return { error: { code, message, ...defined({ details: details && { ...details } }) } }
  }
}

function planAnotherRoute(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  { index, triedRoutes, engines }: FallbackAttempt,
): InputPlan | undefined {
  const group = groupInputs(files, spec)[index] ?? []
  const [firstInput] = routeFiles(group, spec, engines)
  if (!firstInput) return undefined
  const requestedOptions = listKnownOptions(firstInput.route, spec.options)
  const route = planOtherRoute({
    ...getEndFormats(firstInput.route),
    operation: spec.operation,
    engines,
    unreadable: triedRoutes.map(({ steps }) => steps),
    accepts: (candidate) => requestedOptions.every((name) => name in createOptionsSchema(candidate).shape),
  })
  if (!route) return undefined
  try {
    return { steps: applyOptions(route, spec.options).steps, step: 0, files: group, tried: [...triedRoutes] }
  } catch (error) {
    // An option has a value that only the engines of the first route support.
    if (error instanceof AppError) return undefined
    throw error
  }
}

function getEndFormats({ steps }: Route): Pick<Route['steps'][0], 'from' | 'to'> {
  const [firstStep] = steps
  return { from: firstStep.from, to: steps.at(-1)?.to ?? firstStep.to }
}

/** Kinds of errors, from the least informative to those that the sender can act on. */
const errorKindsByInformation: readonly ((error: JobError) => boolean)[] = [
  ({ code }) => code === 'CORRUPT_FILE',
  // At least one engine could read the file, but its result was rejected.
  isRejection,
  ({ code }) => code === 'UNSUPPORTED_FORMAT',
  ({ code }) => code === 'FILE_TOO_LARGE',
  ({ code, details }) => code === 'INVALID_INPUT' && /password/.test(String(details?.['reason'])),
  ({ code }) => code === 'PDF_ENCRYPTED',
]

/** Returns the most informative error; if several are equally informative, the first of them. */
export function pickMostInformative(errors: readonly JobError[]): JobError {
  const getRank = (error: JobError) => errorKindsByInformation.findIndex((matches) => matches(error))
  return errors.reduce((best, next) => (getRank(next) > getRank(best) ? next : best))
}
