import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { defined } from '../validation/defined.ts'
import { isDecodingError } from './content-decoding.ts'
import { RemoteError } from './remote-error.ts'
import { readChunks } from './stream-chunks.ts'
import type { RemoteFile } from './transfer.ts'

/** Maximum number of times a download resumes after a lost connection. */
const maxResumptions = 3
/** Delay before the first resumption in milliseconds; it doubles with each further resumption. */
const pauseMs = 500

interface FetchOptions {
  /** Maximum size in bytes; larger files are refused. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Called with each received chunk. */
  readonly onChunk: (chunk: Buffer) => void
  /** Reads the body to its end and stores it. */
  readonly store: (body: AsyncIterable<Buffer>) => Promise<void>
}

/**
 * Reads a remote file once, resuming if necessary, and computes its hash.
 * @throws AppError FILE_TOO_LARGE; RemoteError
 */
export async function fetchRemoteFile(
  file: RemoteFile,
  options: FetchOptions,
): Promise<{ size: number; sha256: string }> {
  const { maxBytes, store } = options
  if (file.size !== undefined && file.size > maxBytes) throw createFileTooLargeError(maxBytes, file.size)
  const hash = createHash('sha256')
  let size = 0
  await store(
    readWithResumption(file, options, (chunk) => {
      size += chunk.length
      if (size > maxBytes) throw createFileTooLargeError(maxBytes)
      hash.update(chunk)
    }),
  )
  return { size, sha256: hash.digest('hex') }
}

async function* readWithResumption(
  file: RemoteFile,
  { signal, onChunk }: FetchOptions,
  checkChunk: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let at = 0
  for (let resumeCount = 0; ; resumeCount++) {
    try {
      const body = addAbortSignal(signal, await file.open(at, signal))
      for await (const chunk of readChunks(body)) {
        at += chunk.length
        checkChunk(chunk)
        onChunk(chunk)
        yield chunk
      }
      if (file.size === undefined || at === file.size) return
      throw new RemoteError('incomplete', `The file ended after ${at} of ${file.size} bytes.`)
    } catch (error) {
      signal.throwIfAborted()
      const remoteError = error instanceof AppError ? undefined : toRemoteError(error, at)
      if (!remoteError?.isTransient) throw remoteError ?? error
      const canResume =
        file.isResumable && at > 0 && resumeCount < maxResumptions && !remoteError.details['changed']
      if (!canResume) throw remoteError
      await sleep(pauseMs * 2 ** resumeCount, undefined, { signal })
    }
  }
}

function toRemoteError(cause: unknown, at: number): RemoteError {
  if (cause instanceof RemoteError) return cause
  if (isDecodingError(cause)) {
    const sentence = 'The file is not compressed as its server declares in Content-Encoding.'
    return new RemoteError('incomplete', sentence, { cause, isTransient: false })
  }
  const hasTimedOut = cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_BODY_TIMEOUT'
  const sentence = hasTimedOut
    ? `The server sent no more data after ${at} bytes`
    : `The connection was lost after ${at} bytes`
  return new RemoteError('incomplete', `${sentence}.`, { cause })
}

const createFileTooLargeError = (max: number, size?: number) =>
  new AppError(
    'FILE_TOO_LARGE',
    `The file is larger than the limit of ${max} bytes${size === undefined ? '' : `: it has ${size}`}.`,
    { max, ...defined({ got: size }) },
  )
