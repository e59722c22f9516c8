import type { OnReadOpts } from 'node:net'
import { createGarbageCollector } from './collect-garbage.ts'
import { allocateAligned } from './direct-io.ts'

/** Bytes of a buffer: the most that is read at a time. */
export const pooledBufferBytes = 256 * 1024
/** Less than that is copied, as whoever keeps it would keep a whole buffer. */
export const minPooledReadBytes = 64 * 1024
/** Buffers that are kept for what comes next. */
const maxIdleBuffers = 16

const idleBuffers: Uint8Array<ArrayBuffer>[] = []
/** Of buffers that are in use: bytes of them that nobody has given back. */
const outstandingBytes = new WeakMap<ArrayBufferLike, number>()

const collectGarbage = createGarbageCollector()

function acquireBuffer(): Uint8Array<ArrayBuffer> {
  const idle = idleBuffers.pop()
  if (idle) return idle
  collectGarbage(pooledBufferBytes)
  return new Uint8Array(allocateAligned(pooledBufferBytes), 0, pooledBufferBytes)
}

/**
 * How a socket reads into buffers that are used again once all their bytes were given back: what is written and hashed
 * then is still in the processor's cache, and there is nothing to collect. Nobody has to give any back; it is collected
 * as usual then.
 * @param push takes what was read, and says whether there may be more at once.
 */
export function pooledReadOptions(push: (bytes: Buffer) => boolean): OnReadOpts {
  let current = acquireBuffer()
  return {
    buffer: () => current,
    callback: (length) => {
      const read = Buffer.from(current.buffer, 0, length)
      if (length < minPooledReadBytes) return push(Buffer.from(read))
      outstandingBytes.set(current.buffer, length)
      current = acquireBuffer()
      return push(read)
    },
  }
}

/**
 * Reads a piece of a file into such a buffer, which begins where a page of memory does.
 * @param read as that of a `FileHandle`: gives how many bytes there were.
 */
export async function readIntoPooledBuffer(
  read: (into: Uint8Array<ArrayBuffer>) => Promise<{ readonly bytesRead: number }>,
): Promise<Buffer> {
  const into = acquireBuffer()
  const { bytesRead } = await read(into)
  outstandingBytes.set(into.buffer, bytesRead)
  return Buffer.from(into.buffer, 0, bytesRead)
}

/** Whether it is of a buffer that is used again, if it is given back. */
export const isPooled = ({ buffer }: Buffer): boolean => outstandingBytes.has(buffer)

/**
 * Gives back bytes as they came; they are overwritten soon.
 * @returns whether they were of such a buffer.
 */
export function releaseBuffer({ buffer, length }: Buffer): boolean {
  const remaining = outstandingBytes.get(buffer)
  if (remaining === undefined) return false
  outstandingBytes.set(buffer, remaining - length)
  if (remaining > length) return true
  outstandingBytes.delete(buffer)
  // Never one that is shared: a socket has read into it.
  if (idleBuffers.length < maxIdleBuffers && buffer instanceof ArrayBuffer)
    idleBuffers.push(new Uint8Array(buffer, 0, pooledBufferBytes))
  return true
}
