import type { Readable } from 'node:stream'
import type { SFTPWrapper } from 'ssh2'
import { readIntoPooledBuffer, releaseBuffer } from '../buffer-pool.ts'
import { createGarbageCollector } from '../collect-garbage.ts'
import { readChunks } from './stream-chunks.ts'

interface SilenceWatch {
  pendingRequests: number
  readonly timer: NodeJS.Timeout
}
const watches = new WeakMap<SFTPWrapper, SilenceWatch>()

/**
 * Calls back when a server that has questions to answer answers none of them for so long, though it is there.
 * @returns what ends it.
 */
export function limitSilence(sftp: SFTPWrapper, ms: number, onSilence: () => void): () => void {
  const timer = setTimeout(() => (watches.get(sftp)?.pendingRequests ? onSilence() : timer.refresh()), ms)
  watches.set(sftp, { pendingRequests: 0, timer })
  return () => clearTimeout(timer)
}

/** A question to the server as a promise. */
export function sendRequest<T>(
  sftp: SFTPWrapper,
  send: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  const watch = watches.get(sftp)
  if (watch?.pendingRequests === 0) watch.timer.refresh()
  if (watch) watch.pendingRequests++
  return new Promise((resolve, reject) => {
    // What is asked of a connection that is over is never answered. The types do not know of it.
    if ((sftp as { readable?: boolean }).readable === false) reject(new Error('the connection is over'))
    send((error, value) => {
      if (watch) watch.pendingRequests--
      watch?.timer.refresh()
      if (error) reject(error)
      else resolve(value as T)
    })
  })
}

/**
 * Reads and writes of SFTP, many at a time: each is a question with an answer, and one at a time would take as long as
 * the way to the server for every 32 kB.
 */

const chunkBytes = 128 * 1024
/** 2 MiB on their way: as much as OpenSSH and the library let a channel have. */
const maxConcurrent = 16

/** Bytes from `start` to the end, in order. */
export async function* readAhead(sftp: SFTPWrapper, handle: Buffer, start: number): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  let next = start
  // The library makes chunks of packets.
  const collectGarbage = createGarbageCollector()
  for (;;) {
    while (ahead.length < maxConcurrent) {
      const chunk = readChunk(sftp, handle, next)
      // Whoever reads hears of it in its turn, or has gone.
      chunk.catch(() => {})
      ahead.push(chunk)
      next += chunkBytes
    }
    const bytes = await ahead.shift()
    if (!bytes || bytes.length === 0) return
    collectGarbage(bytes.length)
    const isLast = bytes.length < chunkBytes
    yield bytes
    if (isLast) return
  }
}

/** A whole chunk, less only at the end of the file: a server may answer with less than it was asked for. */
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

const endOfFile = 1

const readSome = (
  sftp: SFTPWrapper,
  handle: Buffer,
  bytes: Buffer,
  { bytesSoFar, at }: { readonly bytesSoFar: number; readonly at: number },
) =>
  sendRequest<number>(sftp, (done) =>
    sftp.read(handle, bytes, bytesSoFar, bytes.length - bytesSoFar, at + bytesSoFar, done),
  ).catch((error: Error & { code?: unknown }) => {
    if (error.code === endOfFile) return 0
    throw error
  })

/**
 * Writes a stream from `start` on.
 * @param written is told to where all bytes are there.
 */
export async function writeAhead(
  sftp: SFTPWrapper,
  handle: Buffer,
  body: Readable,
  { start, onWritten }: { readonly start: number; readonly onWritten: (to: number) => void },
): Promise<void> {
  const ahead: Promise<number>[] = []
  let at = start
  const awaitOldest = async () => onWritten((await ahead.shift()) ?? start)
  // The library makes a packet of each chunk.
  const collectGarbage = createGarbageCollector()
  for await (const bytes of toChunks(body)) {
    const [from, to] = [at, at + bytes.length]
    const chunk = sendRequest<void>(sftp, (done) => sftp.write(handle, bytes, 0, bytes.length, from, done))
    const done = chunk.then(() => {
      releaseBuffer(bytes)
      return to
    })
    done.catch(() => {})
    ahead.push(done)
    collectGarbage(bytes.length)
    at = to
    if (ahead.length >= maxConcurrent) await awaitOldest()
  }
  while (ahead.length > 0) await awaitOldest()
}

/** Pieces of a size that suits the server, whatever comes. */
async function* toChunks(body: Readable): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  for await (const bytes of readChunks(body)) {
    buffered.push(bytes)
    bufferedBytes += bytes.length
    if (bufferedBytes < chunkBytes) continue
    const all = buffered.length === 1 ? bytes : Buffer.concat(buffered)
    const whole = all.length - (all.length % chunkBytes)
    for (let at = 0; at < whole; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
    bufferedBytes = all.length - whole
    buffered = bufferedBytes > 0 ? [all.subarray(whole)] : []
  }
  if (bufferedBytes > 0) yield Buffer.concat(buffered)
}
