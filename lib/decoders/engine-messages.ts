/**
 * Messages between the service and a process that runs the code of engines. Messages of the process are checked like
 * input of a client, because a file can take over the process.
 */
import * as z from 'zod'
import type { EngineId } from '../component-ids.ts'
import type { ChunkResult, EngineWork, WorkerPool } from '../engines/engine.ts'
import { SummaryMessage } from '../fidelity/content-summary.ts'
import { type FormatId, isFormatId } from '../formats/index.ts'
import { WarningDetails } from '../model/warning-details.ts'
import { SerializedError } from './serialized-error.ts'

/** Name of the folder for results, the only content of the process's folder between calls. */
export const outputFolder = 'out'

/** A request to an engine. */
export type EngineRequest =
  | { readonly method: 'run'; readonly work: EngineWork }
  | { readonly method: 'split'; readonly work: EngineWork; readonly pool: WorkerPool }
  | { readonly method: 'join'; readonly work: EngineWork; readonly results: readonly ChunkResult[] }

export type EngineServiceMessage =
  | { readonly type: 'engine'; readonly engine: EngineId; readonly request: EngineRequest }
  | { readonly type: 'line'; readonly id: number; readonly line: string }
  | {
      readonly type: 'executed'
      readonly id: number
      readonly output?: ExecOutput
      readonly error?: SerializedError
    }
  | { readonly type: 'notice'; readonly id: number; readonly notice: unknown }
  | {
      readonly type: 'hosted'
      readonly id: number
      readonly reply?: unknown
      readonly error?: SerializedError
    }
  /** Tells the process that the service has taken all output files. */
  | { readonly type: 'clear' }

interface ExecOutput {
  readonly stdout: string
  readonly stderr: string
}

/**
 * Environment variables that engines set for programs. Other variables could change the launcher, which receives them
 * too and is not sandboxed yet.
 */
const variables = [
  ...(['OMP_THREAD_LIMIT', 'MAGICK_CONFIGURE_PATH', 'MAGICK_TEMPORARY_PATH', 'LOGNAME'] as const),
  ...(['CALIBRE_CONFIG_DIRECTORY', 'CALIBRE_CACHE_DIRECTORY', 'CALIBRE_TEMP_DIR'] as const),
  ...(['QT_QPA_PLATFORM', 'XDG_RUNTIME_DIR'] as const),
] as const

const text = z.string()
const seconds = z.number().nonnegative()
const bytes = z.number().positive()

const maxWarningLength = 4000

/** Cuts a warning that the service would not accept, such as a list of thousands of pages. */
export const truncateWarning = (message: string): string =>
  message.length > maxWarningLength ? `${message.slice(0, maxWarningLength - 1)}…` : message

/** A program to run in a sandbox of its own that has access to the folder of the process. */
const Exec = z.strictObject({
  type: z.literal('exec'),
  id: z.number(),
  bin: text.max(1000),
  args: z.array(text),
  options: z.strictObject({
    timeoutS: seconds.optional(),
    maxFileBytes: bytes.optional(),
    maxMemoryBytes: bytes.optional(),
    env: z.partialRecord(z.enum(variables), text).optional(),
    stdin: text.optional(),
    okCodes: z.array(z.number()).optional(),
    encoding: z.enum(['utf8', 'latin1']).optional(),
    readOnly: z.array(text).optional(),
  }),
  /** Whether the service sends each line of the program's output. */
  sendsLines: z.boolean(),
})
export type ExecMessage = z.infer<typeof Exec>

const OutputFile = z.strictObject({
  path: text,
  suffix: text.max(200).optional(),
  format: z.custom<FormatId>((id) => typeof id === 'string' && isFormatId(id)).optional(),
  filename: text.max(4096).optional(),
})
const fields = z.record(text, z.unknown())

export const EngineOutput = z.strictObject({
  files: z.tuple([OutputFile], OutputFile),
  method: z.enum(['stream-copy', 'encode']).optional(),
  program: z.strictObject({ name: text.max(40), version: text.max(40) }).optional(),
  memberCounts: z.strictObject({ source: z.number().optional(), result: z.number().optional() }).optional(),
  hiddenText: text.optional(),
  details: fields.optional(),
})

export const Chunks = z.array(z.strictObject({ spec: fields, file: OutputFile.optional() })).nullable()

/** Content of an image that the engine has read, or has written completely. */
const ImageSummary = z.strictObject({
  path: text,
  summary: SummaryMessage.pick({ counts: true, features: true }),
})
export type ImageSummary = z.infer<typeof ImageSummary>

export const EngineMessage = z.discriminatedUnion('type', [
  Exec,
  z.strictObject({ type: z.literal('cancel'), id: z.number() }),
  /** A request to the host of the engine. */
  z.strictObject({ type: z.literal('host'), id: z.number(), request: z.unknown() }),
  z.strictObject({ type: z.literal('progress'), ratio: z.number(), stage: text.max(100).optional() }),
  z.strictObject({
    type: z.literal('warning'),
    code: text.max(100),
    message: text.max(maxWarningLength),
    details: WarningDetails.optional(),
  }),
  z.strictObject({ type: z.literal('result'), value: z.unknown(), images: z.array(ImageSummary) }),
  z.strictObject({ type: z.literal('error'), error: SerializedError }),
  /** The folder contains no more files of the call. */
  z.strictObject({ type: z.literal('cleared') }),
])
export type EngineMessage = z.infer<typeof EngineMessage>
