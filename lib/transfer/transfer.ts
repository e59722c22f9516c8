import type { Readable } from 'node:stream'
import type { GuardedHttp } from './guarded-http.ts'

/** What kinds of stores have in common: finding files there, reading them, and taking files there. */

/** A file that somebody else has. */
export interface RemoteFile {
  /** As it is called there. */
  readonly filename: string
  /** Bytes; undefined where nobody says before. */
  readonly size: number | undefined
  /** It can be read on from anywhere, and is then surely the same. */
  readonly isResumable: boolean
  /** @throws RemoteError, AppError */
  open(start: number, signal: AbortSignal): Promise<Readable>
}

/** A file of a job on its way out. */
export interface OutgoingFile {
  /** Where it is to go, as the export names it. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly mimeType: string
  /** Lower-case hex. */
  readonly sha256: string
  open(range: ByteRange): Promise<Readable>
}

/** Bytes `start` to `end` (exclusive). */
export interface ByteRange {
  readonly start: number
  readonly end: number
  /** Whoever reads them gives back each piece (`lib/buffer-pool.ts`); else they are copies, which stay as they came. */
  readonly releasesBuffers?: boolean
}

export interface TransferDeps {
  readonly guardedHttp: GuardedHttp
  readonly signal: AbortSignal
  /** Is told, before the first byte goes out, what the store would keep if this process died then; see `Store.forget`. */
  readonly onStarted?: (trace: string) => Promise<void>
  /** In place of Google's own. */
  readonly gcsEndpoint?: string | undefined
}

export type TaskFields = Readonly<Record<string, unknown>>

/** Brings in what the fields of an import name. @throws RemoteError, AppError */
export type FindFiles = (fields: TaskFields, deps: TransferDeps) => Promise<readonly RemoteFile[]>

/** What a browser made of a website. */
export interface CapturedWebsite {
  readonly file: RemoteFile
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

/** Makes a file of the website that the fields name, in a folder of the task. @throws RemoteError, AppError */
export type CaptureFile = (
  fields: TaskFields,
  deps: TransferDeps & { readonly workDir: string; progress(percent: number): void },
) => Promise<CapturedWebsite>

/** Somebody else's store while files are taken there. */
export interface RemoteStore {
  /**
   * Replaces what is there under this path; nothing stays of what fails.
   * @param onSent is told bytes as they go out.
   * @returns where it is now, as `s3://bucket/key`.
   * @throws RemoteError, AppError
   */
  put(file: OutgoingFile, onSent: (bytes: number) => void): Promise<string>
  /** Removes what was left by one that died in the middle, as far as that can be done. */
  cleanUp?(trace: string): Promise<void>
  close(): Promise<void>
}

/** Opens the store that the fields of an export name. */
export type OpenStore = (fields: TaskFields, deps: TransferDeps) => Promise<RemoteStore>
