import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { formatById } from '../formats/index.ts'
import { foundKind } from '../formats/locked-office.ts'
import type { JobError, InputPlan, StoredFile, TriedRoute } from '../jobs/job.ts'
import { optionsOf, planOtherRoute, type Route } from '../plan/index.ts'
import { knownOptions, stepsWithOptions } from './options.ts'
import { groupsOf, planFiles, routeFiles, type Wish } from './plan-files.ts'

/** What is tried after an engine could not read a file. */

/** Ways in all: each begins with the file anew. */
export const mostWays = 3

export interface Attempted {
  /** Place of the files among the pieces of their task. */
  readonly at: number
  readonly tried: readonly [TriedRoute, ...TriedRoute[]]
  readonly engines: readonly Engine[]
}

/**
 * The next way of files that go together: the cheapest on which nobody reads what he could not, and that takes all
 * options that the first one took. Or what is said when there is none, or one engine is wanted and no other.
 */
export function nextWay(
  files: readonly StoredFile[],
  wish: Wish,
  attempted: Attempted,
): InputPlan | { readonly error: JobError } {
  const known = asFound(files, wish, attempted)
  if (foundKind(attempted.tried.at(-1)?.error)) return wayOfItsKind(known, wish, attempted)
  // By another name nothing was read of it.
  const [first, ...rest] = attempted.tried.filter(({ error }) => !foundKind(error))
  if (!first) throw new Error('another way is asked for, and none was gone')
  const tried = [first, ...rest] as const
  const { engine, ...open } = wish
  const way = tried.length < mostWays ? otherWay(known, open, { ...attempted, tried }) : undefined
  if (way && engine === undefined) return { ...way, tried: [...attempted.tried] }
  const error = mostTelling(tried.map((one) => one.error))
  if (!way) return { error }
  const message = `${error.message} Only ${engine} was tried, as engine asks for; leave engine out to have others try.`
  return { error: { ...error, message, details: { ...error.details, engine } } }
}

/** The files as what they are, where one of them was named as something else. */
function asFound(files: readonly StoredFile[], wish: Wish, { at, tried }: Attempted): readonly StoredFile[] {
  const found = tried.map(({ error }) => foundKind(error)).find((kind) => kind !== undefined)
  if (found === undefined) return files
  const misnamed = groupsOf(files, wish)[at]?.[0]
  const mimeType = formatById(found).mimeTypes[0] ?? 'application/octet-stream'
  return files.map((file) => (file === misnamed ? { ...file, format: found, mimeType } : file))
}

/** What is said when nothing leads to the target from there is said of what the file is. */
function wayOfItsKind(
  files: readonly StoredFile[],
  wish: Wish,
  { at, tried, engines }: Attempted,
): InputPlan | { readonly error: JobError } {
  try {
    const [piece] = planFiles(groupsOf(files, wish)[at] ?? [], wish, engines).pieces
    if (!piece) throw new Error('files without a way')
    return { ...piece, tried: [...tried] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message, details } = error
    return { error: { code, message, ...(details && { details: { ...details } }) } }
  }
}

function otherWay(
  files: readonly StoredFile[],
  wish: Wish,
  { at, tried, engines }: Attempted,
): InputPlan | undefined {
  const group = groupsOf(files, wish)[at] ?? []
  const [first] = routeFiles(group, wish, engines)
  if (!first) return undefined
  const asked = knownOptions(first.route, wish.options)
  const route = planOtherRoute({
    ...{ ...endsOf(first.route), operation: wish.operation, engines },
    unread: tried.map(({ steps }) => steps),
    takes: (candidate) => asked.every((name) => name in optionsOf(candidate).shape),
  })
  if (!route) return undefined
  try {
    return { steps: stepsWithOptions(route, wish.options).steps, step: 0, files: group, tried: [...tried] }
  } catch (error) {
    // A value that only the engines of the first way know.
    if (error instanceof AppError) return undefined
    throw error
  }
}

function endsOf({ steps }: Route): Pick<Route['steps'][0], 'from' | 'to'> {
  const [first] = steps
  return { from: first.from, to: steps.at(-1)?.to ?? first.to }
}

/** From what says least of a file to what its sender can act on. */
const telling: readonly ((error: JobError) => boolean)[] = [
  ({ code }) => code === 'CORRUPT_FILE',
  // Somebody could read it.
  ({ details }) => details?.['reason'] === 'content-lost',
  ({ code }) => code === 'UNSUPPORTED_FORMAT',
  ({ code }) => code === 'FILE_TOO_LARGE',
  ({ code, details }) => code === 'INVALID_INPUT' && /password/.test(String(details?.['reason'])),
  ({ code }) => code === 'PDF_ENCRYPTED',
]

/** Of what says as much the first. */
export function mostTelling(errors: readonly JobError[]): JobError {
  const rank = (error: JobError) => telling.findIndex((says) => says(error))
  return errors.reduce((best, next) => (rank(next) > rank(best) ? next : best))
}
