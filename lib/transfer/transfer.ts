import type { Readable } from 'node:stream'
import type { ByteRange } from '../io/byte-range.ts'
import type { GuardedHttp } from './guarded-http.ts'

/** Interfaces for finding, reading and storing files, which all kinds of remote stores implement. */

/** A file on a remote server. */
export interface RemoteFile {
  /** Name of the file on the remote server. */
  readonly filename: string
  /** Size in bytes; undefined if the server does not report it in advance. */
  readonly size: number | undefined
  /** Whether reading can resume at any position, with a check that the file is unchanged. */
  readonly isResumable: boolean
  /** Opens the file for reading, beginning at `start`. @throws RemoteError, AppError */
  open(start: number, signal: AbortSignal): Promise<Readable>
}

/** A file that an export task sends to a store. */
export interface OutgoingFile {
  /** Path, key or name under which the store saves the file. */
  readonly path: string
  /** Size in bytes. */
  readonly size: number
  readonly mimeType: string
  /** SHA-256 in lower-case hex. */
  readonly sha256: string
  open(range: ByteRange): Promise<Readable>
}

export interface TransferDeps {
  readonly guardedHttp: GuardedHttp
  readonly signal: AbortSignal
  /** Called with the trace that the next attempt needs if this process crashes; see `cleanUp`. */
  readonly onStarted?: (trace: string) => Promise<void>
  /** URL that replaces Google's endpoint. */
  readonly gcsEndpoint?: string | undefined
}

export type TaskFields = Readonly<Record<string, unknown>>

/** Finds the files that an import task names in its fields. @throws RemoteError, AppError */
export type FindFiles = (fields: TaskFields, deps: TransferDeps) => Promise<readonly RemoteFile[]>

/** A website captured by a browser. */
interface CapturedWebsite {
  readonly file: RemoteFile
  readonly warnings: readonly { readonly code: string; readonly message: string }[]
}

/**
 * Captures the website that a task names in its fields, and writes it to a file in the task's folder.
 * @throws RemoteError, AppError
 */
export type CaptureFile = (
  fields: TaskFields,
  deps: TransferDeps & { readonly workDir: string; progress(percent: number): void },
) => Promise<CapturedWebsite>

/** A remote store that files are exported to. */
export interface RemoteStore {
  /**
   * Stores a file. Replaces an existing one, except in a drive; a failed upload leaves nothing behind.
   * @param onSent called with the number of bytes sent since the last call.
   * @returns the location, such as `s3://bucket/key`.
   * @throws RemoteError, AppError
   */
  put(file: OutgoingFile, onSent: (bytes: number) => void): Promise<string>
  /**
   * Removes what a crashed attempt left behind, as far as possible, or prepares to skip the files that the crashed
   * attempt had already stored.
   */
  cleanUp?(trace: string): Promise<void>
  close(): Promise<void>
}

/** Opens the store that an export task names in its fields. */
export type OpenStore = (fields: TaskFields, deps: TransferDeps) => Promise<RemoteStore>
