import * as z from 'zod'
import { AppError } from '../errors.ts'
import { importUrlOperation } from '../tasks/import-url.ts'
import { findPublicOperation, taskOperations } from '../tasks/index.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import { defined } from '../validation/defined.ts'
import { describeValues } from '../validation/describe-schema.ts'
import { describeUrl } from '../validation/describe-url.ts'
import { createOptionsSchema, text } from '../validation/maxima.ts'
import { parseInput, parseJson } from '../validation/parse-input.ts'

/** Creates the tasks that fetch remote files for a conversion or export its result. */

/** Request fields for exporting results. */
export const exportRequestFields = {
  exportMethod: text('id')
    .optional()
    .describe('Store to which the result is exported as well: `s3`, `blobstore`, `gcs` or `sftp`'),
  exportPath: text('url')
    .optional()
    .describe('Path or key of the result in that store; may contain `{name} {ext} {jobId} {index} {date}`'),
  exportConfig: z
    .union([text('list'), createOptionsSchema()])
    .optional()
    .describe('Other fields of the `export/…` task, as an object (JSON in a form)'),
}

export const fileUrlField = z
  .string()
  .min(1)
  .max(4096)
  .describe('URL to fetch the file from instead of uploading it')

/** Creates the task that fetches a file. @throws AppError INVALID_INPUT naming the field. */
export function createFetchTask(
  name: string,
  { url, filename, field }: { url: string; filename?: string | undefined; field: string },
): RequestedTask {
  const parsedFields = importUrlOperation.fields.safeParse({ url, ...defined({ filename }) })
  if (!parsedFields.success)
    throw new AppError(
      'INVALID_INPUT',
      `${field}: expected a URL that starts with https:// or http://, got "${describeUrl(url)}".`,
      { field },
    )
  return {
    name,
    operation: importUrlOperation,
    input: [],
    continueOnError: false,
    fields: parsedFields.data,
    requestField: () => field,
  }
}

interface ExportFields {
  readonly exportMethod?: string | undefined
  readonly exportPath?: string | undefined
  readonly exportConfig?: string | Readonly<Record<string, unknown>> | undefined
}

/** Creates the task that exports the results, if requested. @throws AppError INVALID_INPUT */
export function createExportTask(body: ExportFields, input: readonly string[]): RequestedTask | undefined {
  const { exportMethod: method, exportPath: path } = body
  if (!method) {
    const fieldWithoutMethod = (['exportPath', 'exportConfig'] as const).find((field) => body[field])
    if (fieldWithoutMethod)
      throw new AppError(
        'INVALID_REQUEST',
        `exportMethod is missing: ${fieldWithoutMethod} says how to store the result, but not where. Expected ${describeValues(listExportMethods())}.`,
        { field: 'exportMethod' },
      )
    return undefined
  }
  const operation = findPublicOperation(`export/${method}`)
  if (operation?.kind !== 'export' || !operation.pathFields)
    throw new AppError(
      'INVALID_INPUT',
      `exportMethod: expected ${describeValues(listExportMethods())}, got "${method.slice(0, 64)}".`,
      { field: 'exportMethod', expected: listExportMethods() },
    )
  const { path: pathField } = operation.pathFields
  const config = parseExportConfig(body)
  if (path && config[pathField] !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `exportPath: exportConfig.${pathField} sets the same path. Leave one of them out.`,
      { field: 'exportPath' },
    )
  const fields = { ...config, ...(path && { [pathField]: path }) }
  const getRequestField = (field: string) =>
    path && field === pathField ? 'exportPath' : `exportConfig.${field}`
  return {
    name: 'export-store',
    operation,
    input,
    continueOnError: false,
    fields: parseInput(operation.fields, fields, 'exportConfig', getRequestField),
    requestField: getRequestField,
  }
}

/** Returns the export methods, such as `s3` for the operation `export/s3`. */
const listExportMethods = () =>
  taskOperations.flatMap((operation) =>
    operation.kind === 'export' && operation.pathFields ? operation.name.slice('export/'.length) : [],
  )

function parseExportConfig({ exportConfig: config }: ExportFields): Readonly<Record<string, unknown>> {
  if (config === undefined || config === '') return {}
  if (typeof config !== 'string') return config
  const expected = 'a JSON object with the fields of the export, such as {"bucket":"results"}'
  return parseJson(createOptionsSchema(), config, 'exportConfig', expected)
}
