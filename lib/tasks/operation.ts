import * as z from 'zod'
import { parseEngine } from '../conversion/options.ts'
import type { ConversionSpec } from '../conversion/plan-files.ts'
import { targetFormatOf } from '../conversion/target-format.ts'
import type { StoredFile } from '../jobs/job.ts'
import type { Capture, Find, OpenStore } from '../transfer/transfer.ts'

/** What a task of POST /v1/jobs can be. */
export type TaskOperation = ImportOperation | ProcessOperation | ExportOperation

interface AnyOperation {
  /** As clients write it. */
  readonly name: string
  /** Another name by which it is asked for. */
  readonly alias?: string
  /** For the reference. */
  readonly summary: string
  /** Beside `operation`, `input` and `continue_on_error`; snake_case, as task payloads have it. */
  readonly fields: z.ZodObject
}

/** Brings a file in. */
export interface ImportOperation extends AnyOperation {
  readonly kind: 'import'
  /** Of one that fetches from elsewhere, in the queue `transfer`; loaded there alone. */
  readonly find?: () => Promise<Find>
  /** Of one that makes a file of what a browser shows, in the queue `capture`; loaded there alone. */
  readonly capture?: () => Promise<Capture>
  /** Makes one file of what is stored here, in the queue `transfer`. */
  readonly packs?: true
  /** Fields that are sealed while they are stored. */
  readonly secrets?: readonly string[]
}

/** Gives files out. */
export interface ExportOperation extends AnyOperation {
  readonly kind: 'export'
  /** Of one that takes files elsewhere, in the queue `transfer`; loaded there alone. */
  readonly openStore?: () => Promise<OpenStore>
  /** The field that says where a file is to go, a template; and the one whose value stands before file names. */
  readonly place?: { readonly path: string; readonly prefix: string; readonly isFolder?: boolean }
  /** Fields that are sealed while they are stored. */
  readonly secrets?: readonly string[]
}

/** Makes files of files. It runs in the queue of the image whose engine does the next step. */
export interface ProcessOperation extends AnyOperation {
  readonly kind: 'process'
  /** How many tasks it takes files from. */
  readonly inputs: { readonly min: number; readonly max: number }
  /** What the task wants, from its fields: this is stored, secrets sealed. */
  readonly parseSpec: (fields: Readonly<Record<string, unknown>>) => TaskSpec
  /**
   * What the engines are asked for. Whoever sends the task plans its way by it, and again the worker that runs it.
   * @throws AppError for files that it does not take.
   */
  readonly toConversionSpec: (files: readonly StoredFile[], spec: TaskSpec) => ConversionSpec
}

/** What is wanted of the files of a task. */
export const TaskSpec = z.object({
  /** Target format id. */
  to: z.string().optional(),
  engine: z.string().optional(),
  /** Name of what comes out; see `nameFromTemplate`. */
  filename: z.string().optional(),
  /** As they came. Those that are secrets are sealed while they are stored. */
  options: z.record(z.string(), z.unknown()),
})
export type TaskSpec = z.infer<typeof TaskSpec>

const commonFields = {
  engine: z.string().optional().describe('Pins one engine; automatic when left out'),
  filename: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
  options: z.record(z.string(), z.unknown()).optional().describe('Options; they may also stand beside it'),
}

const targetField = {
  output_format: z.string().optional().describe('Target format id; see GET /v1/formats'),
}

/** Fields of an operation on files. What is none of them is an option of its engine. */
export function createProcessFields(fields: z.ZodRawShape, hasTarget: boolean): z.ZodObject {
  return z.looseObject({ ...(hasTarget ? targetField : {}), ...commonFields, ...fields })
}

/** The spec of fields: whatever is no field of every operation is taken for an option. */
export function parseTaskSpec(fields: Readonly<Record<string, unknown>>): TaskSpec {
  const { output_format, engine, filename, options, ...otherFields } = fields as AnyFields
  const to = targetFormatOf({ output_format }, 'output_format')
  const pinned = parseEngine(engine)
  return {
    ...(to && { to }),
    ...(pinned && { engine: pinned }),
    ...(filename !== undefined && { filename }),
    options: { ...otherFields, ...options },
  }
}

type AnyFields = z.infer<z.ZodObject<typeof targetField & typeof commonFields, z.core.$loose>>

/** The wish of a spec for one operation of the engines. */
export function createConversionSpec(spec: TaskSpec, operation: ConversionSpec['operation']): ConversionSpec {
  // Both were looked up when the spec was made.
  const { to, engine } = spec as { to?: ConversionSpec['to']; engine?: ConversionSpec['engine'] }
  return { operation, to, engine, options: spec.options, additionalFilesField: 'input' }
}
