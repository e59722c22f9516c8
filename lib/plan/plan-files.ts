import type { EngineId } from '../component-ids.ts'
import type { Engine } from '../engines/engine.ts'
import { AppError } from '../errors.ts'
import { type FormatId, isFormatId } from '../formats/index.ts'
import { createDocumentPasswordMissingError } from '../formats/locked-office.ts'
import type { InputPlan, StoredFile, Warning } from '../model/job.ts'
import type { Operation } from '../model/operations.ts'
import { requireCompatibleInputs } from './check-inputs.ts'
import { requireInputsFitWorker } from './disk-limits.ts'
import { groupInputs, toFilesOfGroup } from './file-lists.ts'
import { mayNeedUnlock, planRoute, type Route } from './index.ts'
import { applyOptions } from './options.ts'
import { getTimeLimitS } from './time-limits.ts'

/** A requested conversion of some files. */
export interface ConversionSpec {
  readonly operation: Operation
  /** Target format; if omitted, the format of the first file. */
  readonly to?: FormatId | undefined
  readonly engine?: EngineId | undefined
  /** Options as requested, not validated yet. */
  readonly options: Readonly<Record<string, unknown>>
  /** Request field that contains the files after the first, for error messages. */
  readonly additionalFilesField: string
}

export interface ConversionPlan {
  readonly inputPlans: readonly InputPlan[]
  readonly warnings: readonly Warning[]
  /** Time limit in seconds. */
  readonly timeLimitS: number
}

interface RoutedFiles {
  readonly files: readonly StoredFile[]
  readonly route: Route
}

/**
 * Plans the route of each group of files: `convert` takes each file separately, other operations take all files
 * together. Options are ignored, because only the worker can unseal those that are secret.
 * @throws AppError for unsupported files and targets.
 */
export function routeFiles(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  engines: readonly Engine[],
): readonly RoutedFiles[] {
  if (files.length === 0)
    throw new AppError('NO_FILES', 'There are no input files: the input tasks produced none.')
  return groupInputs(files, spec).map((group) => {
    const [firstFile, ...moreFiles] = toFilesOfGroup(group)
    if (!firstFile) throw new Error('a group without files')
    const { operation, engine } = spec
    const from = requireKnownFormat(firstFile)
    const route = planRoute({
      from,
      to: spec.to ?? from,
      operation,
      engine,
      engines,
      traits: firstFile.traits,
    })
    requireCompatibleInputs(moreFiles, { route, operation, field: spec.additionalFilesField })
    return { files: group, route }
  })
}

/**
 * Plans the routes including the options of each step.
 * @throws AppError for unsupported files, targets and options.
 */
export function planFiles(
  files: readonly StoredFile[],
  spec: ConversionSpec,
  engines: readonly Engine[],
): ConversionPlan {
  const plannedInputs = routeFiles(files, spec, engines).map(({ files: group, route }) => {
    requireUnlocked(group, route, spec)
    const { steps, warnings } = applyOptions(route, spec.options)
    const inputPlan = { steps, step: 0, files: [...group] }
    requireInputsFitWorker(inputPlan, engines)
    return { inputPlan, warnings }
  })
  const inputPlans = plannedInputs.map(({ inputPlan }) => inputPlan)
  return {
    inputPlans,
    warnings: plannedInputs.flatMap(({ warnings }) => warnings),
    timeLimitS: getTimeLimitS(inputPlans),
  }
}

/** Rejects locked documents without a password. @throws AppError FILE_ENCRYPTED for a document that needs one. */
function requireUnlocked(files: readonly StoredFile[], route: Route, { options }: ConversionSpec): void {
  if (options['password'] !== undefined || !mayNeedUnlock(route)) return
  const [{ engine, from }] = route.steps
  // LibreOffice can open spreadsheets that are only protected against changes; for those, no password is needed.
  const isUnlockedByOffice = engine === 'libreoffice' && spreadsheetFormats.includes(from)
  if (files.some(({ locked }) => locked) && !isUnlockedByOffice) throw createDocumentPasswordMissingError()
}

const spreadsheetFormats: readonly FormatId[] = ['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm']

/** Returns the format of a file. It may be unknown, because an extracted file can have any format. */
function requireKnownFormat({ format, filename }: StoredFile): FormatId {
  if (isFormatId(format)) return format
  throw new AppError(
    'UNSUPPORTED_FORMAT',
    `The format of ${filename} is unknown, so it cannot be converted. GET /v1/formats lists the supported formats.`,
    { filename },
  )
}
