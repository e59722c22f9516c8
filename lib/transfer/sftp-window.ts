import type { Readable } from 'node:stream'
import type { SFTPWrapper } from 'ssh2'
import { readIntoPooledBuffer, releaseBuffer } from '../io/buffer-pool.ts'
import { createGarbageCollector } from '../io/collect-garbage.ts'
import { readChunks } from './stream-chunks.ts'

interface SilenceWatch {
  pendingRequests: number
  readonly timer: NodeJS.Timeout
}
const watchesBySession = new WeakMap<SFTPWrapper, SilenceWatch>()

/**
 * Calls `onSilence` if a connected server leaves all pending requests unanswered for this long.
 * @returns a function that stops watching.
 */
export function limitSilence(sftp: SFTPWrapper, timeoutMs: number, onSilence: () => void): () => void {
  const timer = setTimeout(
    () => (watchesBySession.get(sftp)?.pendingRequests ? onSilence() : timer.refresh()),
    timeoutMs,
  )
  watchesBySession.set(sftp, { pendingRequests: 0, timer })
  return () => clearTimeout(timer)
}

/** Sends a request to the server and returns its response as a promise. */
export function sendRequest<T>(
  sftp: SFTPWrapper,
  send: (callback: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  const watch = watchesBySession.get(sftp)
  if (watch?.pendingRequests === 0) watch.timer.refresh()
  if (watch) watch.pendingRequests++
  return new Promise((resolve, reject) => {
    // Requests on a closed connection would never be answered. The types lack `readable`.
    if ((sftp as { readable?: boolean }).readable === false) reject(new Error('the connection is closed'))
    send((error, value) => {
      if (watch) watch.pendingRequests--
      watch?.timer.refresh()
      if (error) reject(error)
      else resolve(value as T) // defined if there is no error
    })
  })
}

/**
 * Pipelined reads and writes. Each one is a request with a response, so sending one at a time would cost a round trip
 * for each chunk.
 */

const chunkBytes = 128 * 1024
/** Maximum number of concurrent requests: 2 MiB in flight, which is the channel window of OpenSSH and the library. */
const maxConcurrent = 16

/** Yields the bytes from `start` to the end, in order. */
export async function* readSftpAhead(
  sftp: SFTPWrapper,
  handle: Buffer,
  start: number,
): AsyncGenerator<Buffer> {
  const pendingChunks: Promise<Buffer>[] = []
  let nextOffset = start
  // Garbage is collected while reading, because the library creates a new buffer for each received packet.
  const collectGarbage = createGarbageCollector()
  for (;;) {
    while (pendingChunks.length < maxConcurrent) {
      const chunk = readChunk(sftp, handle, nextOffset)
      // The consumer gets the error when it reaches this chunk, unless it has stopped reading.
      chunk.catch(() => {})
      pendingChunks.push(chunk)
      nextOffset += chunkBytes
    }
    const bytes = await pendingChunks.shift()
    if (!bytes || bytes.length === 0) return
    collectGarbage(bytes.length)
    const isLast = bytes.length < chunkBytes
    yield bytes
    if (isLast) return
  }
}

/** Reads a whole chunk, or less at the end of the file. A server may return less than requested. */
const readChunk = (sftp: SFTPWrapper, handle: Buffer, at: number): Promise<Buffer> =>
  readIntoPooledBuffer(async ({ buffer }) => {
    const bytes = Buffer.from(buffer, 0, chunkBytes)
    let bytesSoFar = 0
    while (bytesSoFar < chunkBytes) {
      const count = await readSome(sftp, handle, bytes, { bytesSoFar, at })
      if (count === 0) break
      bytesSoFar += count
    }
    return { bytesRead: bytesSoFar }
  })

const endOfFileStatus = 1

const readSome = (
  sftp: SFTPWrapper,
  handle: Buffer,
  bytes: Buffer,
  { bytesSoFar, at }: { readonly bytesSoFar: number; readonly at: number },
) =>
  sendRequest<number>(sftp, (callback) =>
    sftp.read(handle, bytes, bytesSoFar, bytes.length - bytesSoFar, at + bytesSoFar, callback),
  ).catch((error: Error & { code?: unknown }) => {
    if (error.code === endOfFileStatus) return 0
    throw error
  })

/**
 * Writes a stream, beginning at `start`.
 * @param onWritten called with the position up to which all bytes are written.
 */
export async function writeAhead(
  sftp: SFTPWrapper,
  handle: Buffer,
  body: Readable,
  { start, onWritten }: { readonly start: number; readonly onWritten: (to: number) => void },
): Promise<void> {
  const pendingChunks: Promise<number>[] = []
  let at = start
  const awaitOldest = async () => onWritten((await pendingChunks.shift()) ?? start)
  // Garbage is collected while writing, because the library creates a new buffer for each packet.
  const collectGarbage = createGarbageCollector()
  for await (const bytes of toChunks(body)) {
    const [chunkStart, to] = [at, at + bytes.length]
    const chunk = sendRequest<void>(sftp, (callback) =>
      sftp.write(handle, bytes, 0, bytes.length, chunkStart, callback),
    )
    const chunkPromise = chunk.then(() => {
      releaseBuffer(bytes)
      return to
    })
    chunkPromise.catch(() => {})
    pendingChunks.push(chunkPromise)
    collectGarbage(bytes.length)
    at = to
    if (pendingChunks.length >= maxConcurrent) await awaitOldest()
  }
  while (pendingChunks.length > 0) await awaitOldest()
}

/** Splits or joins the chunks of a stream to a size that suits the server. */
async function* toChunks(body: Readable): AsyncGenerator<Buffer> {
  let bufferedChunks: Buffer[] = []
  let bufferedBytes = 0
  for await (const bytes of readChunks(body)) {
    bufferedChunks.push(bytes)
    bufferedBytes += bytes.length
    if (bufferedBytes < chunkBytes) continue
    const allBytes = bufferedChunks.length === 1 ? bytes : Buffer.concat(bufferedChunks)
    const wholeChunkBytes = allBytes.length - (allBytes.length % chunkBytes)
    for (let at = 0; at < wholeChunkBytes; at += chunkBytes) yield allBytes.subarray(at, at + chunkBytes)
    bufferedBytes = allBytes.length - wholeChunkBytes
    bufferedChunks = bufferedBytes > 0 ? [allBytes.subarray(wholeChunkBytes)] : []
  }
  if (bufferedBytes > 0) yield Buffer.concat(bufferedChunks)
}
