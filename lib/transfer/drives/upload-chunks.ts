import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { tapStream } from '../../io/collect-garbage.ts'
import { RemoteError } from '../remote-error.ts'
import { createByteReporter } from '../report-bytes.ts'
import type { OutgoingFile } from '../transfer.ts'

/** Maximum number of times a chunk is sent again after a transient failure. */
const maxRetries = 3
/** Delay before the first retry in milliseconds; it doubles with each further retry. */
const pauseMs = 500

/** An upload session of a drive. */
interface ChunkSession<T> {
  readonly chunkBytes: number
  /** Sends a chunk. @returns what the drive stored, if it has the whole file now */
  send(range: ChunkRange, body: Readable): Promise<T | undefined>
  /** Asks the drive for the offset at which to continue. @param at the offset of the chunk that failed. */
  findOffset(at: number): Promise<number>
}
interface ChunkRange {
  readonly start: number
  readonly end: number
}

/** Sends a non-empty file in chunks. @returns the reply to the last chunk */
export async function uploadInChunks<T>(
  file: OutgoingFile,
  session: ChunkSession<T>,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (bytes: number) => void },
): Promise<T | undefined> {
  const reportPosition = createByteReporter(onSent)
  const sendRange = async (range: ChunkRange): Promise<T | undefined> => {
    let at = range.start
    const body = tapStream(await file.open({ ...range, releasesBuffers: true }), ({ length }) => {
      at += length
      reportPosition(at)
    })
    return session.send(range, body)
  }
  let at = 0
  let result: T | undefined
  for (let failures = 0; at < file.size; ) {
    try {
      if (failures > 0) at = await session.findOffset(at)
      const range = { start: at, end: Math.min(at + session.chunkBytes, file.size) }
      if (at < file.size) result = await sendRange(range)
      at = range.end
      failures = 0
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RemoteError && error.isTransient) || failures >= maxRetries) throw error
      await sleep(pauseMs * 2 ** failures++, undefined, { signal })
    }
  }
  return result
}
