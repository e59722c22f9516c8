import type { OnReadOpts } from 'node:net'
import { freeingSpent } from './collect-garbage.ts'
import { alignedMemory } from './direct-io.ts'

/** Bytes of a buffer: the most that is read at a time. */
export const reusedBytes = 256 * 1024
/** Less than that is copied, as whoever keeps it would keep a whole buffer. */
export const leastReused = 64 * 1024
/** Buffers that are kept for what comes next. */
const mostWaiting = 16

const waiting: Uint8Array<ArrayBuffer>[] = []
/** Of buffers that are in use: bytes of them that nobody has given back. */
const out = new WeakMap<ArrayBufferLike, number>()

const free = freeingSpent()

function take(): Uint8Array<ArrayBuffer> {
  const kept = waiting.pop()
  if (kept) return kept
  free(reusedBytes)
  return new Uint8Array(alignedMemory(reusedBytes), 0, reusedBytes)
}

/**
 * How a socket reads into buffers that are used again once all their bytes were given back: what is written and hashed
 * then is still in the processor's cache, and there is nothing to collect. Nobody has to give any back; it is collected
 * as usual then.
 * @param push takes what was read, and says whether there may be more at once.
 */
export function intoReused(push: (bytes: Buffer) => boolean): OnReadOpts {
  let current = take()
  return {
    buffer: () => current,
    callback: (length) => {
      const read = Buffer.from(current.buffer, 0, length)
      if (length < leastReused) return push(Buffer.from(read))
      out.set(current.buffer, length)
      current = take()
      return push(read)
    },
  }
}

/**
 * Reads a piece of a file into such a buffer, which begins where a page of memory does.
 * @param read as that of a `FileHandle`: gives how many bytes there were.
 */
export async function readIntoReused(
  read: (into: Uint8Array<ArrayBuffer>) => Promise<{ readonly bytesRead: number }>,
): Promise<Buffer> {
  const into = take()
  const { bytesRead } = await read(into)
  out.set(into.buffer, bytesRead)
  return Buffer.from(into.buffer, 0, bytesRead)
}

/** Whether it is of a buffer that is used again, if it is given back. */
export const isReusable = ({ buffer }: Buffer): boolean => out.has(buffer)

/**
 * Gives back bytes as they came; they are overwritten soon.
 * @returns whether they were of such a buffer.
 */
export function giveBack({ buffer, length }: Buffer): boolean {
  const left = out.get(buffer)
  if (left === undefined) return false
  out.set(buffer, left - length)
  if (left > length) return true
  out.delete(buffer)
  // Never one that is shared: a socket has read into it.
  if (waiting.length < mostWaiting && buffer instanceof ArrayBuffer)
    waiting.push(new Uint8Array(buffer, 0, reusedBytes))
  return true
}
