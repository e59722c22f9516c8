import type { Readable } from 'node:stream'
import type { SFTPWrapper } from 'ssh2'
import { giveBack, readIntoReused } from '../buffer-pool.ts'
import { freeingSpent } from '../collect-garbage.ts'
import { piecesOf } from './stream-chunks.ts'

interface Watch {
  open: number
  readonly timer: NodeJS.Timeout
}
const watches = new WeakMap<SFTPWrapper, Watch>()

/**
 * Calls back when a server that has questions to answer answers none of them for so long, though it is there.
 * @returns what ends it.
 */
export function limitSilence(sftp: SFTPWrapper, ms: number, onSilence: () => void): () => void {
  const timer = setTimeout(() => (watches.get(sftp)?.open ? onSilence() : timer.refresh()), ms)
  watches.set(sftp, { open: 0, timer })
  return () => clearTimeout(timer)
}

/** A question to the server as a promise. */
export function asked<T>(
  sftp: SFTPWrapper,
  ask: (done: (error?: Error | null, value?: T) => void) => void,
): Promise<T> {
  const watch = watches.get(sftp)
  if (watch?.open === 0) watch.timer.refresh()
  if (watch) watch.open++
  return new Promise((resolve, reject) => {
    // What is asked of a connection that is over is never answered. The types do not know of it.
    if ((sftp as { readable?: boolean }).readable === false) reject(new Error('the connection is over'))
    ask((error, value) => {
      if (watch) watch.open--
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
const mostAtATime = 16

/** Bytes from `start` to the end, in order. */
export async function* readAhead(sftp: SFTPWrapper, handle: Buffer, start: number): AsyncGenerator<Buffer> {
  const ahead: Promise<Buffer>[] = []
  let next = start
  // The library makes chunks of packets.
  const free = freeingSpent()
  for (;;) {
    while (ahead.length < mostAtATime) {
      const chunk = readChunk(sftp, handle, next)
      // Whoever reads hears of it in its turn, or has gone.
      chunk.catch(() => {})
      ahead.push(chunk)
      next += chunkBytes
    }
    const bytes = await ahead.shift()
    if (!bytes || bytes.length === 0) return
    free(bytes.length)
    const isLast = bytes.length < chunkBytes
    yield bytes
    if (isLast) return
  }
}

/** A whole chunk, less only at the end of the file: a server may answer with less than it was asked for. */
const readChunk = (sftp: SFTPWrapper, handle: Buffer, at: number): Promise<Buffer> =>
  readIntoReused(async ({ buffer }) => {
    const bytes = Buffer.from(buffer, 0, chunkBytes)
    let got = 0
    while (got < chunkBytes) {
      const count = await readSome(sftp, handle, bytes, { got, at })
      if (count === 0) break
      got += count
    }
    return { bytesRead: got }
  })

const endOfFile = 1

const readSome = (
  sftp: SFTPWrapper,
  handle: Buffer,
  bytes: Buffer,
  { got, at }: { readonly got: number; readonly at: number },
) =>
  asked<number>(sftp, (done) => sftp.read(handle, bytes, got, bytes.length - got, at + got, done)).catch(
    (error: Error & { code?: unknown }) => {
      if (error.code === endOfFile) return 0
      throw error
    },
  )

/**
 * Writes a stream from `start` on.
 * @param written is told to where all bytes are there.
 */
export async function writeAhead(
  sftp: SFTPWrapper,
  handle: Buffer,
  body: Readable,
  { start, written }: { readonly start: number; readonly written: (to: number) => void },
): Promise<void> {
  const ahead: Promise<number>[] = []
  let at = start
  const oldest = async () => written((await ahead.shift()) ?? start)
  // The library makes a packet of each chunk.
  const free = freeingSpent()
  for await (const bytes of inChunks(body)) {
    const [from, to] = [at, at + bytes.length]
    const chunk = asked<void>(sftp, (done) => sftp.write(handle, bytes, 0, bytes.length, from, done))
    const done = chunk.then(() => {
      giveBack(bytes)
      return to
    })
    done.catch(() => {})
    ahead.push(done)
    free(bytes.length)
    at = to
    if (ahead.length >= mostAtATime) await oldest()
  }
  while (ahead.length > 0) await oldest()
}

/** Pieces of a size that suits the server, whatever comes. */
async function* inChunks(body: Readable): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const bytes of piecesOf(body)) {
    held.push(bytes)
    heldBytes += bytes.length
    if (heldBytes < chunkBytes) continue
    const all = held.length === 1 ? bytes : Buffer.concat(held)
    const whole = all.length - (all.length % chunkBytes)
    for (let at = 0; at < whole; at += chunkBytes) yield all.subarray(at, at + chunkBytes)
    heldBytes = all.length - whole
    held = heldBytes > 0 ? [all.subarray(whole)] : []
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}
