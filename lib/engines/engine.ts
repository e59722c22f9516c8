import type * as z from 'zod'
import type { EngineId, ImageId } from '../component-ids.ts'
import type { Trait } from '../formats/detect/traits.ts'
import type { FormatId } from '../formats/index.ts'
import type { Unit } from '../model/fidelity.ts'
import type { Warning } from '../model/job.ts'
import type { Operation } from '../model/operations.ts'
import type { Feature } from '../model/stored-summary.ts'
import type { WarningDetails } from '../model/warning-details.ts'
import type { PrestartedProcess } from './sandbox/command.ts'

/** Formats and number of the input files that an operation accepts in addition to the first one. */
interface AdditionalInputs {
  readonly from: readonly FormatId[]
  readonly min: number
  readonly max: number
}

/** One row of an engine's capability table: converts every `from` to every other `to`, at a cost. */
export interface Capability {
  readonly operation: Operation
  readonly from: readonly FormatId[]
  /** The target formats. For `extract`, which returns files of any format, this is the format of the archive itself. */
  readonly to: readonly FormatId[]
  /** Set if formats in both lists can also be converted to themselves, such as jpg to jpg with another quality. */
  readonly same?: true
  /** Pairs of this row that are not supported. */
  readonly except?: readonly (readonly [from: FormatId, to: FormatId])[]
  /** Files with one of these traits would be rendered incorrectly, so another route is preferred for them. */
  readonly unsupportedTraits?: readonly Trait[]
  /** If omitted, the operation takes exactly one file. */
  readonly more?: AdditionalInputs
  /**
   * Public option names with their descriptions. The schema parses the options before `run` and removes unknown
   * options.
   */
  readonly options: z.ZodObject
  /** Approximate seconds for a typical file on a warm engine, plus a penalty for what the conversion loses. */
  readonly cost: number
  /**
   * Warning about what this row loses by design, such as `The page layout was lost: …`. Clients get it if the row is
   * used as a fallback.
   */
  readonly lossWarning?: string
}

/** An input file of a step. */
export interface InputFile {
  /** Absolute path inside the work folder, with a generated name and the format's extension. */
  readonly path: string
  /** Name from the client, only for display and output names. Never use it in a path or an argument. */
  readonly filename: string
  readonly format: FormatId
  /** In bytes. */
  readonly size: number
  /** Set only for a file that the client sent, not for one that a conversion created. */
  readonly traits?: readonly Trait[] | undefined
}

/** Describes one chunk of a split step in the engine's own terms. It is stored as JSON for the worker that runs it. */
export type ChunkSpec = Readonly<Record<string, unknown>>

/** A chunk as returned by `split`. */
export interface Chunk {
  readonly spec: ChunkSpec
  /** Replaces the inputs of the step if the chunk needs only a part of them. */
  readonly file?: OutputFile
}

/** Workers that can run chunks of a step. */
export interface WorkerPool {
  /**
   * Number of idle workers, including the current one. On a single machine they share its processors, so an engine that
   * uses several threads benefits from fewer chunks.
   */
  readonly workers: number
  /** Seconds after which a step, or a chunk of one, is aborted. */
  readonly timeoutS: number
}

/** What `run` produced for one chunk. */
export interface ChunkResult {
  readonly spec: ChunkSpec
  readonly files: readonly InputFile[]
  readonly details?: EngineResult['details'] | undefined
}

/** One step of a conversion: which files to process, and how. */
export interface EngineWork {
  readonly operation: Operation
  readonly inputs: readonly InputFile[]
  readonly from: FormatId
  readonly to: FormatId
  /** Options that the capability's schema has parsed. */
  readonly options: unknown
  /** Set to run only this chunk of the step, as returned by `split`. */
  readonly chunk?: ChunkSpec | undefined
  /** Empty folder for the results of this step. */
  readonly outDir: string
}

export interface ExecOptions {
  /** Time limit in seconds. Defaults to the remaining time of the step. */
  readonly timeoutS?: number
  /** Size limit for each file that the program writes. */
  readonly maxFileBytes?: number
  /** Maximum address space. */
  readonly maxMemoryBytes?: number
  /** Additional environment variables; only PATH, HOME and LANG are set otherwise. */
  readonly env?: Readonly<Record<string, string>>
  /** Called with each line of stdout as it arrives, for progress. Stdout is still collected up to its limit. */
  readonly onLine?: (line: string) => void
  readonly stdin?: string
  /** Encoding of stdout. Defaults to `utf8`, which replaces invalid bytes; `latin1` keeps every byte. */
  readonly encoding?: 'utf8' | 'latin1'
  /** Stops the program early, in addition to the step's own signal. The abort reason is thrown. */
  readonly signal?: AbortSignal
  /** Exit codes that count as success. Defaults to [0]. */
  readonly okCodes?: readonly number[]
  /** Files and folders that the program may read in addition to system programs, libraries and fonts. */
  readonly readOnly?: readonly string[]
  /** Uses this process instead of starting one. It receives the arguments as one line of JSON on stdin. */
  readonly prestarted?: PrestartedProcess | undefined
}

/** Functions and limits that a step's runner provides to the engine. */
export interface Tools {
  /** Runs a program in the sandbox of this step: no shell, no network, write access only to the work folder. */
  exec(
    bin: string,
    args: readonly string[],
    options?: ExecOptions,
  ): Promise<{ stdout: string; stderr: string }>
  /** Reports the progress of this step (0 to 1). It may be called often and with any value; decreases are ignored. */
  progress(ratio: number, stage?: string): void
  /**
   * Warns the client that content was dropped or replaced. The job continues.
   * @param details the numbers and names in the message, for clients in other languages.
   */
  warn(code: string, message: string, details?: WarningDetails): void
  readonly signal: AbortSignal
  /** Folder with the inputs, temporary files and `outDir`. The step may write only here. */
  readonly workDir: string
  /**
   * Sends a request to the engine's host. Requests, replies and notices are JSON.
   * @param onNotice receives what the host reports before it replies.
   * @throws what the host throws.
   */
  host(request: unknown, onNotice?: (notice: unknown) => void): Promise<unknown>
}

/**
 * The part of an engine that runs in the worker, because its processes are kept between jobs and decoder processes are
 * not. It parses no files.
 */
export interface EngineHost {
  /** Begins to serve one run of the engine's code. */
  serve(step: HostedStep): HostSession
}

/** What a host may do for the code of its engine. A malicious file may have taken control of that code. */
export interface HostedStep {
  /** Runs programs in the work folder of the engine's code. Its signal is aborted when that code has ended. */
  readonly tools: Tools
  /**
   * Takes an input, or a file at the top level of the work folder of the engine's code, and returns its path outside
   * that folder.
   */
  take(path: string): Promise<string>
  /** Returns a path outside the work folder of the engine's code, for a new file of the host. */
  createPath(extension: string): string
  /** Moves a file that the host created to the top level of the work folder of the engine's code. */
  give(path: string, to: string): Promise<void>
}

export interface HostSession {
  /** Handles a request of the engine's code, which is not validated yet. */
  answer(request: unknown, notify: (notice: unknown) => void): Promise<unknown>
}

/** A file produced by a step. */
export interface OutputFile {
  readonly path: string
  /** Suffix before the extension, such as `-page-001`, if a step produces several files. */
  readonly suffix?: string
  /** Set if the file has a different format than requested, such as a ZIP of pages. */
  readonly format?: FormatId
  /**
   * Set if the file already had a name, such as a member of an archive. Its format is then detected from its content.
   */
  readonly filename?: string
}

/** Reports that the result retains less of the source than it should. */
export interface Shortfall {
  /** Fraction of the source that was kept (0 to 1). */
  readonly kept: number
  /** Sent to the client if no fallback keeps more. */
  readonly warning: Warning
}

/** Content summary of an image. Words are not counted, because the text of the image is not read. */
export interface ImageSummary {
  readonly counts: Readonly<Partial<Record<Exclude<Unit, 'words' | 'seconds'>, number>>>
  readonly features: readonly Feature[]
}

export interface EngineResult {
  readonly files: readonly [OutputFile, ...OutputFile[]]
  /**
   * Content summaries of those inputs and results that are images, by path. They were counted in the process of the
   * engine. A result with a summary was written completely.
   */
  readonly images?: ReadonlyMap<string, ImageSummary>
  /**
   * Set if the result retains too little. In the last step, fallbacks are then tried, and the result that retains the
   * most is used.
   */
  readonly shortfall?: Shortfall
  /** The program that made the result, if it is not the one whose version the engine reports. */
  readonly program?: { readonly name: string; readonly version: string }
  /** Whether media streams were copied or re-encoded. */
  readonly method?: 'stream-copy' | 'encode'
  /** Numbers of files in the source and result archives, as reported by the archive programs. */
  readonly memberCounts?: { readonly source?: number; readonly result?: number }
  /** Text that the source hides from its readers. Its absence in the result is not a loss. */
  readonly hiddenText?: string
  /** Public facts about the result, such as `{ pages: 3 }`. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Resource limits of one step: memory and disk space in MiB, time in seconds. */
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
  /** Command that prints the version, or a function that returns it if the engine is a library in this process. */
  readonly version: readonly [bin: string, ...args: string[]] | (() => string)
  /** The part of the engine that runs in the worker, with processes that are kept between jobs. */
  readonly host?: EngineHost
  /** Whether the engine runs in the worker. Set only for engines of tests, which decoder processes cannot load. */
  readonly runsInWorker?: true
  /**
   * Performs the work, in a decoder process (lib/decoders/engine-program.ts).
   * @throws AppError (CORRUPT_FILE, PDF_ENCRYPTED, CONVERSION_FAILED …) if a retry cannot help. After any other error
   * the step is retried while attempts remain.
   */
  run(work: EngineWork, tools: Tools): Promise<EngineResult>
  /**
   * Splits a long step into chunks for several workers, in the order in which their results are joined. Each chunk runs
   * separately, with the same options. Returns undefined if one worker finishes in time and chunks would not be faster.
   */
  split?(work: EngineWork, tools: Tools, pool: WorkerPool): Promise<readonly Chunk[] | undefined>
  /** Joins the results of all chunks into what `run` would have produced for the whole step. */
  join?(work: EngineWork, results: readonly ChunkResult[], tools: Tools): Promise<EngineResult>
  /** Whether `join` reads the input files. If not, their paths are set but the files are not downloaded. */
  joinNeedsInputs?(step: Pick<EngineWork, 'operation' | 'from'>): boolean
  /** Preloads what the first job needs, to make it faster. */
  warm?(): Promise<void>
  /** Stops processes that are kept between jobs. */
  close?(): Promise<void>
}
