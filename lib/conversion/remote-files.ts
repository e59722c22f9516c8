import * as z from 'zod'
import { wordsOfValues } from '../describe-schema.ts'
import { AppError } from '../errors.ts'
import { parseJson, parseWith } from '../parse-input.ts'
import { importUrlOperation } from '../tasks/import-url.ts'
import { findTaskOperation, taskOperations } from '../tasks/index.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'

/** Tasks that bring files from elsewhere to a conversion, or take its result there. */

/** Fields of the requests that make them. */
export const remoteFields = {
  exportMethod: z
    .string()
    .optional()
    .describe('Where the result is stored as well: `s3`, `blobstore`, `gcs` or `sftp`'),
  exportPath: z
    .string()
    .optional()
    .describe('Its path or key there; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
  exportConfig: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('The other fields of the task `export/…`, as an object (JSON in a form)'),
}

export const fileUrlField = z
  .string()
  .min(1)
  .max(4096)
  .describe('Address that the file is fetched from, instead of sending it')

/** The task that fetches a file. @throws AppError INVALID_INPUT naming the field. */
export function createFetchTask(
  name: string,
  { url, filename, field }: { url: string; filename?: string | undefined; field: string },
): RequestedTask {
  const parsed = importUrlOperation.fields.safeParse({ url, ...(filename !== undefined && { filename }) })
  if (!parsed.success)
    throw new AppError(
      'INVALID_INPUT',
      `${field}: expected an address that begins with https:// or http://, got "${url.slice(0, 100)}".`,
      { field },
    )
  return { name, operation: importUrlOperation, input: [], continueOnError: false, fields: parsed.data }
}

interface ExportFields {
  readonly exportMethod?: string | undefined
  readonly exportPath?: string | undefined
  readonly exportConfig?: string | Readonly<Record<string, unknown>> | undefined
}

/** The task that stores results elsewhere, where somebody asked for it. @throws AppError INVALID_INPUT */
export function createExportTask(body: ExportFields, input: readonly string[]): RequestedTask | undefined {
  const { exportMethod: method, exportPath: path } = body
  if (!method) {
    const orphanField = (['exportPath', 'exportConfig'] as const).find((field) => body[field])
    if (orphanField)
      throw new AppError(
        'INVALID_INPUT',
        `exportMethod is missing: ${orphanField} says how to store the result, but not where. Expected ${wordsOfValues(exportMethods())}.`,
        { field: 'exportMethod' },
      )
    return undefined
  }
  const operation = findTaskOperation(`export/${method}`)
  if (operation?.kind !== 'export' || !operation.place)
    throw new AppError(
      'INVALID_INPUT',
      `exportMethod: expected ${wordsOfValues(exportMethods())}, got "${method.slice(0, 64)}".`,
      { field: 'exportMethod', expected: exportMethods() },
    )
  const { path: pathField } = operation.place
  const config = parseExportConfig(body)
  if (path && config[pathField] !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `exportPath: exportConfig.${pathField} says the same. Leave one of them out.`,
      { field: 'exportPath' },
    )
  const fields = { ...config, ...(path && { [pathField]: path }) }
  const sentAs = (field: string) => (path && field === pathField ? 'exportPath' : `exportConfig.${field}`)
  return {
    ...{ name: 'export-store', operation, input, continueOnError: false },
    fields: parseWith(operation.fields, fields, 'exportConfig', sentAs),
  }
}

/** `s3` of `export/s3`. */
const exportMethods = () =>
  taskOperations.flatMap((operation) =>
    operation.kind === 'export' && operation.place ? operation.name.slice('export/'.length) : [],
  )

function parseExportConfig({ exportConfig: config }: ExportFields): Readonly<Record<string, unknown>> {
  if (config === undefined || config === '') return {}
  if (typeof config !== 'string') return config
  const expected = 'a JSON object with the fields of the export, such as {"bucket":"results"}'
  return parseJson(z.record(z.string(), z.unknown()), config, 'exportConfig', expected)
}
