import type { Engine, EngineId, Operation } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { type FormatId, isFormatId } from '../formats/index.ts'
import { documentLocked } from '../formats/locked-office.ts'
import type { InputPlan, StoredFile, Warning } from '../jobs/job.ts'
import { mayNeedUnlock, planRoute, type Route } from '../plan/index.ts'
import { requireInputs } from './check-inputs.ts'
import { requireInputsFitWorker } from './disk-limits.ts'
import { stepsWithOptions } from './options.ts'
import { timeLimitOf } from './time-limits.ts'

/** What is wanted of files. */
export interface ConversionSpec {
  readonly operation: Operation
  /** The format of the first file when left out. */
  readonly to?: FormatId | undefined
  readonly engine?: EngineId | undefined
  /** As they came: nothing of them is known to be an option. */
  readonly options: Readonly<Record<string, unknown>>
  /** The field of the request that files after the first came in, for messages. */
  readonly additionalFilesField: string
}

export interface ConversionPlan {
  readonly inputPlans: readonly InputPlan[]
  readonly warnings: readonly Warning[]
  /** Seconds. */
  readonly limitS: number
}

interface RoutedFiles {
  readonly files: readonly StoredFile[]
  readonly route: Route
}

/** Files that go the same way together. */
export const groupInputs = (
  files: readonly StoredFile[],
  { operation }: ConversionSpec,
): readonly StoredFile[][] => (operation === 'convert' ? files.map((file) => [file]) : [[...files]])

/**
 * The way of files to what is wanted of them: a conversion takes each for itself, whatever else takes all together.
 * Options are not looked at, as secrets among them are sealed for all but the worker.
 * @throws AppError for files and targets that cannot work.
 */
export function routeFiles(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  engines: readonly Engine[],
): readonly RoutedFiles[] {
  if (files.length === 0)
    throw new AppError('NO_FILES', 'There is no file to work on: the tasks before gave none.')
  return groupInputs(files, spec).map((group) => {
    const [first, ...more] = group
    if (!first) throw new Error('a group of no files')
    const { operation, engine } = spec
    const from = requireKnownFormat(first)
    const route = planRoute({ from, to: spec.to ?? from, operation, engine, engines, traits: first.traits })
    requireInputs(more, { route, operation, field: spec.additionalFilesField })
    return { files: group, route }
  })
}

/**
 * The same with the options of each step.
 * @throws AppError for options that cannot work as well.
 */
export function planFiles(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  engines: readonly Engine[],
): ConversionPlan {
  const planned = routeFiles(files, spec, engines).map(({ files: group, route }) => {
    requireUnlocked(group, route, spec)
    const { steps, warnings } = stepsWithOptions(route, spec.options)
    const inputPlan = { steps, step: 0, files: [...group] }
    requireInputsFitWorker(inputPlan, engines)
    return { piece: inputPlan, warnings }
  })
  const inputPlans = planned.map(({ piece: inputPlan }) => inputPlan)
  return {
    inputPlans,
    warnings: planned.flatMap(({ warnings }) => warnings),
    limitS: timeLimitOf(inputPlans),
  }
}

/** @throws AppError FILE_ENCRYPTED for a document that needs a password, where none came. */
function requireUnlocked(files: readonly StoredFile[], route: Route, { options }: ConversionSpec): void {
  if (options['password'] !== undefined || !mayNeedUnlock(route)) return
  const [{ engine, from }] = route.steps
  // The office opens sheets by itself that were only locked against changes.
  const isLeftToOffice = engine === 'libreoffice' && spreadsheetFormats.includes(from)
  if (files.some(({ locked }) => locked) && !isLeftToOffice) throw documentLocked()
}

const spreadsheetFormats: readonly FormatId[] = ['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm']

/** A member of an archive may be anything. */
function requireKnownFormat({ format, filename }: StoredFile): FormatId {
  if (isFormatId(format)) return format
  throw new AppError(
    'UNSUPPORTED_FORMAT',
    `The format of ${filename} is not known, so nothing can be made of it. GET /v1/formats lists what can be read.`,
    { filename },
  )
}
