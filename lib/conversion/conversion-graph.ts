import type { EngineId } from '../component-ids.ts'
import type { FormatId } from '../formats/index.ts'
import type { Operation } from '../model/operations.ts'
import { createOneFileError } from '../plan/check-inputs.ts'
import { convertOperation } from '../tasks/convert.ts'
import { exportUrlOperation } from '../tasks/export-url.ts'
import { importUploadOperation } from '../tasks/import-upload.ts'
import { requireProcessOperation } from '../tasks/index.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import type { ImportSource, JobRequest } from './job-request.ts'
import { createExportTask, createFetchTask } from './remote-files.ts'
import type { SourceFile } from './source.ts'

/** Creates the tasks of the endpoints that convert files without asking the client for a task map. */

type Graph = Pick<JobRequest, 'tasks' | 'imports'>

/** Request fields that say whether and where to export the result. */
type ExportFields = Parameters<typeof createExportTask>[0]

interface RemoteSource {
  readonly url: string
  readonly filename?: string | undefined
  /** The client's field that contains the URL. */
  readonly field: string
}

/** A stored file, or the URL to fetch it from. */
export type SourceInput = SourceFile | RemoteSource

export interface RequestedConversion {
  readonly sources: readonly [SourceInput, ...SourceInput[]]
  /** Form field of the sources after the first, for error messages. */
  readonly additionalField: string
  readonly operation: Operation
  /** Defaults to the format of the first source. */
  readonly to?: FormatId | undefined
  readonly engine?: EngineId | undefined
  /** Option values that have not been validated yet. */
  readonly options: Readonly<Record<string, unknown>>
  readonly exportFields: ExportFields
}

/**
 * Returns imports, one task that converts or merges the files, and exports.
 * @throws AppError INVALID_INPUT for a URL, export or number of files that cannot work.
 */
export function createConversionGraph(conversion: RequestedConversion): Graph {
  const { sources, operation, additionalField, to, engine, options, exportFields } = conversion
  // A task would convert several files to several results, but the reply has room for only one result.
  if (operation === 'convert' && sources.length > 1)
    throw createOneFileError(operation, additionalField, sources.length)
  const imports = sources.map((source, at) => ({
    name: at === 0 ? 'import-file' : `import-file-${at + 1}`,
    source,
  }))
  const names = imports.map(({ name }) => name)
  const exports = createExports('export-file', exportFields, ['convert-file'])
  const tasks = [
    ...imports.map(({ name, source }) =>
      'url' in source ? createFetchTask(name, source) : createTask(name, importUploadOperation, []),
    ),
    {
      ...createTask('convert-file', requireProcessOperation(operation), names),
      fields: { output_format: to, engine, options },
    },
    ...exports,
  ]
  return {
    tasks,
    imports: new Map(imports.flatMap(({ name, source }) => ('url' in source ? [] : [[name, { source }]]))),
  }
}

export interface RequestedItem {
  readonly names: { readonly import: string; readonly convert: string }
  readonly source: ImportSource | RemoteSource
  /** Target format that has not been validated yet. */
  readonly to?: string | undefined
  readonly engine?: EngineId | undefined
  /** Option values that have not been validated yet. */
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * Returns an import and a conversion for each item, and exports.
 * @throws AppError INVALID_INPUT for a URL or export that cannot work.
 */
export function createBatchGraph(
  items: readonly RequestedItem[],
  { failFast, exportFields }: { readonly failFast: boolean; readonly exportFields: ExportFields },
): Graph {
  const convertTaskNames = items.map(({ names }) => names.convert)
  const exports = createExports('export', exportFields, convertTaskNames)
  const tasks = items.flatMap(({ names, source, to, engine, options }) => [
    'url' in source
      ? createFetchTask(names.import, source)
      : createTask(names.import, importUploadOperation, []),
    {
      ...createTask(names.convert, convertOperation, [names.import]),
      continueOnError: !failFast,
      fields: { output_format: to, engine, options },
    },
  ])
  return {
    tasks: [...tasks, ...exports],
    imports: new Map(items.flatMap(({ names, source }) => ('url' in source ? [] : [[names.import, source]]))),
  }
}

/** Creates the tasks that export the results of `input`: for download and, if requested, to the client's storage. */
function createExports(name: string, fields: ExportFields, input: readonly string[]): RequestedTask[] {
  const clientExportTask = createExportTask(fields, input)
  return [createTask(name, exportUrlOperation, input), ...(clientExportTask ? [clientExportTask] : [])]
}

const createTask = (
  name: string,
  operation: RequestedTask['operation'],
  input: readonly string[],
): RequestedTask => ({ name, operation, input, continueOnError: false, fields: {} })
