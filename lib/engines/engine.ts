import type * as z from 'zod'
import type { Trait } from '../formats/detect/drawing.ts'
import type { FormatId } from '../formats/index.ts'
import type { PrestartedProcess } from './sandbox/command.ts'

/** Public names of the engine kinds; all but `pdf` can be pinned by the `engine` field of a request. */
export const engineIds = [
  'ffmpeg',
  'vips',
  'imagemagick',
  'libreoffice',
  'pandoc',
  'calibre',
  'ghostscript',
  'vtracer',
  'potrace',
  'chromium',
  'fontforge',
  '7zip',
  'pdf',
] as const
export type EngineId = (typeof engineIds)[number]

/** Container images: engines that often follow each other share one, with its queue and its function. */
export type ImageId = 'av' | 'image' | 'office' | 'pdf' | 'document' | 'archive' | 'font' | 'browser'

/**
 * What can be asked for besides a conversion. Tools are named by the field `toolOperation`; `merge` joins several
 * files and `compress` makes one smaller.
 */
export const toolOperations = [
  'ocr-pdf',
  'split-pdf',
  'encrypt-pdf',
  'decrypt-pdf',
  'rotate-pdf',
  'compress-pdf',
  'to-pdfa',
  'extract-pdf-pages',
  'remove-pdf-pages',
  'extract-pdf-images',
  'add-watermark-pdf',
  'merge-pdf',
  'flatten-pdf',
  'repair-pdf',
  'reorder-pdf-pages',
  'add-page-numbers-pdf',
  'edit-pdf-metadata',
  'linearize-pdf',
  'crop-pdf',
  'redact-pdf',
  'sanitize-pdf',
  'grayscale-pdf',
  'remove-blank-pages-pdf',
  'pdf-info',
  'compress',
] as const
export type ToolOperation = (typeof toolOperations)[number]

/** What a capability is for. */
export const operations = [
  'convert',
  'merge',
  ...toolOperations,
  'thumbnail',
  'watermark',
  'metadata',
  'metadata/write',
  'archive',
  'extract',
  // Before another, where a document needs a password: nobody asks for it alone.
  'unlock',
] as const
export type Operation = (typeof operations)[number]

/** Files that an operation takes after its first. */
interface AdditionalInputs {
  readonly from: readonly FormatId[]
  readonly min: number
  readonly max: number
}

/** One row of what an engine can do: every `from` to every `to` (but not to itself), at a cost. */
export interface Capability {
  readonly operation: Operation
  readonly from: readonly FormatId[]
  /** Of `extract`, whose files are of any format, the archive's own: it asks for nothing to be converted. */
  readonly to: readonly FormatId[]
  /** Also each format to itself, where it is in both lists: jpg to jpg with another quality. */
  readonly same?: true
  /** Pairs of the row that do not work. */
  readonly except?: readonly (readonly [from: FormatId, to: FormatId])[]
  /** Files with one of these are drawn otherwise than they are meant: another way is taken where there is one. */
  readonly unsupportedTraits?: readonly Trait[]
  /** None when left out: one file goes in. */
  readonly more?: AdditionalInputs
  /** Public parameter names with `describe`; unknown ones never reach it. Parsed before `run` sees them. */
  readonly options: z.ZodObject
  /** Rough seconds for a typical file on a warm engine, plus a penalty for what the way loses. */
  readonly cost: number
  /** What is dropped by design that others keep, as `The layout of pages is`: told where this is not the first choice. */
  readonly drops?: string
}

/** A file that a step works on. */
export interface InputFile {
  /** Absolute, inside the work folder, with a name of ours and the format's extension. */
  readonly path: string
  /** As the client named it; for display and output names only, never part of a path or an argument. */
  readonly filename: string
  readonly format: FormatId
  /** Bytes. */
  readonly size: number
}

/** One of the shares into which a step was split, in its engine's own words: JSON, which a record keeps for the worker. */
export type ChunkSpec = Readonly<Record<string, unknown>>

/** A share as `split` gives it. */
export interface Chunk {
  readonly spec: ChunkSpec
  /** What it works on in place of the inputs, where it needs only this much of them. */
  readonly file?: OutputFile
}

/** Who could take shares of a step. */
export interface WorkerPool {
  /**
   * Those that are free, this one among them. On one machine they have its processors in common, so that an engine that
   * keeps several of them busy gains by fewer workers.
   */
  readonly workers: number
  /** Seconds after which the run of a step, or of a share of one, is ended. */
  readonly timeoutS: number
}

/** What `run` made of a share. */
export interface ChunkResult {
  readonly spec: ChunkSpec
  readonly files: readonly InputFile[]
  readonly details?: EngineResult['details'] | undefined
}

/** One step: what is to be made of which files. */
export interface EngineWork {
  readonly operation: Operation
  readonly inputs: readonly InputFile[]
  readonly from: FormatId
  readonly to: FormatId
  /** Already parsed by the capability's schema. */
  readonly options: unknown
  /** Only this much of it: one of what `split` gave. */
  readonly chunk?: ChunkSpec | undefined
  /** Empty folder of this step; results go here. */
  readonly outDir: string
}

export interface ExecOptions {
  /** Seconds; the step's own limit when left out. */
  readonly timeoutS?: number
  /** Bytes that the program may write to one file. */
  readonly maxFileBytes?: number
  /** Bytes of address space. */
  readonly maxMemoryBytes?: number
  /** Extra environment; nothing else is inherited but PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>>
  /** Called with each line of stdout as it comes (progress); stdout is still collected up to the cap. */
  readonly onLine?: (line: string) => void
  readonly stdin?: string
  /** Ends the program before its time, besides the step's own signal; its reason is thrown. */
  readonly signal?: AbortSignal
  /** Exit codes that are a success; [0] when left out. */
  readonly okCodes?: readonly number[]
  /** Files and folders that it may read besides the system's programs, libraries and fonts. */
  readonly readOnly?: readonly string[]
  /** Runs in this one instead of a new one: it gets the arguments as a line of JSON on stdin, all else it has already. */
  readonly prestarted?: PrestartedProcess | undefined
}

/** What the runner of a step lends to its engine. */
export interface Tools {
  /** Runs a program in the sandbox of this step: no shell, no network, only the work folder writable. */
  exec(
    bin: string,
    args: readonly string[],
    options?: ExecOptions,
  ): Promise<{ stdout: string; stderr: string }>
  /** 0 to 1 of this step; it may be called with any value at any rate, the caller keeps it from falling. */
  progress(ratio: number, stage?: string): void
  /** Tells the client that something was dropped or substituted; it does not fail the job. */
  warn(code: string, message: string): void
  readonly signal: AbortSignal
  /** Folder that holds inputs, scratch files and `outDir`; the only place the step may write to. */
  readonly workDir: string
}

/** A file that a step has made. */
export interface OutputFile {
  readonly path: string
  /** Suffix before the extension where a step gives several files, as `-page-001`. */
  readonly suffix?: string
  /** Set where the bytes are another format than asked for, as a ZIP of pages. */
  readonly format?: FormatId
  /** Its own name, where it has one, as a member of an archive; what it is then shows by its content. */
  readonly filename?: string
}

/** Less of the source came through than should have. */
export interface Shortfall {
  /** 0 to 1: what is there of what should be. */
  readonly kept: number
  /** Told when no other way gives more. */
  readonly warning: { readonly code: string; readonly message: string }
}

export interface EngineResult {
  readonly files: readonly [OutputFile, ...OutputFile[]]
  /** Of the last step: another way is tried, and what kept the most is the result. */
  readonly shortfall?: Shortfall
  /** How it was done, where a user cares: `stream-copy` or `encode`. */
  readonly method?: 'stream-copy' | 'encode'
  /** Files in the archives that went in and came out, as their own programs tell. */
  readonly memberCounts?: { readonly source?: number; readonly result?: number }
  /** Text of the source that its author does not show: where it is not in the result, nothing is lost. */
  readonly hiddenText?: string
  /** Public facts about the result, as `{ pages: 3 }`. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** What one step may take: MiB of memory, MiB on disk, seconds. */
export interface EngineLimits {
  readonly memoryMb: number
  readonly diskMb: number
  readonly timeoutS: number
}

export interface Engine {
  readonly id: EngineId
  readonly image: ImageId
  readonly capabilities: readonly Capability[]
  readonly limits: EngineLimits
  /** Command that prints the version, or a function where the engine is a library in this process. */
  readonly version: readonly [bin: string, ...args: string[]] | (() => string)
  /**
   * @throws AppError (CORRUPT_FILE, PDF_ENCRYPTED, CONVERSION_FAILED …) when trying again cannot help; any
   * other error costs an attempt and the step is tried again.
   */
  run(work: EngineWork, tools: Tools): Promise<EngineResult>
  /**
   * Shares out a step that takes long among workers, in the order in which they are to be joined; undefined where that
   * would not be faster and the step ends in time by itself. Each share is run by itself, with the same options.
   */
  split?(work: EngineWork, tools: Tools, pool: WorkerPool): Promise<readonly Chunk[] | undefined>
  /** Makes of the results of all shares what `run` makes of the whole. */
  join?(work: EngineWork, results: readonly ChunkResult[], tools: Tools): Promise<EngineResult>
  /** Whether `join` works on the inputs, too; otherwise they are named, but are not there. */
  joinNeedsInputs?(step: Pick<EngineWork, 'operation' | 'from'>): boolean
  /** Loads what makes the first job fast. */
  warm?(): Promise<void>
  /** Ends processes that stay between jobs. */
  close?(): Promise<void>
}
