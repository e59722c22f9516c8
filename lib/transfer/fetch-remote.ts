import { createHash } from 'node:crypto'
import { addAbortSignal } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { isUndecodable } from './content-decoding.ts'
import { RemoteError } from './remote-error.ts'
import { piecesOf } from './stream-chunks.ts'
import type { RemoteFile } from './transfer.ts'

/** Times that a file is read on after its connection was lost, and milliseconds before the first of them. */
const mostResumed = 3
const pauseMs = 500

interface Receiving {
  /** More is refused. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Is told of what comes in. */
  readonly got: (chunk: Buffer) => void
  /** Keeps what it reads to the end. */
  readonly store: (body: AsyncIterable<Buffer>) => Promise<void>
}

/**
 * Reads a file from elsewhere once, whatever it takes, and hashes it on the way.
 * @throws AppError FILE_TOO_LARGE; RemoteError
 */
export async function receive(
  file: RemoteFile,
  receiving: Receiving,
): Promise<{ size: number; sha256: string }> {
  const { maxBytes, store } = receiving
  if (file.size !== undefined && file.size > maxBytes) throw tooLarge(maxBytes, file.size)
  const sum = createHash('sha256')
  let size = 0
  await store(
    bytesOf(file, receiving, (chunk) => {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      sum.update(chunk)
    }),
  )
  return { size, sha256: sum.digest('hex') }
}

async function* bytesOf(
  file: RemoteFile,
  { signal, got }: Receiving,
  seen: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  let at = 0
  for (let resumed = 0; ; resumed++) {
    try {
      const body = addAbortSignal(signal, await file.open(at, signal))
      for await (const chunk of piecesOf(body)) {
        at += chunk.length
        seen(chunk)
        got(chunk)
        yield chunk
      }
      if (file.size === undefined || at === file.size) return
      throw new RemoteError('incomplete', `The file ended after ${at} of ${file.size} bytes.`)
    } catch (error) {
      signal.throwIfAborted()
      const passing = error instanceof AppError ? undefined : asRemote(error, at)
      if (!passing?.isPassing) throw passing ?? error
      const canGoOn = file.isResumable && at > 0 && resumed < mostResumed && !passing.details['changed']
      if (!canGoOn) throw passing
      await sleep(pauseMs * 2 ** resumed, undefined, { signal })
    }
  }
}

function asRemote(cause: unknown, at: number): RemoteError {
  if (cause instanceof RemoteError) return cause
  if (isUndecodable(cause)) {
    const sentence = 'The file is not compressed in the way that its server says (Content-Encoding).'
    return new RemoteError('incomplete', sentence, { cause, isPassing: false })
  }
  const isSilent = cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_BODY_TIMEOUT'
  const sentence = isSilent
    ? `Nothing more came after ${at} bytes`
    : `The connection was lost after ${at} bytes`
  return new RemoteError('incomplete', `${sentence}.`, { cause })
}

const tooLarge = (max: number, got?: number) =>
  new AppError(
    'FILE_TOO_LARGE',
    `The file is larger than the ${max} bytes that are accepted${got === undefined ? '' : `: it has ${got}`}.`,
    { max, ...(got !== undefined && { got }) },
  )
