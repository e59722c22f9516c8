import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { formatById } from '../formats/index.ts'
import { foundKind } from '../formats/locked-office.ts'
import type { InputPlan, JobError, StoredFile, TriedRoute } from '../jobs/job.ts'
import { optionsSchemaOf, planOtherRoute, type Route } from '../plan/index.ts'
import { knownOptions, stepsWithOptions } from './options.ts'
import { type ConversionSpec, groupInputs, planFiles, routeFiles } from './plan-files.ts'

/** What is tried after an engine could not read a file. */

/** Ways in all: each begins with the file anew. */
export const maxRoutes = 3

export interface FallbackAttempt {
  /** Place of the files among the pieces of their task. */
  readonly index: number
  readonly tried: readonly [TriedRoute, ...TriedRoute[]]
  readonly engines: readonly Engine[]
}

/**
 * The next way of files that go together: the cheapest on which nobody reads what he could not, and that takes all
 * options that the first one took. Or what is said when there is none, or one engine is wanted and no other.
 */
export function planFallback(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  attempt: FallbackAttempt,
): InputPlan | { readonly error: JobError } {
  const detectedFiles = withDetectedFormat(files, spec, attempt)
  if (foundKind(attempt.tried.at(-1)?.error)) return planForDetectedFormat(detectedFiles, spec, attempt)
  // By another name nothing was read of it.
  const [first, ...rest] = attempt.tried.filter(({ error }) => !foundKind(error))
  if (!first) throw new Error('another way is asked for, and none was gone')
  const tried = [first, ...rest] as const
  const { engine, ...unpinnedSpec } = spec
  const inputPlan =
    tried.length < maxRoutes
      ? planAnotherRoute(detectedFiles, unpinnedSpec, { ...attempt, tried })
      : undefined
  if (inputPlan && engine === undefined) return { ...inputPlan, tried: [...attempt.tried] }
  const error = pickMostInformative(tried.map((one) => one.error))
  if (!inputPlan) return { error }
  const message = `${error.message} Only ${engine} was tried, as engine asks for; leave engine out to have others try.`
  return { error: { ...error, message, details: { ...error.details, engine } } }
}

/** The files as what they are, where one of them was named as something else. */
function withDetectedFormat(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  { index, tried }: FallbackAttempt,
): readonly StoredFile[] {
  const found = tried.map(({ error }) => foundKind(error)).find((kind) => kind !== undefined)
  if (found === undefined) return files
  const misnamed = groupInputs(files, spec)[index]?.[0]
  const mimeType = formatById(found).mimeTypes[0] ?? 'application/octet-stream'
  return files.map((file) => (file === misnamed ? { ...file, format: found, mimeType } : file))
}

/** What is said when nothing leads to the target from there is said of what the file is. */
function planForDetectedFormat(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  { index, tried, engines }: FallbackAttempt,
): InputPlan | { readonly error: JobError } {
  try {
    const [inputPlan] = planFiles(groupInputs(files, spec)[index] ?? [], spec, engines).inputPlans
    if (!inputPlan) throw new Error('files without a way')
    return { ...inputPlan, tried: [...tried] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    return { error: { code, message, ...(details && { details: { ...details } }) } }
  }
}

function planAnotherRoute(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  { index, tried, engines }: FallbackAttempt,
): InputPlan | undefined {
  const group = groupInputs(files, spec)[index] ?? []
  const [first] = routeFiles(group, spec, engines)
  if (!first) return undefined
  const requestedOptions = knownOptions(first.route, spec.options)
  const route = planOtherRoute({
    ...{ ...endFormatsOf(first.route), operation: spec.operation, engines },
    unreadable: tried.map(({ steps }) => steps),
    accepts: (candidate) => requestedOptions.every((name) => name in optionsSchemaOf(candidate).shape),
  })
  if (!route) return undefined
  try {
    return { steps: stepsWithOptions(route, spec.options).steps, step: 0, files: group, tried: [...tried] }
  } catch (error) {
    // A value that only the engines of the first way know.
    if (error instanceof AppError) return undefined
    throw error
  }
}

function endFormatsOf({ steps }: Route): Pick<Route['steps'][0], 'from' | 'to'> {
  const [first] = steps
  return { from: first.from, to: steps.at(-1)?.to ?? first.to }
}

/** From what says least of a file to what its sender can act on. */
const errorsByInformation: readonly ((error: JobError) => boolean)[] = [
  ({ code }) => code === 'CORRUPT_FILE',
  // Somebody could read it.
  ({ details }) => details?.['reason'] === 'content-lost',
  ({ code }) => code === 'UNSUPPORTED_FORMAT',
  ({ code }) => code === 'FILE_TOO_LARGE',
  ({ code, details }) => code === 'INVALID_INPUT' && /password/.test(String(details?.['reason'])),
  ({ code }) => code === 'PDF_ENCRYPTED',
]

/** Of what says as much the first. */
export function pickMostInformative(errors: readonly JobError[]): JobError {
  const rank = (error: JobError) => errorsByInformation.findIndex((matches) => matches(error))
  return errors.reduce((best, next) => (rank(next) > rank(best) ? next : best))
}
