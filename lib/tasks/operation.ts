import * as z from 'zod'
import type { StoredFile } from '../model/job.ts'
import { parseEngine } from '../plan/options.ts'
import type { ConversionSpec } from '../plan/plan-files.ts'
import { parseTargetFormat } from '../plan/target-format.ts'
import type { CaptureFile, FindFiles, OpenStore } from '../transfer/transfer.ts'
import { defined } from '../validation/defined.ts'
import { createJsonSchema, createOptionsSchema, text } from '../validation/maxima.ts'
import { parseInput } from '../validation/parse-input.ts'

/** The operation of a task in POST /v1/jobs. */
export type TaskOperation = ImportOperation | ProcessOperation | ExportOperation

/** The field `archive_multiple_files`, which every export has. */
export const archiveField = z
  .boolean()
  .optional()
  .describe(
    'Whether several files, such as the pages of a PDF, are delivered as one ZIP. With `false` each is delivered separately, up to 1000; by default pages and parts come as one ZIP and other files separately',
  )

interface AnyOperation {
  /** Name of the operation in the API. */
  readonly name: string
  /** Alternative name of the operation. */
  readonly alias?: string
  /** Description in the API reference. */
  readonly summary: string
  /** Fields besides `operation`, `input` and `continue_on_error`, in snake_case. */
  readonly fields: z.ZodObject
}

/** Imports files. */
export interface ImportOperation extends AnyOperation {
  readonly kind: 'import'
  /** Finds remote files. It runs in the queue `transfer` and is only loaded there. */
  readonly find?: () => Promise<FindFiles>
  /** Captures a website. It runs in the queue `capture` and is only loaded there. */
  readonly capture?: () => Promise<CaptureFile>
  /** Set if the operation packs stored files into one, in the queue `transfer`. */
  readonly packs?: true
  /** Fields that are stored sealed. */
  readonly secrets?: readonly string[]
}

/** Exports files. */
export interface ExportOperation extends AnyOperation {
  readonly kind: 'export'
  /** Opens a remote store. It runs in the queue `transfer` and is only loaded there. */
  readonly openStore?: () => Promise<OpenStore>
  /**
   * Names of the fields that determine target paths: `path` is the field with a template of the path, `prefix` the
   * field with a prefix of the filenames.
   */
  readonly pathFields?: { readonly path: string; readonly prefix: string; readonly isFolder?: boolean }
  /** Set if the operation stores the results of other jobs instead of the files of its inputs. */
  readonly sendsResults?: true
  /** Set if the operation stores the files of lists one by one, in the queue `transfer`. */
  readonly unpacks?: true
  /** Fields that are stored sealed. */
  readonly secrets?: readonly string[]
}

/** An operation that processes files. Its tasks go to the queue of the container image that performs the next step. */
export interface ProcessOperation extends AnyOperation {
  readonly kind: 'process'
  /** Minimum and maximum number of input tasks. */
  readonly inputs: { readonly min: number; readonly max: number }
  /** Parses the fields into the spec that is stored, with sealed secrets. */
  readonly parseSpec: (fields: Readonly<Record<string, unknown>>) => TaskSpec
  /**
   * Returns the conversion to plan, both when the task is sent and when a worker runs it.
   * @throws AppError for unsupported files.
   */
  readonly toConversionSpec: (files: readonly StoredFile[], spec: TaskSpec) => ConversionSpec
}

/** What a task does with its files. */
export const TaskSpec = z.object({
  /** Target format id. */
  to: z.string().optional(),
  engine: z.string().optional(),
  /** Template for the names of the results; see `createNameFromTemplate`. */
  filename: z.string().optional(),
  /** Options as requested; secrets among them are stored sealed. */
  options: z.record(z.string(), z.unknown()),
})
export type TaskSpec = z.infer<typeof TaskSpec>

const commonFields = {
  engine: text('id').optional().describe('Engine to use; chosen automatically by default'),
  filename: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`'),
  options: createOptionsSchema()
    .optional()
    .describe('Options of the engine; they can also be sent as fields of the task'),
}

const targetField = {
  output_format: text('id').optional().describe('Target format id; see GET /v1/formats'),
}

/** Creates the fields of a processing operation. Fields that it does not have are options of its engine. */
export function createProcessFields(fields: z.ZodRawShape, hasTarget: boolean): z.ZodObject {
  return z
    .object({ ...(hasTarget ? targetField : {}), ...commonFields, ...fields })
    .catchall(createJsonSchema())
}

/** Parses the common fields; all other fields become options. */
export function parseTaskSpec(fields: Readonly<Record<string, unknown>>): TaskSpec {
  const { output_format, engine, filename, options, ...otherFields } = fields as AnyFields // parsed by the schema
  const to = parseTargetFormat({ output_format }, 'output_format')
  const pinnedEngine = parseEngine(engine)
  return {
    ...defined({ to, engine: pinnedEngine, filename }),
    options: parseInput(allOptions, { ...otherFields, ...options }, 'options'),
  }
}

/** Schema of options in general. Options that are sent as fields of the task have the same limits as in `options`. */
const allOptions = createOptionsSchema()

type AnyFields = z.infer<z.ZodObject<typeof targetField & typeof commonFields, z.core.$loose>>

/** Creates the conversion spec for an operation of the engines. */
export function createConversionSpec(spec: TaskSpec, operation: ConversionSpec['operation']): ConversionSpec {
  // Both fields were validated when the spec was parsed.
  const { to, engine } = spec as { to?: ConversionSpec['to']; engine?: ConversionSpec['engine'] }
  return { operation, to, engine, options: spec.options, additionalFilesField: 'input' }
}
